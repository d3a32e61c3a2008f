"""Whose telephone it is, and how it is answered."""

from dataclasses import dataclass

from tests.e2e.telephone_wire import HOST


@dataclass(frozen=True, slots=True)
class Socket:
    """Where and how a telephone is plugged in.

    Attributes:
        inside: The words before a command by which that runs in the telephone's network.
        host: Its address there.
        roots: A file of those whom it trusts to vouch for others: it speaks TLS. Empty: UDP.
        certificate, key: What it shows who calls it over TLS.
        srtp: Its sound is encrypted, or there is no call.
    """

    inside: tuple[str, ...] = ()
    host: str = HOST
    roots: str = ""
    certificate: str = ""
    key: str = ""
    srtp: bool = False


ON_LOOPBACK = Socket()


@dataclass(frozen=True, slots=True)
class Line:
    """Whose telephone it is, and what it shows the server that asks for it.

    Attributes:
        port: At which it is reached; 0 for any.
    """

    number: str
    user: str = ""
    password: str = ""
    port: int = 0
    socket: Socket = ON_LOOPBACK


@dataclass(frozen=True, slots=True)
class Manners:
    """What becomes of a call that comes.

    Attributes:
        rings_s: For so long it rings.
        status: 200: it is taken then, with early media before; another one: it is refused with that.
    """

    rings_s: float = 0.0
    status: int = 200


AT_ONCE = Manners()
