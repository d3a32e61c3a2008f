"""An engine of a package: whatever its opener, its check or its answers do, it is told by its stage."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.deployment.loading import Deployment, Edge, StageDeployment
from pipeline.deployment.schema import EngineKeys, Key
from pipeline.engines.fake import hears, speaks, writes
from pipeline.errors import ConfigError, EngineError
from pipeline.registry.entry_registry import EntryRegistry
from pipeline.runtime.checks.preflight import preflight
from pipeline.runtime.engine_registry import EngineKind, engines_of
from pipeline.runtime.orchestrator import running
from pipeline.runtime.profiles import Profile
from pipeline.topology.config import PipelineConfig
from pipeline.types.chunks import ChatPrompt
from pipeline.types.turn_request import TurnRequest
from tests.scenario import ASR, AURA, TTS, Loudness

TOPOLOGY = PipelineConfig("own", "Own", (ASR, replace(AURA, model_arch="Own"), TTS))
DEPLOYMENT = Deployment(2, tuple(StageDeployment(at, edge=Edge(1, 8)) for at in range(3)))
NOWHERE = Path("none")


async def open_scripted(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Any:
    return hears("Hi") if stage.stage_id == 0 else speaks()


async def open_writer(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Any:
    return writes("Yes.")


def own(**changes: Any) -> Profile:
    """A pipeline whose writer is somebody's own."""
    kind = replace(EngineKind(open_writer, EngineKeys()), **changes)
    scripted = EngineKind(open_scripted, EngineKeys())
    return Profile(TOPOLOGY, NOWHERE, {"Scripted": scripted, "Own": kind}, lambda: Loudness)


def opens(made: Any) -> Callable[..., Awaitable[Any]]:
    async def open_own(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Any:
        if isinstance(made, BaseException):
            raise made
        return made

    return open_own


class Half:
    async def busy(self) -> int:
        return 0


@pytest.mark.parametrize(
    ("open_own", "reason"),
    [
        (opens(KeyError("model")), "it cannot be opened: KeyError: 'model'"),
        (opens(SystemExit(4)), "it cannot be opened: SystemExit: 4"),
        (opens(EngineError("aura", "out of memory")), "out of memory"),
        (opens(None), "its opener gives NoneType, which has no generate, busy, aclose"),
        (opens(Half()), "its opener gives Half, which has no generate, aclose"),
        (lambda *told: writes("Yes."), "it cannot be opened: TypeError: object FakeEngine can't be used in 'await'"),
    ],
)
async def test_an_engine_that_cannot_be_opened_is_named(open_own: Any, reason: str) -> None:
    with pytest.raises(EngineError) as caught:
        async with running(own(open=open_own), DEPLOYMENT, NOWHERE):
            pass
    assert str(caught.value).startswith(f"aura: {reason}")


def broken(*told: Any) -> Any:
    raise KeyError("weights")


@pytest.mark.parametrize(
    ("check", "reason"),
    [(broken, "KeyError: 'weights'"), (lambda stage, models_dir: None, "TypeError: it gives NoneType, not GpuMemory")],
)
def test_a_check_that_breaks_is_a_fault_of_its_stage(check: Any, reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        preflight("file", own(check=check), DEPLOYMENT, NOWHERE, ())
    assert str(caught.value) == f"file: stage 1: its check failed: {reason}"


def test_names_that_cannot_be_told_are_told_by_their_engine() -> None:
    with pytest.raises(ConfigError, match="`names` of Own failed: KeyError: 'weights'"):
        own(names=broken).engine_keys(NOWHERE)
    with pytest.raises(ConfigError, match="`names` of Own failed: KeyError: 'voice'"):
        own(names=lambda models_dir: {"voice": ["a"]}, keys=EngineKeys({"model": Key(str)})).engine_keys(NOWHERE)


class Mute:
    """An engine that does not say how busy it is."""

    def __init__(self, busy: Callable[[], Awaitable[Any]]) -> None:
        self.busy = busy
        self.generate = writes("Yes.").generate

    async def aclose(self) -> None:
        """Nothing to free."""


async def raises() -> int:
    raise RuntimeError("busy")


async def hangs() -> int:
    await asyncio.sleep(1e6)
    return 0


async def nothing() -> None:
    return None


@pytest.mark.parametrize(("busy", "after_s"), [(raises, 0.0), (hangs, 3.0), (nothing, 0.0)])
async def test_one_that_does_not_say_how_busy_it_is_counts_as_busy_and_hides_no_other(
    busy: Callable[[], Awaitable[Any]], after_s: float, caplog: pytest.LogCaptureFixture
) -> None:
    clock = asyncio.get_running_loop().time
    async with running(own(open=opens(Mute(busy))), DEPLOYMENT, NOWHERE) as pipeline:
        began = clock()
        with caplog.at_level(logging.WARNING):
            assert await pipeline.busy() == {"asr": 0, "aura": 1, "tts": 0}
        assert clock() - began == after_s
    assert caplog.records[-1].getMessage() == "it cannot be told how busy aura is"


async def unreadable(
    inbox: "AsyncIterator[Nowhere]",  # type: ignore[name-defined]  # noqa: F821 - as under `if TYPE_CHECKING`
    request: TurnRequest,
) -> AsyncGenerator[ChatPrompt, None]:
    async for _ in inbox:
        yield ChatPrompt((), "")


def test_a_processor_whose_annotations_cannot_be_read_is_named_with_its_stage() -> None:
    stages = (ASR, replace(AURA, custom_process_input_func=unreadable))
    scripted = EngineKind(open_scripted, EngineKeys())
    with pytest.raises(ConfigError) as caught:
        Profile(replace(TOPOLOGY, model_arch="Scripted", stages=stages), NOWHERE, {"Scripted": scripted})
    fault = "unreadable: its annotations cannot be read: name 'Nowhere' is not defined"
    assert str(caught.value) == f"profile of own: stage 1 (aura): {fault}"


def test_an_engine_that_cannot_be_imported_is_told_with_the_stage_that_wants_it() -> None:
    engines = EntryRegistry("a.group", EngineKind, {"Own": "nowhere.at.all:KIND"}, ())
    with pytest.raises(ConfigError) as caught:
        engines_of(replace(TOPOLOGY, stages=(replace(AURA, model_arch="Own", input_sources=(), hears=True),)), engines)
    assert str(caught.value) == (
        "topology own: stage 1 (aura): entry point a.group Own = nowhere.at.all:KIND: "
        "it cannot be loaded: ModuleNotFoundError: No module named 'nowhere'"
    )
