"""The profiles that a pipeline can be started with: a topology, its deployment file, its engines."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.deployment.schema import SAMPLING_KEYS, EngineKeys
from pipeline.deployment.values import key_faults
from pipeline.errors import ConfigError
from pipeline.runtime.engine_registry import ENGINES, EngineKind
from pipeline.runtime.vllm_engine_registry import VLLM_ENGINES
from pipeline.speech.vad_frontend import DetectorFactory
from pipeline.topology.aura_omni import AURA_OMNI_PIPELINE
from pipeline.topology.config import PipelineConfig, StagePipelineConfig
from pipeline.topology.embedded import EMBEDDED_PIPELINE
from pipeline.topology.processors.aura import ROOM
from pipeline.topology.processors.embedded import LIMITS
from pipeline.types.capabilities import PromptLimits

DEPLOY = Path(__file__).parents[1] / "deployment" / "files"


@dataclass(frozen=True, slots=True)
class Profile:
    """A pipeline that can be started: its topology, and an engine for each of its stages.

    Attributes:
        detector: Loads voice activity detection; what it returns makes one for each caller.
        limits: Of its prompts; None if they have room for every text.
        warms_up: A turn is made before the first caller comes.

    Raises:
        ConfigError: Lists each stage that its engine could not serve as the topology says.
    """

    topology: PipelineConfig
    deployment: Path
    engines: Mapping[str, EngineKind]
    detector: Callable[[], DetectorFactory]
    limits: PromptLimits | None = None
    warms_up: bool = False

    def __post_init__(self) -> None:
        if faults := [fault for stage in self.topology.stages for fault in _faults(stage, self.engines)]:
            raise ConfigError(f"profile of {self.topology.model_type}", faults)

    def engine_keys(self, models_dir: Path) -> Mapping[str, EngineKeys]:
        """What each engine may be told, by `model_arch`; the models are in that folder."""
        return {arch: kind.keys.naming(kind.names(models_dir)) for arch, kind in self.engines.items()}


def _faults(stage: StagePipelineConfig, engines: Mapping[str, EngineKind]) -> Iterator[str]:
    here = f"stage {stage.stage_id} ({stage.model_stage}): "
    kind = engines.get(stage.model_arch)
    if kind is None:
        yield f"{here}no engine serves `{stage.model_arch}` (known: {', '.join(engines)})"
    elif stage.execution_type is not (computes := kind.keys.execution):
        yield f"{here}execution_type is {stage.execution_type}, and the engine of {stage.model_arch} is {computes}"
    yield from key_faults(f"{here}sampling_constraints: ", dict(stage.sampling_constraints), SAMPLING_KEYS)


def silero() -> DetectorFactory:
    from pipeline.engines.silero.vad import SileroModel

    return SileroModel()


EMBEDDED = "embedded"
PROFILES: Mapping[str, Profile] = {
    EMBEDDED: Profile(EMBEDDED_PIPELINE, DEPLOY / "embedded.yaml", ENGINES, silero, LIMITS),
    "vllm": Profile(AURA_OMNI_PIPELINE, DEPLOY / "aura_80gb.yaml", VLLM_ENGINES, silero, ROOM, warms_up=True),
}
