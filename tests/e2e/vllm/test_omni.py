"""Qwen3-Omni in a room, as a person starts it: it greets, hears a question, answers aloud, and is interrupted."""

import subprocess
from collections.abc import AsyncGenerator, Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

from infra.bench.base.speech import PersonVoice
from infra.bench.person.person import ANSWER_S, joined
from tests.contract.vllm.tiny_asr import write_recogniser
from tests.e2e.stack import Stack
from tests.e2e.vllm.conftest import stack_on_vllm
from tests.e2e.vllm.engines import at_rest, counted

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[3]
WRITES = "import sys; from tests.contract.vllm.tiny_omni import *; write_omni(Path(sys.argv[1]), endless=True)"
DEPLOYMENT = Path(__file__).parents[2] / "contract" / "vllm" / "omni.yaml"
QUESTION, STOP = "What is the capital of France?", "Please stop that now and listen to me"


@pytest.fixture(scope="module")
async def stack(environ: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Stack]:
    python = Path(environ["AURA_HOME"]) / "vllm" / "bin" / "python"  # which has torch
    write, folder = partial(write_models, python), tmp_path_factory.mktemp("omni")
    async with stack_on_vllm(environ, folder, "qwen3_omni", DEPLOYMENT, write) as running:
        yield running


def write_models(python: Path, models: Path) -> None:
    """The voice speaks as long as it may: 13 s, more than is computed ahead of what is heard."""
    subprocess.run([python, "-c", WRITES, models / "omni"], check=True, cwd=ROOT)
    write_recogniser(models / "asr")


async def test_a_question_is_heard_and_answered_aloud_and_who_speaks_over_the_answer_ends_it(
    stack: Stack, voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    before, stop = await counted(stack, "aura_cancel_seconds_count", stage="talker"), voice.say(STOP)
    async with joined("Ann", await stack.grant(a_room(), "ann")) as ann:
        await ann.greeted()
        greeted = ann.heard.stretches[-1].ended
        _, ended = ann.say(voice.say(QUESTION))
        await ended
        await ann.diary.until(lambda: ann.heard.loud_s(greeted) > 0.5, ANSWER_S, "some of the answer")
        _, ended = ann.say(stop)
        await ended
        await ann.diary.until(lambda: not ann.heard.sounds, ANSWER_S, "silence")
        assert (await ann.captioned("user")).strip(), "the recogniser beside the answer has written it down"
        await ann.diary.until(lambda: '"interrupted"' in "".join(ann.told("aura.decision")), ANSWER_S, "why it ended")
    await at_rest(stack)
    assert await counted(stack, "aura_cancel_seconds_count", stage="talker") > before
