"""The embedded profile without its eyes: weights that are missing, an engine that does not open or that dies."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.deployment.loading import StageDeployment, read_deployment
from pipeline.engines.base import Engine
from pipeline.engines.embedded_models import LLAMA_FILES, WHISPER_FILES
from pipeline.engines.fake import speaks
from pipeline.errors import ConfigError, EngineError
from pipeline.media.video_chunk import VideoChunk
from pipeline.runtime.checks.preflight import WITHOUT
from pipeline.runtime.engine_registry import EngineKind
from pipeline.runtime.orchestrator import Orchestrator, running
from pipeline.runtime.profiles import PROFILES
from pipeline.session.session import Session
from pipeline.turns.turn import once
from pipeline.types.history import History, Item
from pipeline.types.turn_request import TurnRequest
from tests.eyes import Eyes, films
from tests.pipeline.engines.model_file_bytes import write_files
from tests.pipeline.runtime.shipped import check
from tests.pipeline.runtime.test_startup import Frail, frail
from tests.room import SERVER_VAD, decode_picture
from tests.scenario import Caller, Loudness, Told

PICTURE = VideoChunk("p", tuple(np.zeros((1, 32, 32, 3), np.uint8)))
SHOWN = TurnRequest(History((Item("q", "user", "What is this?", pictures=(PICTURE,)),)))
BLIND = "(The picture that was sent cannot be looked at.)\nWhat is this?"


@dataclass
class Installed:
    """The embedded profile as it is shipped, over scripted engines.

    Attributes:
        fails: Why its eyes cannot be opened.
        eyes_open: The engine that looks, once it is open.
    """

    fails: Exception | None = None
    script: Eyes = field(default_factory=Eyes)
    eyes_open: list[Frail] = field(default_factory=list)

    async def open_eyes(self, stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
        if self.fails:
            raise self.fails
        self.eyes_open.append(frail(self.script.eyes))
        return self.eyes_open[-1]

    @asynccontextmanager
    async def run(self) -> AsyncGenerator[Orchestrator, None]:
        async def open_other(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
            engines: dict[int, Engine[Any, Any] | None] = {
                0: self.script.stages().recogniser,
                2: self.script.writer,
                3: speaks(),
            }
            engine = engines[stage.stage_id]
            assert engine
            return engine

        shipped = PROFILES["embedded"]
        engines: Mapping[str, EngineKind] = {
            arch: replace(kind, open=self.open_eyes if arch == "ImageRecognition" else open_other)
            for arch, kind in shipped.engines.items()
        }
        profile = replace(shipped, engines=engines, detector=lambda: Loudness)
        deployment = read_deployment(shipped.deployment, shipped.topology, shipped.engine_keys(Path("none")))
        async with running(profile, deployment, Path("none")) as pipeline:
            yield pipeline


@asynccontextmanager
async def call(pipeline: Orchestrator) -> AsyncGenerator[Caller, None]:
    told = Told()
    session = Session("s", replace(pipeline.stages, decode_picture=decode_picture), Loudness(), told)
    async with session:
        session.configure(SERVER_VAD)
        yield Caller(session, told.events)


@pytest.mark.parametrize("fault", [ConfigError("models", ["yolox-nano: missing"]), EngineError("vision", "no start")])
async def test_without_eyes_the_pipeline_answers_as_one_that_sees_nothing(
    fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    installed = Installed(fault)
    with caplog.at_level(logging.WARNING):
        async with installed.run() as pipeline, call(pipeline) as caller:
            assert not pipeline.stages.sees and caller.session.vision is None
            assert pipeline.missing == {"vision": str(fault)}
            assert list(pipeline.start_seconds) == ["asr", "aura", "tts"]
            assert pipeline.capabilities.limits and pipeline.capabilities.limits.pictures is None
            writes = pipeline.stages.chain[0].process(once(SHOWN), SHOWN)
            assert [chat.messages[-1].text async for chat in writes] == [BLIND], "what it reads is not a question"
            await caller.says(2)
            await caller.is_silent(2)
            assert caller.answer().status == "completed"
    told = [each.getMessage() for each in caplog.records if each.name == "pipeline.runtime.startup"]
    assert told == [f"vision cannot be opened, the pipeline runs without it: {fault}"]
    assert installed.script.question == "What is this?"


async def test_with_eyes_it_sees_and_takes_pictures() -> None:
    async with Installed().run() as pipeline:
        assert pipeline.stages.sees and not pipeline.stages.writer_sees
        assert pipeline.stages.limits == PROFILES["embedded"].window
        assert list(pipeline.start_seconds) == ["asr", "vision", "aura", "tts"]
        assert pipeline.capabilities.limits and pipeline.capabilities.limits.pictures == 4


async def test_eyes_that_die_in_mid_call_are_missed_by_no_answer_and_come_back() -> None:
    installed = Installed()
    async with installed.run() as pipeline, call(pipeline) as caller, asyncio.TaskGroup() as tasks:
        camera = tasks.create_task(films(caller.session, 60))
        installed.fails = EngineError("vision", "no start")
        await asyncio.sleep(3)
        installed.eyes_open[0].death.set()
        await asyncio.sleep(0.1)
        assert pipeline.away == [], "it takes calls all the same"
        await caller.says(2)
        await caller.is_silent(2)
        assert installed.script.question == "(The camera cannot be looked at just now.)\nWhat is this?"
        assert caller.answer().status == "completed"
        installed.fails = None
        await asyncio.sleep(3)
        assert pipeline.restarts == {"vision": 1}
        await caller.says(2)
        await caller.is_silent(2)
        assert installed.script.question == "(The camera now shows: a cat.)\nWhat is this?"
        camera.cancel()


def test_what_is_missing_of_the_eyes_is_a_note_and_no_fault(tmp_path: Path) -> None:
    write_files(tmp_path / "whisper-base", WHISPER_FILES)
    write_files(tmp_path / "qwen2.5-coder-1.5b-instruct", LLAMA_FILES)
    noted = [line for line in check(PROFILES["embedded"].deployment, tmp_path, profile="embedded") if "note" in line]
    assert noted and all(line.startswith(f"{WITHOUT} vision: ") for line in noted)
