"""Opens a pipeline's engines in the order of its stages, some at once beside the others, and tells how far it is."""

import asyncio
import logging
from collections.abc import Collection, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.aio.tasks import BackgroundTasks, first
from pipeline.deployment.loading import Deployment, StageDeployment
from pipeline.engines.base import CallsFunctions, Engine, Listens, Speaks, SpeaksLanguages, TakesInstructions
from pipeline.errors import ConfigError, EngineError
from pipeline.runtime.engine_registry import EngineKind
from pipeline.runtime.profiles import Profile
from pipeline.runtime.supervisor import OpenAgain, RestartableEngine, Supervisor
from pipeline.topology.config import StagePipelineConfig
from pipeline.types.capabilities import Capabilities

log = logging.getLogger(__name__)

METHODS = ("generate", "busy", "aclose")  # of an `Engine`


@dataclass(frozen=True, slots=True)
class OpenedEngines:
    """Holds the engines of all stages, open and warm; none of an optional one that could not be opened.

    Attributes:
        engines: By the names of their stages.
        seconds: How long each took to start.
        missing: Why an optional one is not there, by the names of their stages.
        capabilities: What callers may ask of them.
    """

    capabilities: Capabilities
    engines: Mapping[str, Engine[Any, Any]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)


async def open_engines(
    profile: Profile,
    deployment: Deployment,
    models_dir: Path,
    closing: AsyncExitStack,
    only: Collection[str] | None = None,
) -> OpenedEngines:
    """Opens the engine of each stage; one that dies or hangs later is opened again, as long as `closing` is open.

    Args:
        closing: Closes them all.
        only: Names of the stages whose engines are opened; None: all.

    Raises:
        ConfigError: A model is missing or unusable, and not that of an optional stage.
        EngineError: An engine did not start, and not that of an optional stage.
    """
    clock = asyncio.get_running_loop().time
    topology = profile.topology
    able = Capabilities(
        topology.model_type,
        limits=profile.limits,
        modalities=topology.modalities,
        transcribes=topology.recogniser is not None,
    )
    engines: dict[str, Engine[Any, Any]] = {}
    seconds: dict[str, float] = {}
    missing: dict[str, str] = {}
    alone = asyncio.Lock()
    specs = [spec for spec in topology.stages if only is None or spec.model_stage in only]
    stages = [(profile.engines[spec.model_arch], at, spec) for at, spec in enumerate(specs, 1)]
    closing.push_async_callback(_closed, engines)

    async def open_stage(kind: EngineKind, number: int, spec: StagePipelineConfig) -> None:
        nonlocal able
        name, began = spec.model_stage, clock()
        stage = deployment.stage(spec.stage_id)
        log.info("starting %s (%d of %d)", name, number, len(stages))
        open_ = partial(opened, kind, name, stage, models_dir, deployment.max_sessions)
        again = open_ if kind.apart else partial(_opened_alone, alone, open_)
        try:
            engine = await (open_ if kind.beside else again)()
        except (ConfigError, EngineError) as error:
            if not spec.is_optional:
                raise
            log.warning("%s cannot be opened, the pipeline runs without it: %s", name, error)
            able, missing[name] = without_pictures(able), str(error)
            return
        seconds[name] = clock() - began
        log.info("%s started in %.1f s", name, seconds[name])
        able = with_engine(able, engine)
        engines[name] = Supervisor(name, engine, again) if isinstance(engine, RestartableEngine) else engine

    try:
        async with asyncio.TaskGroup() as openings:
            at_once = [openings.create_task(open_stage(*stage)) for stage in stages if stage[0].at_once]
            for kind, number, spec in stages:
                if kind.measures and at_once:
                    await asyncio.wait(at_once)
                if not kind.at_once:
                    await open_stage(kind, number, spec)
    except ExceptionGroup as failures:
        raise first(failures) from None
    tasks = await closing.enter_async_context(BackgroundTasks())
    for name, engine in engines.items():
        if isinstance(engine, Supervisor):
            tasks.start(f"tend {name}", engine.tend)
    in_order = [spec.model_stage for spec in specs if spec.model_stage in engines]
    return OpenedEngines(
        able, {name: engines[name] for name in in_order}, {name: seconds[name] for name in in_order}, missing
    )


async def opened(
    kind: EngineKind, name: str, stage: StageDeployment, models_dir: Path, max_sessions: int
) -> Engine[Any, Any]:
    """Opens one engine. Its opener is somebody else's code, and may raise or give anything.

    Raises:
        ConfigError: Its model is missing or unusable.
        EngineError: It did not start, whatever the reason.
    """
    try:
        engine = await kind.open(stage, models_dir, max_sessions)
    except (ConfigError, EngineError):
        raise
    except (Exception, SystemExit) as error:
        log.exception("an engine could not be opened", extra={"stage": name})
        raise EngineError(name, f"it cannot be opened: {type(error).__name__}: {error}") from error
    if lacking := [method for method in METHODS if not callable(getattr(engine, method, None))]:
        raise EngineError(name, f"its opener gives {type(engine).__name__}, which has no {', '.join(lacking)}")
    return engine


async def _opened_alone(alone: asyncio.Lock, open_: OpenAgain) -> Engine[Any, Any]:
    """Opens one engine at a time: vLLM measures the GPU that is left, and has settings of a whole process meanwhile."""
    async with alone:
        return await open_()


async def _closed(engines: Mapping[str, Engine[Any, Any]]) -> None:
    """Closes all engines at once: vLLM takes seconds to end a process."""
    async with asyncio.TaskGroup() as tasks:
        for name, engine in engines.items():
            tasks.create_task(engine.aclose(), name=f"close {name}")


def without_pictures(able: Capabilities) -> Capabilities:
    """Returns `able` where nothing looks at what callers show."""
    return replace(able, limits=able.limits and replace(able.limits, pictures=None))


def with_engine(able: Capabilities, engine: Engine[Any, Any]) -> Capabilities:
    """Returns `able` with what callers may ask of one more engine."""
    if isinstance(engine, Listens):
        able = replace(able, recogniser=engine.model, languages=engine.languages, context_bytes=engine.context_bytes)
    if isinstance(engine, Speaks):
        able = replace(able, voices=engine.voices, speeds=engine.speeds)
    if isinstance(engine, SpeaksLanguages):
        able = replace(able, voice_languages=engine.voice_languages)
    if isinstance(engine, TakesInstructions):
        able = replace(able, voice_instructions=engine.most_instructions)
    if isinstance(engine, CallsFunctions):
        able = replace(able, calls_functions=engine.calls_functions)
    return able
