"""A pipeline starts stage by stage, is warm before its first caller, and is not ready while an engine is missing."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.deployment.loading import Deployment, Edge, StageDeployment
from pipeline.deployment.schema import EngineKeys
from pipeline.engines.base import Engine
from pipeline.engines.fake import FakeEngine
from pipeline.errors import EngineError
from pipeline.runtime.engine_registry import EngineKind
from pipeline.runtime.orchestrator import Orchestrator, running
from pipeline.runtime.profiles import Profile
from pipeline.runtime.warm_up import QUESTION, SAID
from pipeline.topology.config import PipelineConfig
from pipeline.types.chunks import ChatPrompt, TextChunk
from tests.scenario import ASR, AURA, TTS, Line, Loudness

START_S = (5.0, 20.0, 3.0)


@dataclass(frozen=True, slots=True)
class Frail(FakeEngine[Any, Any]):
    """An engine that dies when it is told to."""

    model: str = "frail"
    languages: frozenset[str] = frozenset(("en",))
    context_bytes: int = 90
    death: asyncio.Event = field(default_factory=asyncio.Event)

    closed: asyncio.Event = field(default_factory=asyncio.Event)

    async def died(self) -> None:
        await self.death.wait()

    async def aclose(self) -> None:
        self.closed.set()


def frail(engine: FakeEngine[Any, Any]) -> Frail:
    return Frail(engine.script, engine.abort_s, engine.prompts, engine.aborted, engine.running)


@dataclass(slots=True)
class Works:
    """Opens the engines of a line, each in its time, but for the broken one."""

    line: Line = field(default_factory=Line)
    broken: int | None = None
    opened: list[tuple[float, Engine[Any, Any]]] = field(default_factory=list)

    async def open(self, stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
        await asyncio.sleep(START_S[stage.stage_id])
        if stage.stage_id == self.broken:
            raise EngineError("tts", "no voice")
        engines: tuple[Engine[Any, Any], ...] = (frail(self.line.asr), frail(self.line.aura), self.line.tts)
        self.opened.append((asyncio.get_running_loop().time(), engines[stage.stage_id]))
        return engines[stage.stage_id]

    @asynccontextmanager
    async def run(
        self,
        *,
        warms_up: bool = True,
        writer_apart: bool = False,
        writer_beside: bool = False,
        measures: bool = False,
    ) -> AsyncGenerator[Orchestrator, None]:
        topology = PipelineConfig("scripted", "Scripted", (ASR, replace(AURA, model_arch="Writer"), TTS))
        kinds = {"Scripted": EngineKind(self.open, EngineKeys(), measures=measures)}
        kinds["Writer"] = EngineKind(self.open, EngineKeys(), apart=writer_apart, beside=writer_beside)
        profile = Profile(topology, Path("none"), kinds, lambda: Loudness, warms_up=warms_up)
        stages = tuple(StageDeployment(at, edge=Edge(1, 8)) for at in range(3))
        async with running(profile, Deployment(2, stages), Path("none")) as orchestrator:
            yield orchestrator


async def test_engines_start_in_order_and_tell_how_far_they_are(caplog: pytest.LogCaptureFixture) -> None:
    works = Works()
    with caplog.at_level(logging.INFO, "pipeline"):
        async with works.run(warms_up=False) as pipeline:
            assert [at for at, _ in works.opened] == [5.0, 25.0, 28.0]
            assert dict(pipeline.start_seconds) == {"asr": 5.0, "aura": 20.0, "tts": 3.0}
            able = pipeline.capabilities
            assert (able.recogniser, able.context_bytes, pipeline.away) == ("frail", 90, [])
    told = [record.getMessage() for record in caplog.records]
    assert told[:4] == [
        "starting asr (1 of 3)",
        "asr started in 5.0 s",
        "starting aura (2 of 3)",
        "aura started in 20.0 s",
    ]
    assert works.line.aura.prompts == [], "nothing is warmed up that need not be"


async def test_the_others_do_not_wait_for_an_engine_that_starts_apart() -> None:
    works = Works()
    async with works.run(warms_up=False, writer_apart=True) as pipeline:
        assert [at for at, _ in works.opened] == [5.0, 8.0, 20.0]
        assert list(await pipeline.busy()) == ["asr", "aura", "tts"]
        assert dict(pipeline.start_seconds) == {"asr": 5.0, "aura": 20.0, "tts": 3.0}


async def test_an_engine_whose_memory_is_told_starts_beside_the_others() -> None:
    works = Works()
    async with works.run(warms_up=False, writer_beside=True):
        assert [at for at, _ in works.opened] == [5.0, 8.0, 20.0]
    works = Works()
    began = asyncio.get_running_loop().time()
    async with works.run(warms_up=False, writer_beside=True, measures=True):
        assert [at - began for at, _ in works.opened] == [20.0, 25.0, 28.0]


async def test_nobody_starts_beside_an_engine_that_measures_what_is_free() -> None:
    works = Works()
    async with works.run(warms_up=False, writer_apart=True, measures=True):
        assert [at for at, _ in works.opened] == [20.0, 25.0, 28.0]


async def test_an_engine_that_cannot_be_opened_is_named_and_the_others_are_closed() -> None:
    works = Works(broken=2)
    with pytest.raises(EngineError, match="tts: no voice"):
        async with works.run(writer_apart=True):
            pass
    assert asyncio.get_running_loop().time() == 8.0, "the writer is not waited for"
    ((_, asr),) = works.opened
    assert isinstance(asr, Frail) and asr.closed.is_set()


async def test_a_turn_goes_through_every_stage_before_the_first_caller() -> None:
    works = Works()
    async with works.run():
        line = works.line
        assert [window.settles for window in line.asr.prompts] == [True]
        assert [chat.messages[-1].text for chat in line.aura.prompts] == [QUESTION]
        assert "".join(clause.text for clause in line.tts.prompts) == SAID


async def test_a_stage_that_fails_in_the_first_turn_keeps_the_pipeline_from_starting() -> None:
    def script(chat: ChatPrompt) -> list[tuple[float, TextChunk | EngineError]]:
        return [(0.1, EngineError("aura", "out of memory"))]

    with pytest.raises(EngineError, match="aura: out of memory"):
        async with Works(replace(Line(), aura=FakeEngine(script))).run():
            pass


async def test_it_is_not_ready_while_an_engine_is_started_again() -> None:
    works = Works()
    async with works.run() as pipeline:
        (_, asr), *_ = works.opened
        assert isinstance(asr, Frail)
        asr.death.set()
        await asyncio.sleep(0.1)
        assert await pipeline.busy() == {"asr": 0, "aura": 0, "tts": 0}
        assert (pipeline.away, pipeline.restarts) == (["asr"], {"asr": 0, "aura": 0})
        await asyncio.sleep(START_S[0])
        assert (pipeline.away, pipeline.restarts) == ([], {"asr": 1, "aura": 0})
        assert len(works.opened) == 4


@pytest.mark.parametrize("beside", [False, True])
async def test_engines_that_die_together_are_started_one_after_the_other(beside: bool) -> None:
    """Also those that began beside the others."""
    works = Works()
    async with works.run(writer_beside=beside) as pipeline:
        died = asyncio.get_running_loop().time()
        mortal = [engine for _, engine in works.opened if isinstance(engine, Frail)]
        assert len(mortal) == 2
        for engine in mortal:
            engine.death.set()
        await asyncio.sleep(60)
        assert [at - died for at, _ in works.opened[3:]] == pytest.approx([5.0, 25.0])
        assert pipeline.away == []


async def test_without_smart_turns_weights_the_pipeline_starts_and_says_what_that_means(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    async with Works().run(warms_up=False) as pipeline:
        assert pipeline.end_model is None
    (told,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert told.startswith("ends of turns are told by silence and words alone: none/smart-turn-v3.2/model.onnx: ")
