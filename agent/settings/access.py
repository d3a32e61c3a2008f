"""Who may ask for calls, by the environment: whoever knows a password, or whom an OpenID Connect issuer vouches for."""

from dataclasses import dataclass, field

from agent.settings.environment import EnvironmentReader, host_of
from pipeline.realtime.loopback import is_loopback

PASSWORD, ISSUER, CLIENT_ID = "AURA_WEB_PASSWORD", "AURA_OIDC_ISSUER", "AURA_OIDC_CLIENT_ID"
CLIENT_SECRET, ALLOWED = "AURA_OIDC_CLIENT_SECRET", "AURA_OIDC_ALLOWED"
SHORTEST = 10  # letters of a password: ten tries in ten minutes from each address find no such one
ANYBODY = "*"  # of AURA_OIDC_ALLOWED: whomever the issuer knows


@dataclass(frozen=True, slots=True)
class PasswordAccess:
    """Whoever knows the password may call."""

    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class OidcAccess:
    """Whom an issuer of OpenID Connect vouches for may call.

    Attributes:
        issuer: Its URL, below which `/.well-known/openid-configuration` says the rest.
        allowed: Addresses of mail, `@example.org` for all of a domain, or `*`.
    """

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    allowed: frozenset[str]


AccessSettings = PasswordAccess | OidcAccess


def access_settings(reader: EnvironmentReader) -> AccessSettings | None:
    """What the variables say, None if nobody is asked for anything; every fault is left with the reader."""
    password, issuer = reader.optional(PASSWORD), reader.optional(ISSUER)
    if password and issuer:
        reader.refuse(f"{PASSWORD} and {ISSUER} are both set; one of them says who may call")
        return None
    if issuer:
        return _oidc(reader)
    others = [name for name in (CLIENT_ID, CLIENT_SECRET, ALLOWED) if reader.optional(name)]
    reader.refuse(*(f"{name} says nothing without {ISSUER}" for name in others))
    if not password:
        return None
    if len(password) < SHORTEST:
        reader.refuse(f"{PASSWORD} must have {SHORTEST} letters or more")
    return PasswordAccess(password)


def _oidc(reader: EnvironmentReader) -> OidcAccess:
    issuer = reader.url(ISSUER, "https", "http")
    if issuer.startswith("http:") and not is_loopback(host_of(issuer)):
        reader.refuse(f"{ISSUER} must begin with https:// unless it is on this machine")
    allowed = frozenset(each.strip().lower() for each in reader.text(ALLOWED).split(",") if each.strip())
    wrong = sorted(each for each in allowed if each != ANYBODY and "@" not in each)
    reader.refuse(*(f"{ALLOWED}: `{each}` is no address of mail, no @domain, and not `{ANYBODY}`" for each in wrong))
    return OidcAccess(issuer, reader.text(CLIENT_ID), reader.text(CLIENT_SECRET), allowed)
