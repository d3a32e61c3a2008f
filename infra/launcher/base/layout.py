"""Where things are: the sources, the state of this installation, the state of one running stack."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of one checkout.

    Attributes:
        root: The sources.
        home: What set-up makes and every stack of this checkout shares: tools, venv, binaries, models.
        run: What one running stack owns: keys, ports, logs, `run.json`. Usually the same folder as `home`.
    """

    root: Path
    home: Path
    run: Path

    @property
    def uv(self) -> Path:
        """In the launcher's own venv."""
        return self.home / "boot" / "bin" / "uv"

    @property
    def venv(self) -> Path:
        return self.home / "venv"

    @property
    def python(self) -> Path:
        """The Python that has both packages, `agent` and `pipeline`, installed."""
        return self.venv / "bin" / "python"

    @property
    def vllm_venv(self) -> Path:
        """The venv of the tests that need torch or vLLM."""
        return self.home / "vllm"

    @property
    def gpu_venv(self) -> Path:
        """The venv of the profile `vllm`."""
        return self.home / "gpu"

    @property
    def ray_venv(self) -> Path:
        """The venv of Ray Serve, which relays to cells."""
        return self.home / "ray"

    @property
    def deploy(self) -> Path:
        """The shipped deployments."""
        return self.root / "pipeline" / "deployment" / "files"

    @property
    def tools(self) -> Path:
        """Toolchains that came from wheels."""
        return self.home / "tools"

    def program(self, name: str) -> Path:
        """A server that set-up has built or found: `livekit-server`, `livekit-sip`, `redis-server`."""
        return self.home / "bin" / name

    @property
    def apology(self) -> Path:
        """What a caller hears whose call cannot be taken (WAV)."""
        return self.home / "phone" / "apology.wav"

    @property
    def models(self) -> Path:
        return self.home / "models"

    @property
    def frontend(self) -> Path:
        return self.root / "frontend"

    @property
    def page(self) -> Path:
        """The built page."""
        return self.frontend / "dist"

    @property
    def logs(self) -> Path:
        return self.run / "logs"

    @property
    def down(self) -> str:
        """The command that stops the stack of this folder."""
        return "infra/down" if self.run == self.home else f"infra/down --run-dir {self.run}"

    @property
    def env_file(self) -> Path:
        return self.run / "env"

    @property
    def run_file(self) -> Path:
        return self.run / "run.json"

    def requirements(self, name: str) -> Path:
        return self.root / "infra" / "requirements" / f"{name}.txt"

    def stamp(self, name: str) -> Path:
        return self.home / "stamps" / name

    @property
    def test_logs(self) -> Path:
        return self.home / "logs" / "tests"

    def setup_log(self, name: str) -> Path:
        return self.home / "logs" / "setup" / f"{name}.log"
