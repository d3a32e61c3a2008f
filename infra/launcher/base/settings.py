"""What a person asked of the launcher, as frozen values; `cli.arguments` reads them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from infra.launcher.base.layout import Layout

EMBEDDED, VLLM, OMNI = SHIPPED_PROFILES = ("embedded", "vllm", "qwen3_omni")
EMBEDDED_CHAT = "embedded-chat"  # what `aura-pipeline` makes of the first where a server writes
ON_GPUS = (VLLM, OMNI)


@dataclass(frozen=True, slots=True)
class OnGpus:
    """What a profile on GPUs, or that of a package which runs on vLLM, is told beside.

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
class ForOthers:
    """Other devices are served, too.

    Attributes:
        host: The name or address by which they know this machine.
        address: Where they find it: what the host resolves to.
        listens_on: The address of this machine on which it listens; another one only behind NAT.
        certificate, key: Somebody's own; None: a local authority makes them.
        acme: The address of mail by which a public authority is asked for them; empty: none is.
        password: One is made for whoever wants to call, unless there is one.
        stun: Servers, as `host:port`, that browsers ask for their own address; none: they ask nobody.
    """

    host: str
    address: str
    listens_on: str
    certificate: Path | None = None
    key: Path | None = None
    password: bool = False
    stun: tuple[str, ...] = ()
    acme: str = ""

    def options(self) -> dict[str, str]:
        """As they were given."""
        given = {"--cert": self.certificate, "--key": self.key}
        listens = {"--listen": self.listens_on} if self.listens_on != self.address else {}
        flags = {"--password": ""} if self.password else {}
        acme = {"--acme": self.acme} if self.acme else {}
        stun = {"AURA_LIVEKIT_STUN": ",".join(self.stun)} if self.stun else {}
        return {
            "--host": self.host,
            **listens,
            **flags,
            **stun,
            **acme,
            **{name: str(path) for name, path in given.items() if path},
        }


@dataclass(frozen=True, slots=True)
class CellOptions:
    """How a stack is one of several.

    Attributes:
        host: The address of this machine at which its pipeline listens.
        drain_s: How long running calls may go on when it is to end.
        redis: `HOST:PORT` of the Redis by which several LiveKit servers are one; empty: there is one.
        redis_password: Its password, if it has one.
        ray: The address of the Ray cluster on which its pipelines run; empty: one runs here.
    """

    host: str = "127.0.0.1"
    drain_s: int = 0
    redis: str = ""
    redis_password: str = field(default="", repr=False)
    ray: str = ""


ALONE = CellOptions()


@dataclass(frozen=True, slots=True)
class PhoneOptions:
    """Phone calls are taken, too.

    Attributes:
        host: The name or address that phones dial.
        address: Where they find it.
        listens_on: The address of this machine on which the bridge listens; another one only behind NAT.
        tls: It listens for TLS, too, with the certificate that other devices are shown.
        encryption: `require`, `allow` or `none`: whether calls are encrypted, their sound by SRTP.
        addresses: Where calls may come from, with commas between them.
        carrier_root: Certificates of who vouches for the carrier, PEM; None: whom this machine trusts.
    """

    host: str = "127.0.0.1"
    address: str = "127.0.0.1"
    listens_on: str = "127.0.0.1"
    tls: bool = False
    encryption: str = "none"
    addresses: str = "127.0.0.1/32"
    carrier_root: Path | None = None

    def environ(self) -> dict[str, str]:
        """What the agent and the trunks are told. On this machine alone nothing is: whoever rings up a carrier over
        TLS from here has not said that the sound may be in the clear."""
        told = {"AURA_SIP_ENCRYPTION": self.encryption} if self.tls else {}
        return {"AURA_SIP_ADDRESSES": self.addresses, **told}


@dataclass(frozen=True, slots=True)
class LauncherSettings:
    """One call of `infra/up`, `infra/down` or `infra/test`.

    Attributes:
        ports: Ports that were asked for, by the field names of `Ports`.
        asked: What was asked for of all that a running stack may have been started with, by option or variable.
        on_gpus: What else a profile on GPUs needs.
        deployment: Of a package's pipeline that needs none of that; None: its own.
        phone: How phone calls are taken; None: they are not.
        for_others: How other devices are served; None: they are not.
        join: The LiveKit server of the installation that this machine is a cell of; empty: it has its own.
        cell: How it is one of several.
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
    phone: PhoneOptions | None = None
    on_gpus: OnGpus | None = None
    deployment: Path | None = None
    for_others: ForOthers | None = None
    join: str = ""
    cell: CellOptions = ALONE
    rest: tuple[str, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict)
