"""What a person asked of the launcher, as frozen values; `cli.arguments` reads them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from infra.launcher.base.layout import Layout

EMBEDDED, VLLM = SHIPPED_PROFILES = ("embedded", "vllm")


@dataclass(frozen=True, slots=True)
class OnGpus:
    """What the profile `vllm`, or that of a package which runs on vLLM, is told beside.

    Attributes:
        models: Holds a folder for each checkpoint.
        deployment: None: the shipped one that fits, or the package's own.
        venv: Somebody's own, which has vLLM and AURA; None: one is made, for NVIDIA's GPUs.
    """

    models: Path
    deployment: Path | None = None
    venv: Path | None = None

    def options(self) -> dict[str, str]:
        """As they were given."""
        given = {"--model-dir": self.models, "--stage-configs-path": self.deployment, "--vllm-venv": self.venv}
        return {name: str(path) for name, path in given.items() if path}

    def venv_in(self, layout: Layout) -> Path:
        """Where the pipeline runs."""
        return self.venv or layout.gpu_venv


@dataclass(frozen=True, slots=True)
class LauncherSettings:
    """One call of `infra/up`, `infra/down` or `infra/test`.

    Attributes:
        ports: Ports that were asked for, by the field names of `Ports`.
        asked: What was asked for of all that a running stack may have been started with, by option or variable.
        on_gpus: What else the profile `vllm` needs.
        rest: Arguments for pytest.
    """

    verb: str
    layout: Layout
    environ: Mapping[str, str]
    ports: Mapping[str, int]
    ci: bool
    profile: str = EMBEDDED
    max_sessions: int | None = None
    detach: bool = False
    hub: bool = False
    phone: bool = False
    on_gpus: OnGpus | None = None
    rest: tuple[str, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict)
