"""The environment, read once: what a worker, the web server and the console each need."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

GRACE_S = 60  # livekit-server keeps an empty room for longer: `departure_timeout` in infra/livekit/livekit.yaml


class SettingsError(Exception):
    """The environment cannot be used.

    Attributes:
        faults: One sentence per fault.
    """

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(f"environment: {fault}" for fault in faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """Where the pipeline is, and the key that it asks for."""

    url: str
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class LiveKitSettings:
    """Where the LiveKit server is, its key pair, and the name that dispatches our agent."""

    url: str
    api_key: str
    api_secret: str = field(repr=False)
    agent_name: str


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """A worker: takes rooms from the LiveKit server, one process each.

    Attributes:
        port: Of its health check on 127.0.0.1; 0 chooses one.
        idle_processes: Kept warm, so that a caller does not wait for one to start.
        max_jobs: Calls at which it reports itself fully loaded. It takes more if no other worker is there.
        drain_s: How long running calls may go on after SIGTERM.
        grace_s: How long a call waits for its person to come back.
    """

    pipeline: PipelineSettings
    livekit: LiveKitSettings
    port: int
    idle_processes: int
    max_jobs: int
    drain_s: int
    grace_s: int


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The web server: hands out tokens, and asks the pipeline whether a place is free.

    Attributes:
        patience_s: How long it waits for a place that is just being given back.
    """

    pipeline_url: str
    livekit: LiveKitSettings
    patience_s: float = 2.0


def worker_settings(environ: Mapping[str, str]) -> WorkerSettings:
    """Raises SettingsError, naming every variable that is missing or wrong."""
    reader = _Reader(environ)
    settings = WorkerSettings(
        pipeline=_pipeline(reader),
        livekit=_livekit(reader),
        port=reader.number("AURA_AGENT_PORT", 0, low=0, high=65_535),
        idle_processes=reader.number("AURA_AGENT_IDLE_PROCESSES", 2, low=0, high=16),
        max_jobs=reader.number("AURA_AGENT_MAX_JOBS", 8, low=1, high=1_000),
        drain_s=reader.number("AURA_AGENT_DRAIN_S", 0, low=0, high=86_400),
        grace_s=reader.number("AURA_AGENT_GRACE_S", GRACE_S, low=0, high=3_600),
    )
    reader.check()
    return settings


def web_settings(environ: Mapping[str, str]) -> WebSettings:
    """Raises SettingsError, naming every variable that is missing or wrong."""
    reader = _Reader(environ)
    settings = WebSettings(reader.url("AURA_PIPELINE_URL", "http", "https"), _livekit(reader))
    reader.check()
    return settings


def console_settings(environ: Mapping[str, str]) -> PipelineSettings:
    """The pipeline named by the environment, or else the one that runs in this checkout.

    Raises:
        SettingsError: Nothing is named and nothing runs, or what is named is wrong.
    """
    if not ({"AURA_PIPELINE_URL", "AURA_PIPELINE_KEY"} & environ.keys()):
        home = Path(environ.get("AURA_HOME") or Path(__file__).parent.parent / ".aura")
        environ = {**environ, **running(home)}
    reader = _Reader(environ)
    settings = _pipeline(reader)
    reader.check()
    return settings


def running(home: Path) -> dict[str, str]:
    """The environment of the installation that runs in `home`, from its `run.json` and `env`.

    Raises:
        SettingsError: Nothing runs there.
    """
    try:
        run = msgspec.json.decode((home / "run.json").read_bytes(), type=dict[str, object])
        lines = (home / "env").read_text().splitlines()
    except (OSError, msgspec.MsgspecError) as error:
        fault = "nothing runs here: start it with infra/up, or set AURA_PIPELINE_URL and AURA_PIPELINE_KEY"
        raise SettingsError([fault]) from error
    pairs = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    return {**pairs, "AURA_PIPELINE_URL": str(run.get("pipeline_url", ""))}


def _pipeline(reader: "_Reader") -> PipelineSettings:
    return PipelineSettings(reader.url("AURA_PIPELINE_URL", "http", "https"), reader.text("AURA_PIPELINE_KEY"))


def _livekit(reader: "_Reader") -> LiveKitSettings:
    return LiveKitSettings(
        url=reader.url("LIVEKIT_URL", "ws", "wss"),
        api_key=reader.text("LIVEKIT_API_KEY"),
        api_secret=reader.text("LIVEKIT_API_SECRET"),
        agent_name=reader.text("AURA_AGENT_NAME"),
    )


class _Reader:
    """Reads variables, and remembers every fault instead of stopping at the first."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._faults: list[str] = []

    def text(self, name: str) -> str:
        value = self._environ.get(name, "").strip()
        if not value:
            self._faults.append(f"{name} is not set")
        return value

    def url(self, name: str, *schemes: str) -> str:
        value = self.text(name)
        if value and (urlsplit(value).scheme not in schemes or not urlsplit(value).netloc):
            self._faults.append(f"{name} must begin with {' or '.join(f'{scheme}://' for scheme in schemes)}")
        return value.rstrip("/")

    def number(self, name: str, default: int, *, low: int, high: int) -> int:
        value = self._environ.get(name, "").strip() or str(default)
        if not value.isdecimal() or not low <= int(value) <= high:
            self._faults.append(f"{name} must be a number from {low} to {high}")
            return default
        return int(value)

    def check(self) -> None:
        if self._faults:
            raise SettingsError(list(dict.fromkeys(self._faults)))
