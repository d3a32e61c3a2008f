"""Who may call the agent, and how it rings up others, by the environment."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agent.settings.agent import LiveKitSettings, livekit_settings
from agent.settings.environment import EnvironmentReader
from agent.settings.phone import LONGEST_S, Encryption, phone_settings, sip_encryption

NUMBER = "100"  # infra/launcher/supervise/phone_services.py says the same to whoever runs the stack
CARRIER = re.compile(r"(?P<host>[\w.-]+(?::\d{1,5})?)(?:;transport=(?P<transport>udp|tcp|tls))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class TrunkSettings:
    """Who may call.

    Attributes:
        numbers: The numbers that reach the agent.
        addresses: Where calls may come from, as addresses or networks.
        encryption: Of the sound, by SRTP; and with `require` calls come over TLS.
    """

    livekit: LiveKitSettings
    numbers: tuple[str, ...]
    addresses: tuple[str, ...]
    user: str
    password: str = field(repr=False)
    longest_s: int = LONGEST_S
    encryption: Encryption = "none"


@dataclass(frozen=True, slots=True)
class DialSettings:
    """How the agent rings somebody up.

    Attributes:
        carrier: The SIP server that takes the call, as `host` or `host:port`.
        caller_id: The number that is shown.
        transport: `udp`, `tcp` or `tls`; empty: as the bridge likes, which is UDP.
        encryption: Of the sound, by SRTP.
        carrier_root: Who vouches for the carrier over TLS, as the bridge was told; None: whom this machine trusts.
    """

    livekit: LiveKitSettings
    carrier: str
    caller_id: str
    user: str
    password: str = field(repr=False)
    transport: str = ""
    encryption: Encryption = "none"
    carrier_root: Path | None = None


def trunk_settings(environ: Mapping[str, str]) -> TrunkSettings:
    """Raises SettingsError, naming every variable that is missing or wrong."""
    reader = EnvironmentReader(environ)
    settings = TrunkSettings(
        livekit=livekit_settings(reader),
        numbers=_list(reader.optional("AURA_SIP_NUMBERS") or NUMBER),
        addresses=_list(reader.optional("AURA_SIP_ADDRESSES") or "127.0.0.1/32"),
        user=reader.text("AURA_SIP_USER"),
        password=reader.text("AURA_SIP_PASSWORD"),
        longest_s=phone_settings(reader).longest_s,
        encryption=sip_encryption(reader) or "none",
    )
    reader.check()
    return settings


def dial_settings(environ: Mapping[str, str]) -> DialSettings:
    """Raises SettingsError, naming every variable that is missing or wrong."""
    reader = EnvironmentReader(environ)
    carrier, transport = _carrier(reader)
    encryption = sip_encryption(reader)
    if encryption == "require" and transport != "tls" and carrier:
        reader.refuse(
            f"AURA_SIP_CARRIER is `{carrier}`, and calls are encrypted here (AURA_SIP_ENCRYPTION is require): "
            "add ;transport=tls if the carrier takes that"
        )
    settings = DialSettings(
        livekit=livekit_settings(reader),
        carrier=carrier,
        caller_id=reader.text("AURA_SIP_CALLER_ID"),
        user=reader.optional("AURA_SIP_CARRIER_USER"),
        password=reader.optional("AURA_SIP_CARRIER_PASSWORD"),
        transport=transport,
        # SRTP's keys stand in the signalling: without TLS around it they would protect nothing.
        encryption=(encryption or "require") if transport == "tls" else "none",
        carrier_root=Path(root) if (root := reader.optional("AURA_SIP_CARRIER_ROOT")) else None,
    )
    reader.check()
    return settings


def _carrier(reader: EnvironmentReader) -> tuple[str, str]:
    """The carrier's host, with its port if one is said, and the transport; every fault is left with the reader."""
    if not (told := reader.text("AURA_SIP_CARRIER")):
        return "", ""
    if (found := CARRIER.fullmatch(told)) and 0 < int(found["host"].partition(":")[2] or 1) <= 65_535:
        return found["host"], found["transport"] or ""
    reader.refuse(f"AURA_SIP_CARRIER is `{told}`, and not HOST or HOST:PORT, with ;transport=tls behind it for TLS")
    return "", ""


def _list(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())
