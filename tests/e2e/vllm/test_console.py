"""The console, against the pipeline for GPUs."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from infra.bench.base.speech import PersonVoice, read_wav, write_wav
from infra.bench.person.recording import LOUD
from tests.e2e.stack import Stack
from tests.e2e.test_console import console
from tests.e2e.vllm.obedient import HEARS, ONE, SAYS_ONE, YES

pytestmark = pytest.mark.anyio


async def test_files_and_typed_lines_are_answered_by_aura(stack: Stack, voice: PersonVoice, tmp_path: Path) -> None:
    await stack.empty()
    question, answer = write_wav(tmp_path / "q.wav", voice.say("What is the capital of France?")), tmp_path / "a.wav"
    told = {"AURA_BUILTIN_TOOLS": "none"}
    printed, typed = await asyncio.gather(
        console(stack, "--wav", str(question), str(answer), **told),
        console(stack, "--text", typed=f"Hello\nAnd {ONE}\n", **told),
    )
    assert YES in printed and any(word.strip() in printed for word in HEARS)
    assert np.abs(read_wav(answer)[0]).max() > LOUD
    assert YES in typed and SAYS_ONE in typed
