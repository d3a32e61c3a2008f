"""The profiles that a pipeline can be started with: a topology, its deployment file, its engines."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.context.window import WindowLimits
from pipeline.deployment.schema import EngineKeys
from pipeline.engines.chat_completions.endpoint import ChatEndpoint
from pipeline.errors import ConfigError
from pipeline.runtime.engine_registry import ENGINES, EngineKind, chat_engines
from pipeline.runtime.vllm_engine_registry import VLLM_ENGINES
from pipeline.runtime.wiring import wiring_faults
from pipeline.speech.vad_frontend import DetectorFactory
from pipeline.topology.aura_omni import AURA_OMNI_PIPELINE
from pipeline.topology.config import PipelineConfig
from pipeline.topology.embedded import EMBEDDED_CHAT_PIPELINE, EMBEDDED_PIPELINE
from pipeline.topology.processors import chat, embedded
from pipeline.topology.processors.aura import ROOM
from pipeline.types.capabilities import PromptLimits

DEPLOY = Path(__file__).parents[1] / "deployment" / "files"


@dataclass(frozen=True, slots=True)
class Profile:
    """A pipeline that can be started: its topology, and an engine for each of its stages.

    Attributes:
        detector: Loads voice activity detection; what it returns makes one for each caller.
        limits: What its prompts have room for; None: every text.
        warms_up: A turn is made before the first caller comes.
        answers_from: The host of the server that writes the answers; empty: the engines do.
        window: What is remembered of a conversation for the model that sees.

    Raises:
        ConfigError: Lists each stage that its engine could not serve as the topology says.
    """

    topology: PipelineConfig
    deployment: Path
    engines: Mapping[str, EngineKind]
    detector: Callable[[], DetectorFactory]
    limits: PromptLimits | None = None
    warms_up: bool = False
    answers_from: str = ""
    window: WindowLimits = field(default_factory=WindowLimits)

    def __post_init__(self) -> None:
        if faults := list(wiring_faults(self.topology, self.engines)):
            raise ConfigError(f"profile of {self.topology.model_type}", faults)

    def engine_keys(self, models_dir: Path) -> Mapping[str, EngineKeys]:
        """What each engine may be told, by `model_arch`; the models are in that folder."""
        return {arch: kind.keys.naming(kind.names(models_dir)) for arch, kind in self.engines.items()}


NEWEST = WindowLimits(keep_s=2, slack_s=2)  # where only the newest picture is looked at


def silero() -> DetectorFactory:
    from pipeline.engines.silero.vad import SileroModel

    return SileroModel()


def chat_profile(endpoint: ChatEndpoint) -> Profile:
    """The embedded profile with the language model of a server."""
    file = DEPLOY / "embedded_chat.yaml"
    host, engines = endpoint.host, chat_engines(endpoint)
    return Profile(EMBEDDED_CHAT_PIPELINE, file, engines, silero, chat.LIMITS, answers_from=host, window=NEWEST)


EMBEDDED, EMBEDDED_CHAT = "embedded", "embedded-chat"
PROFILES: Mapping[str, Profile] = {
    EMBEDDED: Profile(EMBEDDED_PIPELINE, DEPLOY / "embedded.yaml", ENGINES, silero, embedded.LIMITS, window=NEWEST),
    EMBEDDED_CHAT: chat_profile(ChatEndpoint()),
    "vllm": Profile(AURA_OMNI_PIPELINE, DEPLOY / "aura_80gb.yaml", VLLM_ENGINES, silero, ROOM, warms_up=True),
}
