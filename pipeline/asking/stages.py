"""The stages that a question needs, opened as `serve` does, and one turn through them."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from pipeline.aio.tasks import first
from pipeline.context.window import WindowLimits
from pipeline.deployment.loading import StageDeployment, read_deployment
from pipeline.engines.base import Engine
from pipeline.engines.vllm.placement import has_gpu
from pipeline.runtime.orchestrator import chain_of, recogniser_of
from pipeline.runtime.profiles import Profile
from pipeline.runtime.startup import open_engines
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stage import Stage
from pipeline.turns.stages import PipelineStages
from pipeline.turns.turn import chain
from pipeline.types.chunks import AsrInput, Transcript, TurnId
from pipeline.types.turn_request import ResponseOptions, TurnRequest

SHARED = "gpu_memory_utilization"  # where others compute on the GPU, too


@dataclass(frozen=True, slots=True)
class OfflineStages:
    """Holds the stages that a command has open.

    Attributes:
        recogniser: None: nothing is heard.
        prefill: The stages that see a question which is still growing; none: they wait for its end.
        answer: The stages that answer it.
        limits: What a model that sees remembers.
        seconds: That each stage took to start, by its name.
        hears: Who answers hears a question in sound itself.
    """

    recogniser: Engine[AsrInput, Transcript] | None = None
    prefill: tuple[Stage[Any, Any], ...] = ()
    answer: tuple[Stage[Any, Any], ...] = ()
    limits: WindowLimits = field(default_factory=WindowLimits)
    seconds: Mapping[str, float] = field(default_factory=dict)
    hears: bool = False

    @classmethod
    def of(cls, stages: PipelineStages) -> Self:
        """Takes all stages of a pipeline, which answers aloud."""
        prefill = stages.route(ResponseOptions(max_tokens=0))
        return cls(stages.recogniser, prefill, stages.route(ResponseOptions()), stages.limits, hears=stages.hears)


@asynccontextmanager
async def some_stages(
    profile: Profile, models_dir: Path, told: Mapping[str, Mapping[str, Any]], sampling: Mapping[str, Any] | None = None
) -> AsyncGenerator[OfflineStages, None]:
    """Opens a few stages of a profile, for one caller at a time.

    Args:
        told: By the names of the stages, what their engines are told beside what the profile's own file says.
        sampling: What differs of how the file has them draw tokens; None: all is as their checkpoint says.

    Raises:
        ConfigError: A model is missing or unusable.
        EngineError: An engine did not start.
    """
    deployment = read_deployment(profile.deployment, profile.topology, profile.engine_keys(models_dir))
    specs = profile.topology.stages
    stages = [_for_one(deployment.stage(each.stage_id), told.get(each.model_stage, {}), sampling) for each in specs]
    deployment = replace(deployment, max_sessions=1, stages=tuple(stages))
    async with AsyncExitStack() as closing:
        ready = await open_engines(profile, deployment, models_dir, closing, told)
        joined = chain_of(profile.topology, deployment, ready.engines)
        yield OfflineStages(recogniser_of(profile.topology, ready.engines), joined, joined, seconds=ready.seconds)


def _for_one(stage: StageDeployment, told: Mapping[str, Any], sampling: Mapping[str, Any] | None) -> StageDeployment:
    args = {name: value for name, value in stage.engine_args.items() if name != SHARED}
    drawn = {} if sampling is None else {**stage.sampling, **sampling}
    return replace(stage, max_batch_size=1, engine_args={**args, **told}, sampling=drawn)


def checkpoint_args(command: str, model: Path, dtype: str | None, **on_cpu: Any) -> dict[str, Any]:
    """Returns what an engine of vLLM's is told of its checkpoint on this machine.

    Args:
        dtype: Of the weights; None: what suits the machine.
        on_cpu: More that it is told where there is no GPU.

    Raises:
        ConfigError: torch is not installed.
    """
    gpu = has_gpu(command)
    return {"model": model.name, "dtype": dtype or ("bfloat16" if gpu else "float32"), **({} if gpu else on_cpu)}


class OfflineOutput(SpeculativeOutput):
    """Hands on each chunk as it is made: offline, every turn is certain from its beginning."""

    def __init__(self, emit: Callable[[object], None]) -> None:
        super().__init__(0)
        self._emit = emit

    async def send(self, chunk: object) -> None:
        self._emit(chunk)


async def run_offline(
    turn: TurnId, request: TurnRequest, stages: tuple[Stage[Any, Any], ...], emit: Callable[[object], None]
) -> None:
    """Runs one turn through stages.

    Args:
        emit: Is given each `TextChunk` and `AudioChunk` of the answer.

    Raises:
        EngineError: A stage failed.
    """
    output = OfflineOutput(emit)
    try:
        await chain(turn, request, stages, output)
    except ExceptionGroup as failures:  # of `emit`
        raise first(failures) from None
    if output.error:
        raise output.error


def ignore(chunk: object) -> None:
    """Takes a chunk that is of no interest."""
