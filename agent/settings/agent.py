"""The environment, read once: what a worker, the web server and the console each need."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Any

import msgspec

from agent.settings.access import ISSUER, PASSWORD, AccessSettings, access_settings
from agent.settings.brand import Brand, read_brand_file
from agent.settings.environment import EnvironmentReader, SettingsError
from agent.settings.outside import OutsideSettings, outside_settings
from agent.settings.persona import PersonaSettings, persona_settings
from agent.settings.phone import PhoneSettings, phone_settings
from agent.settings.records import RecordSettings, record_settings
from agent.settings.tools import ToolSettings, tool_settings
from pipeline.realtime.loopback import is_loopback

GRACE_S = 60  # livekit-server keeps an empty room for longer: `departure_timeout` in infra/livekit/livekit.yaml
REMARKS_PER_MINUTE = 4
DRAIN_S = 600  # infra/launcher/supervise/services.py sets its own
# Where the agent's name may stand: what LiveKit's platform forces upon any agent, ours, and what LiveKit's agents read.
NAMES = ("LIVEKIT_AGENT_NAME_OVERRIDE", "AURA_AGENT_NAME", "LIVEKIT_AGENT_NAME")


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """Where the pipeline is, and the key that it asks for."""

    url: str
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class LiveKitSettings:
    """Where the LiveKit server is, its key pair, and the name that dispatches our agent; empty: every room does."""

    url: str
    api_key: str
    api_secret: str = field(repr=False)
    agent_name: str


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """A worker: takes rooms from the LiveKit server, one process each.

    Attributes:
        port: Where its health check listens at `host`; 0 chooses a port.
        idle_processes: Kept warm, so that a caller does not wait for one to start.
        max_jobs: Calls at which it reports itself fully loaded. It takes more if no other worker is there.
        drain_s: How long running calls may go on after SIGTERM.
        grace_s: How long a call waits for its person to come back.
        jobs_on_disk: Where it writes down its jobs; None: nowhere.
        remarks_per_minute: Most that an agent says of its own accord; 0: nothing.
        tools: What it can do.
        records: Where and for how long calls are recorded; None: they are not.
        cells: Where the pipelines of all cells are; empty: this is the only one.
    """

    pipeline: PipelineSettings
    livekit: LiveKitSettings
    port: int
    idle_processes: int
    max_jobs: int
    drain_s: int
    grace_s: int
    phone: PhoneSettings
    jobs_on_disk: Path | None = None
    remarks_per_minute: int = REMARKS_PER_MINUTE
    persona: PersonaSettings = field(default_factory=PersonaSettings)
    host: str = "127.0.0.1"
    tools: ToolSettings = field(default_factory=ToolSettings)
    records: RecordSettings | None = None
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The web server: hands out tokens, and asks the pipeline whether a place is free.

    Attributes:
        patience_s: How long it waits for a place that is just being given back.
        hosts: The names at which the page may be opened, beside this address and those of this machine to itself.
        proxies: Where proxies stand that are believed when they say who asks; empty: nobody is.
        embed: The origins whose pages may show the page in a frame.
        brand: What the page looks like instead; None: as it was built.
        feedback: The file in which it keeps what people say of their calls; None: nowhere.
        pipeline_key: With which it has the pipeline speak samples of its voices; empty: it has none to offer.
        persona: Who the agent of this installation is, as far as the environment says.
        records: Where and for how long calls are recorded; None: they are not.
        access: What whoever asks for a call must show; None: nothing.
        outside: Where other devices reach the page; None: only this machine does.
        livekit_for_browsers: The LiveKit server's URL as the page reaches it; empty: as this server does.
        cells: Where the pipelines of all cells are; empty: there is one.
    """

    pipeline_url: str
    livekit: LiveKitSettings
    patience_s: float = 2.0
    listens_on: str = "127.0.0.1"
    hosts: frozenset[str] = frozenset()
    proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    embed: tuple[str, ...] = ()
    brand: Brand | None = None
    feedback: Path | None = None
    pipeline_key: str = field(default="", repr=False)
    persona: PersonaSettings = field(default_factory=PersonaSettings)
    records: RecordSettings | None = None
    access: AccessSettings | None = None
    outside: OutsideSettings | None = None
    livekit_for_browsers: str = ""

    @property
    def livekit_url_for_browsers(self) -> str:
        return self.livekit_for_browsers or self.livekit.url

    cells: tuple[str, ...] = ()


def worker_settings(environ: Mapping[str, str]) -> WorkerSettings:
    """Raises SettingsError, naming every variable that is missing or wrong."""
    reader = EnvironmentReader(environ)
    settings = WorkerSettings(
        pipeline=_pipeline(reader),
        livekit=livekit_settings(reader),
        port=reader.number("AURA_AGENT_PORT", 0, low=0, high=65_535),
        idle_processes=reader.number("AURA_AGENT_IDLE_PROCESSES", 2, low=0, high=16),
        max_jobs=reader.number("AURA_AGENT_MAX_JOBS", 8, low=1, high=1_000),
        drain_s=reader.number("AURA_AGENT_DRAIN_S", DRAIN_S, low=0, high=86_400),
        grace_s=reader.number("AURA_AGENT_GRACE_S", GRACE_S, low=0, high=3_600),
        phone=phone_settings(reader),
        jobs_on_disk=Path(jobs_on_disk) if (jobs_on_disk := reader.optional("AURA_AGENT_JOBS")) else None,
        remarks_per_minute=reader.number("AURA_AGENT_REMARKS_PER_MINUTE", REMARKS_PER_MINUTE, low=0, high=60),
        persona=persona_settings(reader),
        host=reader.optional("AURA_AGENT_HOST") or "127.0.0.1",
        tools=tool_settings(reader),
        records=record_settings(reader),
        cells=reader.urls("AURA_CELLS", "http", "https"),
    )
    reader.check()
    return settings


def web_settings(environ: Mapping[str, str], listens_on: str, *, anybody: bool = False) -> WebSettings:
    """What the web server is told.

    Args:
        anybody: Whoever reaches an address that is not this machine's own may call, and nobody is asked.

    Raises:
        SettingsError: Naming every variable that is missing or wrong.
    """
    reader = EnvironmentReader(environ)
    settings = WebSettings(
        reader.url("AURA_PIPELINE_URL", "http", "https"),
        livekit_settings(reader),
        listens_on=listens_on,
        hosts=reader.hosts("AURA_WEB_HOSTS"),
        proxies=reader.networks("AURA_WEB_PROXIES"),
        embed=reader.origins("AURA_WEB_EMBED"),
        brand=_brand(reader),
        feedback=Path(feedback) if (feedback := reader.optional("AURA_WEB_FEEDBACK")) else None,
        pipeline_key=reader.optional("AURA_PIPELINE_KEY"),
        persona=persona_settings(reader),
        records=record_settings(reader),
        access=access_settings(reader),
        outside=outside_settings(reader),
        cells=reader.urls("AURA_CELLS", "http", "https"),
    )
    if settings.outside and settings.access is None:
        reader.refuse(f"AURA_WEB_HOST lets others in: set {PASSWORD}, or {ISSUER}, so that they are asked who they are")
    if not is_loopback(listens_on):
        _check_open(reader, settings, anybody)
    reader.check()
    return settings


def _check_open(reader: EnvironmentReader, settings: WebSettings, anybody: bool) -> None:
    """Leave with the reader why the page must not listen at its address, which others may reach."""
    if settings.outside:
        reader.refuse(
            f"--host {settings.listens_on} would ask nobody who they are: AURA_WEB_HOST serves others, leave --host out"
        )
    elif settings.access is None and not anybody:
        reader.refuse(
            f"--host {settings.listens_on} lets others in: set {PASSWORD}, or {ISSUER}, so that they are asked who "
            "they are (by https, whose end is in front of it); --anybody if whoever reaches it may call"
        )


def _brand(reader: EnvironmentReader) -> Brand | None:
    if not (path := reader.optional("AURA_WEB_BRAND")):
        return None
    brand, faults = read_brand_file(Path(path).expanduser())
    reader.refuse(*(f"AURA_WEB_BRAND: {fault}" for fault in faults))
    return brand


def console_settings(environ: Mapping[str, str]) -> PipelineSettings:
    """The pipeline named by the environment, or else the one that runs in this checkout, by the key of the environment
    if it names one.

    Raises:
        SettingsError: Nothing is named and nothing runs, or what is named is wrong.
    """
    reader = EnvironmentReader(_with_running_pipeline(environ))
    settings = _pipeline(reader)
    reader.check()
    return settings


def console_tools(environ: Mapping[str, str]) -> ToolSettings:
    """What the agent can do in a conversation from a shell: by what the pipeline's stack was told, if that runs here.

    Raises:
        SettingsError: Naming every variable that is wrong; or no pipeline is named, and none runs.
    """
    reader = EnvironmentReader(_with_running_pipeline(environ))
    settings = tool_settings(reader)
    reader.check()
    return settings


def _with_running_pipeline(environ: Mapping[str, str]) -> Mapping[str, str]:
    """The environment if it names a pipeline, and else as `with_running`."""
    return environ if "AURA_PIPELINE_URL" in environ else {**running(_home(environ)), **environ}


def room_settings(environ: Mapping[str, str]) -> LiveKitSettings:
    """The LiveKit server named by the environment, or else that of the installation that runs in this checkout.

    Raises:
        SettingsError: Nothing is named and nothing runs, or what is named is wrong.
    """
    reader = EnvironmentReader(with_running(environ))
    settings = livekit_settings(reader)
    reader.check()
    return settings


def with_running(environ: Mapping[str, str]) -> Mapping[str, str]:
    """The environment if it names a LiveKit server, and else that of the installation that runs in this checkout,
    over which the environment goes.

    Raises:
        SettingsError: It names none, and nothing runs.
    """
    return environ if "LIVEKIT_URL" in environ else {**running(_home(environ)), **environ}


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("AURA_RUN_DIR") or environ.get("AURA_HOME") or Path(__file__).parents[2] / ".aura")


def running(home: Path) -> dict[str, str]:
    """The environment of the installation that runs in `home`, from its `run.json` and `env`: what it was told of
    phones counts, too.

    Raises:
        SettingsError: Nothing runs there.
    """
    try:
        run = msgspec.json.decode((home / "run.json").read_bytes(), type=dict[str, Any])
        lines = (home / "env").read_text().splitlines()
    except (OSError, msgspec.MsgspecError) as error:
        fault = "nothing runs here: start it with infra/up, or set AURA_PIPELINE_URL and AURA_PIPELINE_KEY"
        raise SettingsError([fault]) from error
    pairs = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    urls = {"AURA_PIPELINE_URL": "pipeline_url", "LIVEKIT_URL": "livekit_url"}
    options = run.get("options", {})
    told = {name: value for name, value in options.items() if name.startswith("AURA_SIP_")}
    if options.get("--profile", "embedded") == "embedded":
        told["AURA_BUILTIN_TOOLS"] = "none"  # as infra/up tells the agent of a small model
    return {**told, **pairs, **{name: str(run.get(key, "")) for name, key in urls.items()}}


def _pipeline(reader: EnvironmentReader) -> PipelineSettings:
    return PipelineSettings(reader.url("AURA_PIPELINE_URL", "http", "https"), reader.text("AURA_PIPELINE_KEY"))


def livekit_settings(reader: EnvironmentReader) -> LiveKitSettings:
    return LiveKitSettings(
        url=reader.url("LIVEKIT_URL", "ws", "wss"),
        api_key=reader.text("LIVEKIT_API_KEY"),
        api_secret=reader.text("LIVEKIT_API_SECRET"),
        agent_name=next(filter(None, map(reader.optional, NAMES)), ""),
    )
