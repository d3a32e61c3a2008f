"""What a phone call may be, by the environment."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agent.settings.environment import EnvironmentReader

LONGEST_S = 1_800
Encryption = Literal["none", "allow", "require"]
ENCRYPTIONS: tuple[Encryption, ...] = ("none", "allow", "require")


@dataclass(frozen=True, slots=True)
class PhoneSettings:
    """What a call may be.

    Attributes:
        apology: A recording for callers who cannot be served (WAV, PCM16 mono); None: they hear nothing.
        operator: Whom a caller reaches who asks for a person, as a SIP or tel URI; empty: nobody.
        longest_s: Then the agent says goodbye.
        at_once: Calls that one caller may have at a time.
        per_minute: Calls that one caller may begin in a minute.
        encryption: `require`: who calls in over anything but TLS is refused.
    """

    apology: Path | None = None
    operator: str = ""
    longest_s: int = LONGEST_S
    at_once: int = 2
    per_minute: int = 6
    encryption: Encryption = "none"


def phone_settings(reader: EnvironmentReader) -> PhoneSettings:
    apology = reader.optional("AURA_SIP_APOLOGY")
    return PhoneSettings(
        apology=Path(apology) if apology and Path(apology).exists() else None,
        operator=reader.optional("AURA_SIP_OPERATOR"),
        longest_s=reader.number("AURA_SIP_LONGEST_S", LONGEST_S, low=10, high=86_400),
        at_once=reader.number("AURA_SIP_CALLS_AT_ONCE", 2, low=1, high=1_000),
        per_minute=reader.number("AURA_SIP_CALLS_PER_MINUTE", 6, low=1, high=10_000),
        encryption=sip_encryption(reader) or "none",
    )


def sip_encryption(reader: EnvironmentReader) -> Encryption | None:
    """What calls must be, signalling (TLS) and sound (SRTP) alike; None: nothing is said."""
    if not (told := reader.optional("AURA_SIP_ENCRYPTION")):
        return None
    if found := next((each for each in ENCRYPTIONS if each == told), None):
        return found
    reader.refuse(f"AURA_SIP_ENCRYPTION is `{told}`; there is: {', '.join(ENCRYPTIONS)}")
    return None
