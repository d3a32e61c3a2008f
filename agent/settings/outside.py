"""Where other devices reach the page, by the environment: nowhere, unless a host is named."""

from dataclasses import dataclass
from pathlib import Path

from agent.settings.environment import EnvironmentReader

HTTPS = 443


@dataclass(frozen=True, slots=True)
class OutsideSettings:
    """The page is served to other devices, over TLS.

    Attributes:
        host: The name or address of the page's URL.
        listens_on: The address of this machine on which it listens.
        port: Of page, signalling and TURN.
        certificate, key: Files in PEM. They are read again when they change.
        root: The certificate of the local authority, which devices must be given; None: they trust it already.
        root_port: Where that is served, over http.
        turn_port: Where livekit-server takes TURN on loopback; 0: nowhere.
    """

    host: str
    listens_on: str
    port: int
    certificate: Path
    key: Path
    root: Path | None = None
    root_port: int = 0
    turn_port: int = 0

    @property
    def origin(self) -> str:
        """As browsers write it."""
        return f"https://{self.host}" + (f":{self.port}" if self.port != HTTPS else "")

    @property
    def root_address(self) -> str | None:
        """Where a device gets the certificate that it must trust first."""
        if self.root is None:
            return None
        return f"http://{self.host}" + (f":{self.root_port}" if self.root_port != 80 else "") + "/"


def outside_settings(reader: EnvironmentReader) -> OutsideSettings | None:
    """What the variables say, None if only this machine is served; every fault is left with the reader."""
    if not (host := reader.optional("AURA_WEB_HOST")):
        return None
    root = reader.optional("AURA_WEB_ROOT")
    return OutsideSettings(
        host=host.lower(),
        listens_on=reader.optional("AURA_WEB_LISTEN") or host,
        port=reader.number("AURA_TLS_PORT", HTTPS, low=0, high=65_535),
        certificate=Path(reader.text("AURA_WEB_CERT")),
        key=Path(reader.text("AURA_WEB_KEY")),
        root=Path(root) if root else None,
        root_port=reader.number("AURA_TRUST_PORT", 80, low=0, high=65_535),
        turn_port=reader.number("AURA_TURN_PORT", 0, low=0, high=65_535),
    )
