"""The profiles that a pipeline can be started with: a topology, its deployment file, its engines."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.context.window import WindowLimits
from pipeline.deployment.loading import model_type_in
from pipeline.deployment.schema import EngineKeys, choice
from pipeline.errors import ConfigError
from pipeline.registry.entry_registry import EntryRegistry
from pipeline.registry.shipped import PIPELINES as SHIPPED
from pipeline.runtime.checks.wiring import wiring_faults
from pipeline.runtime.engine_registry import EngineKind
from pipeline.speech.vad_frontend import DetectorFactory
from pipeline.topology.config import PipelineConfig
from pipeline.types.capabilities import PromptLimits

DEPLOY = Path(__file__).parents[1] / "deployment" / "files"


def silero() -> DetectorFactory:
    from pipeline.engines.silero.vad import SileroModel

    return SileroModel()


@dataclass(frozen=True, slots=True)
class ModelNeed:
    """A file or a folder that a pipeline wants in the folder of the models, whatever its deployment says.

    Attributes:
        path: From there.
        source: In words, where it can be had.
    """

    path: str
    source: str


@dataclass(frozen=True, slots=True)
class Profile:
    """A pipeline that can be started: its topology, and an engine for each of its stages.

    Attributes:
        engines: By `model_arch`, those of its stages: `engines_of(topology)` finds them.
        detector: Loads voice activity detection; what it returns makes one for each caller.
        limits: What its prompts have room for; None: every text.
        warms_up: A turn is made before the first caller comes.
        answers_from: The host of the server that writes the answers; empty: the engines do.
        window: What is remembered of a conversation for the model that sees or hears.
        needs: What is looked for before an engine starts, beside what each engine's own check looks for.

    Raises:
        ConfigError: Lists each stage that its engine could not serve as the topology says.
    """

    topology: PipelineConfig
    deployment: Path
    engines: Mapping[str, EngineKind]
    detector: Callable[[], DetectorFactory] = silero
    limits: PromptLimits | None = None
    warms_up: bool = False
    answers_from: str = ""
    window: WindowLimits = field(default_factory=WindowLimits)
    needs: tuple[ModelNeed, ...] = ()

    def __post_init__(self) -> None:
        if faults := list(wiring_faults(self.topology, self.engines)):
            raise ConfigError(f"profile of {self.topology.model_type}", faults)

    def engine_keys(self, models_dir: Path) -> Mapping[str, EngineKeys]:
        """What each engine may be told, by `model_arch`; the models are in that folder.

        Raises:
            ConfigError: An engine cannot say it.
        """
        return {arch: _keys(arch, kind, models_dir) for arch, kind in self.engines.items()}


def _keys(arch: str, kind: EngineKind, models_dir: Path) -> EngineKeys:
    try:
        return kind.keys.naming(kind.names(models_dir))
    except Exception as error:  # names of somebody else's may fail in any way
        fault = f"`names` of {arch} failed: {type(error).__name__}: {error}"
        raise ConfigError(f"engines in {models_dir}", [fault]) from error


EMBEDDED, EMBEDDED_CHAT = "embedded", "embedded-chat"
PROFILES: EntryRegistry[Profile] = EntryRegistry("aura.pipelines", Profile, SHIPPED)


def profile_of(file: Path, profiles: EntryRegistry[Profile] = PROFILES) -> str:
    """The name of the profile that runs the pipeline which a deployment file names.

    Raises:
        ConfigError: It cannot be read, names none, or one that is not there.
    """
    model_type = model_type_in(file)
    try:
        if model_type is not None:
            return profile_for(model_type, profiles)
        known = dict.fromkeys(profile.topology.model_type for profile in profiles.sound()[0].values())
        fault = f"`model_type` is needed: it names the pipeline (known: {', '.join(known)})"
        raise ConfigError("", [fault])
    except ConfigError as error:
        raise ConfigError(str(file), error.faults) from error


def profile_for(model_type: str, profiles: EntryRegistry[Profile] = PROFILES) -> str:
    """The name of the profile that runs a pipeline.

    Args:
        model_type: As a deployment file names it.

    Raises:
        ConfigError: There is none, or more than one.
    """
    sound, faults = profiles.sound()
    names = [name for name, profile in sound.items() if profile.topology.model_type == model_type]
    if len(names) > 1:
        raise ConfigError("", [f"`model_type` is {model_type!r}: that of the profiles {', '.join(names)}"])
    if names:
        return names[0]
    known = dict.fromkeys(profile.topology.model_type for profile in sound.values())
    refusal = choice(*known).refusal(model_type)
    there = f"{refusal} (known: {', '.join(known)})" if "did you mean" in refusal else refusal
    raise ConfigError("", [f"`model_type` is {model_type!r}: {there}", *faults])
