"""The profiles that a pipeline can be started with: a topology, its deployment file, its engines."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.deployment.schema import EngineKeys
from pipeline.errors import ConfigError
from pipeline.runtime.engine_registry import ENGINES, EngineKind
from pipeline.runtime.vllm_engine_registry import VLLM_ENGINES
from pipeline.runtime.wiring import wiring_faults
from pipeline.speech.vad_frontend import DetectorFactory
from pipeline.topology.aura_omni import AURA_OMNI_PIPELINE
from pipeline.topology.config import PipelineConfig
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
        limits: What its prompts have room for; None: every text.
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
        if faults := list(wiring_faults(self.topology, self.engines)):
            raise ConfigError(f"profile of {self.topology.model_type}", faults)

    def engine_keys(self, models_dir: Path) -> Mapping[str, EngineKeys]:
        """What each engine may be told, by `model_arch`; the models are in that folder."""
        return {arch: kind.keys.naming(kind.names(models_dir)) for arch, kind in self.engines.items()}


def silero() -> DetectorFactory:
    from pipeline.engines.silero.vad import SileroModel

    return SileroModel()


EMBEDDED = "embedded"
PROFILES: Mapping[str, Profile] = {
    EMBEDDED: Profile(EMBEDDED_PIPELINE, DEPLOY / "embedded.yaml", ENGINES, silero, LIMITS),
    "vllm": Profile(AURA_OMNI_PIPELINE, DEPLOY / "aura_80gb.yaml", VLLM_ENGINES, silero, ROOM, warms_up=True),
}
