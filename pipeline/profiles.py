"""The profiles that a pipeline can be started with: a topology, its deployment file, its engines."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.capabilities import Limits
from pipeline.deployment_keys import EngineKeys
from pipeline.ears import Detector
from pipeline.engines.registry import ENGINES, EngineKind
from pipeline.engines.vllm_registry import VLLM_ENGINES
from pipeline.processors.aura import ROOM
from pipeline.processors.embedded import LIMITS
from pipeline.topologies.aura_omni import AURA_OMNI_PIPELINE
from pipeline.topologies.embedded import EMBEDDED_PIPELINE
from pipeline.topology import PipelineConfig

DEPLOY = Path(__file__).parent / "deploy"


@dataclass(frozen=True, slots=True)
class Profile:
    """Attributes:
    detector: Loads voice activity detection; what it returns makes one for each caller.
    limits: Of its prompts; None if they have room for every text.
    warms_up: A turn is made before the first caller comes.
    """

    topology: PipelineConfig
    deployment: Path
    engines: Mapping[str, EngineKind]
    detector: Callable[[], Callable[[], Detector]]
    limits: Limits | None = None
    warms_up: bool = False

    def engine_keys(self, models_dir: Path) -> Mapping[str, EngineKeys]:
        """What each engine may be told, by `model_arch`; the models are in that folder."""
        return {arch: kind.keys.naming(kind.names(models_dir)) for arch, kind in self.engines.items()}


def silero() -> Callable[[], Detector]:
    from pipeline.engines.silero import SileroModel

    return SileroModel()


EMBEDDED = "embedded"
PROFILES: Mapping[str, Profile] = {
    EMBEDDED: Profile(EMBEDDED_PIPELINE, DEPLOY / "embedded.yaml", ENGINES, silero, LIMITS),
    "vllm": Profile(AURA_OMNI_PIPELINE, DEPLOY / "aura_80gb.yaml", VLLM_ENGINES, silero, ROOM, warms_up=True),
}
