"""Opens a pipeline's engines in order, admits sessions, and closes everything again."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.deployment.loading import WHOLE, Deployment
from pipeline.engines.base import Engine
from pipeline.errors import AuraError
from pipeline.runtime.end_of_turn_model import end_of_turn_model
from pipeline.runtime.profiles import Profile
from pipeline.runtime.startup import OpenedEngines, open_engines
from pipeline.runtime.supervisor import Supervisor
from pipeline.runtime.warm_up import warm_up
from pipeline.speech.end_of_turn import EndOfTurnModel
from pipeline.speech.vad_frontend import Closeable, DetectorFactory
from pipeline.topology.config import PipelineConfig
from pipeline.turns.guarded import GuardedRecogniser
from pipeline.turns.input_processor import input_processor, without_inputs
from pipeline.turns.stage import Stage
from pipeline.turns.stages import PipelineStages

log = logging.getLogger(__name__)

RETRY_AFTER_S = 5
BUSY_S = 3.0  # that an engine may take to say how busy it is; a supervisor answers sooner


class NoFreeSession(AuraError):
    """Every session that the pipeline may serve at once is taken."""


class Orchestrator:
    """A running pipeline.

    Attributes:
        stages: What every session answers with.
        detector: Makes voice activity detection for one caller.
        end_model: Hears whether a caller has finished; None: turns end by silence and words alone.
        capabilities: What its callers may ask for.
        start_seconds: That each engine took to start.
        missing: Why optional stages have no engine, by their names.
    """

    def __init__(
        self,
        opened: OpenedEngines,
        stages: PipelineStages,
        detector: DetectorFactory,
        max_sessions: int,
        end_model: EndOfTurnModel | None = None,
    ) -> None:
        self.stages = stages
        self.capabilities = opened.capabilities
        self.start_seconds = opened.seconds
        self.missing = opened.missing
        self.detector = detector
        self.end_model = end_model
        self.max_sessions = max_sessions
        self._engines = opened.engines
        self._sessions: set[object] = set()

    @property
    def free_sessions(self) -> int:
        return self.max_sessions - len(self._sessions)

    @property
    def away(self) -> list[str]:
        """The stages whose engines are being started again, of those that no answer can do without."""
        missed = {stage.spec.model_stage for stage in self.stages.chain if stage.spec.is_optional}
        return [name for name, engine in self._supervised() if not engine.is_up and name not in missed]

    @property
    def restarts(self) -> dict[str, int]:
        """How often the engine of each stage was started again, of those that can be."""
        return {name: engine.restarts for name, engine in self._supervised()}

    @contextmanager
    def admitted(self) -> Iterator[Callable[[], None]]:
        """A place for one session. Calling what it gives frees the place before the session has quite ended.

        Raises:
            NoFreeSession: There is none.
        """
        if self.free_sessions < 1:
            raise NoFreeSession(f"all {self.max_sessions} sessions are taken")
        place = object()
        self._sessions.add(place)
        try:
            yield partial(self._sessions.discard, place)
        finally:
            self._sessions.discard(place)

    async def busy(self) -> dict[str, int]:
        """Requests that each engine computes now, asked of the engines."""
        return {name: await _busy(name, engine) for name, engine in self._engines.items()}

    def _supervised(self) -> Iterator[tuple[str, Supervisor]]:
        return ((name, engine) for name, engine in self._engines.items() if isinstance(engine, Supervisor))


async def _busy(name: str, engine: Engine[Any, Any]) -> int:
    """What it says; 1 if it fails or does not answer soon: whoever asks for readiness or figures is told the others."""
    try:
        async with asyncio.timeout(BUSY_S):
            return int(await engine.busy())
    except Exception:
        log.warning("it cannot be told how busy %s is", name, exc_info=True)
        return 1


@asynccontextmanager
async def running(profile: Profile, deployment: Deployment, models_dir: Path) -> AsyncGenerator[Orchestrator, None]:
    """The pipeline with its engines open.

    Raises:
        ConfigError: A model is missing or unusable.
        EngineError: An engine did not start, or failed in the first turn.
    """
    clock = asyncio.get_running_loop().time
    async with AsyncExitStack() as closing:
        ready = await open_engines(profile, deployment, models_dir, closing)
        topology = profile.topology
        asked = [stage for source, stage in topology.edges if source.is_recogniser]
        stages = PipelineStages(
            recogniser_of(topology, ready.engines),
            chain_of(topology, deployment, ready.engines),
            all(deployment.stage(each.stage_id).edge.window_size != WHOLE for each in asked),
            profile.window,
            early_answer_ms=deployment.early_answer_ms,
            answers_sound=topology.answers_sound,
        )
        if profile.warms_up:
            began = clock()
            await warm_up(stages)
            log.info("warm after %.1f s", clock() - began)
        detector: DetectorFactory = profile.detector()
        if isinstance(detector, Closeable):
            closing.push_async_callback(detector.aclose)
        if end_model := end_of_turn_model(models_dir):
            closing.push_async_callback(end_model.aclose)
        yield Orchestrator(ready, stages, detector, deployment.max_sessions, end_model)


def recogniser_of(topology: PipelineConfig, engines: Mapping[str, Engine[Any, Any]]) -> Engine[Any, Any] | None:
    """The engine that hears, if the topology has one and it is open."""
    spec = topology.recogniser
    engine = engines.get(spec.model_stage) if spec else None
    return GuardedRecogniser(spec, engine) if spec and engine else None


def chain_of(
    topology: PipelineConfig, deployment: Deployment, engines: Mapping[str, Engine[Any, Any]]
) -> tuple[Stage[Any, Any], ...]:
    """The stages that answer whose engines are open, joined as the deployment says.

    Raises:
        ConfigError: Two stages cannot be joined so.
    """
    chain, by_id = [], {spec.stage_id: spec for spec in topology.stages}
    for spec in topology.stages:
        engine = engines.get(spec.model_stage)
        if engine is None or spec.is_recogniser:
            continue
        sources = [by_id[source] for source in spec.input_sources]
        process = input_processor(sources[0] if sources else None, spec, deployment.stage(spec.stage_id).edge)
        missing = [at for at, each in enumerate(sources) if each.is_optional and each.model_stage not in engines]
        readers = [stage for source, stage in topology.edges if source is spec]
        bounds = [deployment.stage(reader.stage_id).edge.max_inflight for reader in readers]
        chain.append(Stage(spec, engine, without_inputs(process, missing), min(bounds, default=1)))
    return tuple(chain)
