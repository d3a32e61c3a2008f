"""Whose telephone it is, and how it is answered."""

from dataclasses import dataclass


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
