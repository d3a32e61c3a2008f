"""Who may call the agent, and how it rings up others, by the environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent.settings.agent import LiveKitSettings, livekit_settings
from agent.settings.environment import EnvironmentReader
from agent.settings.phone import LONGEST_S, phone_settings

NUMBER = "100"  # infra/launcher/supervise/phone_services.py says the same to whoever runs the stack


@dataclass(frozen=True, slots=True)
class TrunkSettings:
    """Who may call.

    Attributes:
        numbers: The numbers that reach the agent.
        addresses: Where calls may come from, as addresses or networks.
    """

    livekit: LiveKitSettings
    numbers: tuple[str, ...]
    addresses: tuple[str, ...]
    user: str
    password: str = field(repr=False)
    longest_s: int = LONGEST_S


@dataclass(frozen=True, slots=True)
class DialSettings:
    """How the agent rings somebody up.

    Attributes:
        carrier: The SIP server that takes the call, as `host` or `host:port`.
        caller_id: The number that is shown.
    """

    livekit: LiveKitSettings
    carrier: str
    caller_id: str
    user: str
    password: str = field(repr=False)


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
    )
    reader.check()
    return settings


def dial_settings(environ: Mapping[str, str]) -> DialSettings:
    """Raises SettingsError, naming every variable that is missing or wrong."""
    reader = EnvironmentReader(environ)
    settings = DialSettings(
        livekit=livekit_settings(reader),
        carrier=reader.text("AURA_SIP_CARRIER"),
        caller_id=reader.text("AURA_SIP_CALLER_ID"),
        user=reader.optional("AURA_SIP_CARRIER_USER"),
        password=reader.optional("AURA_SIP_CARRIER_PASSWORD"),
    )
    reader.check()
    return settings


def _list(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())
