"""A pipeline from Python: found by its file, asked, closed again; what cannot be is refused with the file's name."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.deployment.loading import StageDeployment
from pipeline.engines.base import Engine
from pipeline.engines.fake import FakeEngine, hears, tone, writes
from pipeline.errors import ConfigError, RequestError
from pipeline.offline import Pipeline
from pipeline.registry.entry_registry import EntryRegistry
from pipeline.runtime.checks.gpu_fit import GpuMemory
from pipeline.runtime.profiles import DEPLOY, PROFILES, Profile
from pipeline.types.chunks import AudioChunk
from tests.scenario import Loudness

OPENED, CLOSED = list[str](), list[str]()


class Noted(FakeEngine[Any, Any]):
    async def aclose(self) -> None:
        CLOSED.append("closed")


SCRIPTS: Mapping[str, Callable[[Any], Iterable[Any]]] = {
    "WhisperForConditionalGeneration": hears("").script,
    "ImageRecognition": lambda prompt: (),
    "Qwen2ForCausalLM": writes("Paris it is.").script,
    "HibariTTS": lambda clause: [(0.0, AudioChunk(tone(100), clause.text))],
}


async def opened(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    arch = PROFILES["embedded"].topology.stages[stage.stage_id].model_arch
    OPENED.append(arch)
    return Noted(SCRIPTS[arch])


SCRIPTED = replace(
    PROFILES["embedded"],
    detector=lambda: Loudness,
    engines={
        arch: replace(kind, open=opened, check=lambda stage, models_dir: GpuMemory())
        for arch, kind in PROFILES["embedded"].engines.items()
    },
)
PIPELINES = EntryRegistry("none", Profile, {"scripted": f"{__name__}:SCRIPTED"}, ())


async def test_it_is_opened_asked_and_closed(tmp_path: Path) -> None:
    told = list[str]()
    async with Pipeline.from_deployment(DEPLOY / "embedded.yaml", tmp_path, PIPELINES) as pipeline:
        assert pipeline.capabilities.model == "aura_embedded"
        for _ in range(2):
            answer = await pipeline.ask("What is the capital of France?", emit=told.append)
            assert (answer.text, answer.pcm) == ("Paris it is.", tone(100))
        assert CLOSED == []
    assert "".join(told) == "Paris it is." * 2
    assert sorted(OPENED) == sorted(SCRIPTS) and len(CLOSED) == len(SCRIPTS)


async def test_what_is_neither_text_nor_sound_is_refused_and_so_is_a_question_to_a_closed_pipeline(
    tmp_path: Path,
) -> None:
    wanted = "a text, or sound as a NumPy array of float32, one dimension, at 16 kHz, is needed"
    async with Pipeline.from_deployment(str(DEPLOY / "embedded.yaml"), str(tmp_path), PIPELINES) as pipeline:
        for question, what in (
            (None, "is of the type NoneType"),
            (np.zeros((10, 2), np.float32), "is an array [10, 2] of float32"),
            (np.zeros(10, np.int16), "is an array [10] of int16"),
        ):
            with pytest.raises(RequestError) as refused:
                await pipeline.ask(question)  # type: ignore[arg-type]
            assert (refused.value.message, refused.value.param) == (f"`question` {what}: {wanted}", "question")
        assert (await pipeline.ask("And now?")).text == "Paris it is.", "the pipeline lives on"
    with pytest.raises(RequestError, match="the pipeline is closed"):
        await pipeline.ask("And now?")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("max_sessions: 1", "`model_type` is needed: it names the pipeline (known: aura_embedded)"),
        ("{max_sessions: 1, model_type: parrot}", "`model_type` is 'parrot': one of aura_embedded is needed"),
        ("{max_sessions: none, model_type: aura_embedded}", "`max_sessions` is 'none', not a whole number"),
    ],
)
async def test_a_file_that_cannot_be_is_refused_before_an_engine_starts(tmp_path: Path, text: str, fault: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    OPENED.clear()
    with pytest.raises(ConfigError) as caught:
        async with Pipeline.from_deployment(file, tmp_path, PIPELINES):
            pass
    assert str(caught.value) == f"{file}: {fault}" and OPENED == []
