"""What the checkers of topologies and deployments accept answers a caller, aloud; all else is refused by name."""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from pipeline.deployment.loading import Deployment, StageDeployment, read_deployment
from pipeline.deployment.schema import EngineKeys
from pipeline.engines.base import Engine
from pipeline.engines.fake import FakeEngine, Step, hears, tone
from pipeline.errors import ConfigError
from pipeline.runtime.engine_registry import EngineKind
from pipeline.runtime.orchestrator import running
from pipeline.runtime.profiles import Profile
from pipeline.session.session import Session
from pipeline.topology.config import PipelineConfig, StageExecutionType, StagePipelineConfig
from pipeline.topology.processors.handover import (
    talker2code2wav_async_chunk,
    talker2code2wav_full_payload,
    talker2code2wav_token_only,
)
from pipeline.types.chunks import CODEBOOKS, AudioChunk, CodecChunk, TextChunk
from pipeline.types.events.response_events import AudioDelta, ResponseDone
from pipeline.types.session_options import SessionOptions
from pipeline.types.turn_request import ResponseOptions, TurnRequest
from tests.scenario import Caller, Loudness, Told

AR = StageExecutionType.LLM_AR
ANSWER = "Here I am."
NAMES = ("asr", "aura", "talker", "voice", "more")
DRAWN, ANSWERED = 250, 30  # pipelines with their files, and how many of them run at the least


async def passed(inbox: AsyncIterator[Any], request: TurnRequest) -> AsyncGenerator[Any, None]:
    """Stands for a stage's own way: its engine is given what arrives."""
    async for each in inbox:
        yield each


def text_of(prompt: TurnRequest | TextChunk | CodecChunk | AudioChunk) -> str:
    if not isinstance(prompt, TurnRequest):
        return prompt.text
    return "" if prompt.response_options.max_tokens == 0 else ANSWER


def makes(kind: str) -> FakeEngine[Any, Any]:
    """An engine that says in its own kind of output what it is given."""

    def script(prompt: Any) -> list[Step[Any]]:
        text = text_of(prompt)
        if not text:
            return []
        match kind:
            case "text":
                return [(0.01, TextChunk(text))]
            case "latent":
                return [(0.01, CodecChunk(np.zeros((3, CODEBOOKS), np.int16), text, ends=True))]
            case _:
                return [(0.01, AudioChunk(tone(100), text))]

    return FakeEngine(script)


ASR = StagePipelineConfig(0, "asr", AR, (), "text", "asr", requires_multimodal_data=True)
WRITES = StagePipelineConfig(
    1, "aura", AR, (0,), "text", "aura", final_output=True, final_output_type="text", custom_process_input_func=passed
)
DRAFTS = replace(WRITES, final_output=False, final_output_type=None)
TALKER = StagePipelineConfig(
    2, "talker", AR, (1,), "latent", "talker",
    custom_process_input_func=passed,
    custom_process_next_stage_input_func=talker2code2wav_full_payload,
    async_chunk_process_next_stage_input_func=talker2code2wav_async_chunk,
)  # fmt: skip
DECODER = StagePipelineConfig(
    3, "voice", AR, (2,), "audio", "voice",
    final_output=True, final_output_type="audio", sync_process_input_func=talker2code2wav_token_only,
)  # fmt: skip
VOICE = replace(DECODER, custom_process_input_func=passed, sync_process_input_func=None)
SHAPES = (
    (ASR, WRITES, VOICE),
    (ASR, WRITES, TALKER, DECODER),
    (ASR, DRAFTS, WRITES, TALKER, DECODER),
    (ASR, WRITES, replace(TALKER, custom_process_next_stage_input_func=None), DECODER),
    (ASR, WRITES, replace(TALKER, async_chunk_process_next_stage_input_func=None), DECODER),
)
CHANGES: dict[str, tuple[Any, ...]] = {
    "stage_id": (0, 1, 2, 3, 4),
    "input_sources": ((), (0,), (1,), (2,), (0, 1)),
    "engine_output_type": ("text", "latent", "audio"),
    "final_output": (True, False),
    "final_output_type": (None, "text", "audio"),
    "requires_multimodal_data": (True, False),
    "custom_process_input_func": (None, passed),
    "custom_process_next_stage_input_func": (None, passed),
    "async_chunk_process_next_stage_input_func": (None, talker2code2wav_async_chunk),
    "sync_process_input_func": (None, talker2code2wav_token_only),
}


def drawn(dice: random.Random) -> tuple[StagePipelineConfig, ...]:
    """A chain that would run, with up to two things changed, a stage left out, or two in each other's place."""
    shape = list(dice.choice(SHAPES))
    match dice.randrange(8):
        case 0:
            shape.pop(dice.randrange(len(shape)))
        case 1:
            at = dice.randrange(len(shape) - 1)
            shape[at], shape[at + 1] = shape[at + 1], shape[at]
    stages = [
        replace(each, stage_id=at, model_stage=NAMES[at], model_arch=NAMES[at], input_sources=(at - 1,) if at else ())
        for at, each in enumerate(shape)
    ]
    for _ in range(dice.randrange(3)):
        at, key = dice.randrange(len(stages)), dice.choice(list(CHANGES))
        stages[at] = replace(stages[at], **{key: dice.choice(CHANGES[key])})
    return tuple(stages)


def says(dice: random.Random, stages: tuple[StagePipelineConfig, ...]) -> dict[str, Any]:
    """A deployment file, some of which no pipeline could follow."""
    runtime: dict[str, Any] = {"defaults": {"window_size": dice.choice((-1, 1, 3)), "max_inflight": 4}}
    raw: dict[str, Any] = {"max_sessions": 1, "runtime": runtime}
    if dice.random() < 0.5:
        raw["async_chunk"] = dice.random() < 0.5
    if dice.random() < 0.3:
        last = stages[-1]
        name = f"{talker2code2wav_token_only.__module__}.{talker2code2wav_token_only.__qualname__}"
        raw["stage_args"] = [{"stage_id": last.stage_id, "sync_process_input_func": name}]
    if dice.random() < 0.3:
        at = dice.randrange(len(stages))
        edge: dict[str, Any] = {
            "from": stages[at - 1].stage_id,
            "to": stages[at].stage_id,
            "window_size": dice.choice((-1, 1, 5)),
        }
        if dice.random() < 0.5:
            edge = {**edge, "connector": "codec"}
            runtime["connectors"] = {"codec": {"extra": {"codec_chunk_ramp": [1, 2]}}}
        runtime["edges"] = [edge]
    return raw


def profile_of(topology: PipelineConfig) -> Profile:
    async def open_(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
        spec = next(each for each in topology.stages if each.stage_id == stage.stage_id)
        return hears("Where are you?") if spec.is_recogniser else makes(spec.engine_output_type)

    kinds = {spec.model_arch: EngineKind(open_, EngineKeys()) for spec in topology.stages}
    return Profile(topology, Path("none"), kinds, lambda: Loudness, warms_up=True)


async def answer(profile: Profile, deployment: Deployment) -> tuple[ResponseDone, float]:
    """What a caller is answered who asks one question aloud, and how many seconds they hear."""
    told = Told()
    async with running(profile, deployment, Path("none")) as pipeline:
        session = Session("s", pipeline.stages, Loudness(), told)
        async with session:
            modality = pipeline.capabilities.modalities[0]
            session.configure(SessionOptions(ResponseOptions(modality=modality)))
            caller = Caller(session, told.events)
            await caller.says(1.0)
            session.commit()
            session.respond()
            await asyncio.sleep(5)
    return caller.answer(), sum(AudioChunk(sound.pcm).duration_ms for sound in caller.all(AudioDelta)) / 1000


@pytest.mark.parametrize("seed", range(10))
async def test_what_is_accepted_answers_and_what_cannot_run_is_refused_with_the_stage(
    tmp_path: Path, seed: int
) -> None:
    dice, path, answered = random.Random(seed), tmp_path / "drawn.yaml", 0
    for _ in range(DRAWN):
        stages = drawn(dice)
        try:
            topology = PipelineConfig("drawn", stages[0].model_arch, stages)
            profile = profile_of(topology)
            path.write_text(yaml.safe_dump(says(dice, stages)))
            keys = {arch: kind.keys for arch, kind in profile.engines.items()}
            deployment = read_deployment(path, topology, keys)
        except ConfigError as refused:
            assert all("stage" in fault or "edge" in fault for fault in refused.faults), refused.faults
            continue
        done, seconds = await answer(profile, deployment)
        assert (done.status, done.text) == ("completed", ANSWER), (stages, path.read_text())
        assert seconds == pytest.approx(0.1 if "audio" in topology.modalities else 0)
        answered += 1
    assert answered >= ANSWERED
