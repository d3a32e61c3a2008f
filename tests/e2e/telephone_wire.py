"""What passes between a test and the process of a telephone: one JSON object a line."""

import socket

import msgspec

HOST = "127.0.0.1"
LINE_RATE = 8_000  # Hz: G.711


class Install(msgspec.Struct, frozen=True, tag="install"):
    """The first order: whose telephone it is.

    Attributes:
        port: At which it is reached; 0 for any.
        folder: Where its tape and its logs go.
        host: The address of its own.
        roots: It speaks TLS, to whom these vouch for: a file in PEM. Empty: it speaks UDP.
        certificate, key: What it shows who calls it over TLS.
        srtp: Its sound is encrypted, or there is no call.
    """

    number: str
    user: str
    password: str
    port: int
    folder: str
    host: str = HOST
    roots: str = ""
    certificate: str = ""
    key: str = ""
    srtp: bool = False


class Dial(msgspec.Struct, frozen=True, tag="dial"):
    uri: str


class Answer(msgspec.Struct, frozen=True, tag="answer"):
    """183: with early media; 200: picks up; 486: busy."""

    status: int


class Play(msgspec.Struct, frozen=True, tag="play"):
    wav: str


class Press(msgspec.Struct, frozen=True, tag="press"):
    digits: str


class Hold(msgspec.Struct, frozen=True, tag="hold"):
    """Until it is taken up again."""


class TakeUp(msgspec.Struct, frozen=True, tag="take_up"):
    """What was held."""


class HangUp(msgspec.Struct, frozen=True, tag="hang_up"):
    """At once, in whatever state the call is."""


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    port: int


class Rings(msgspec.Struct, frozen=True, tag="rings"):
    caller: str


class Moved(msgspec.Struct, frozen=True, tag="moved"):
    """The call is in another state, by PJSIP's name for it.

    Attributes:
        at: On the loop's clock, which all processes of a machine share.
    """

    state: str
    status: int
    reason: str
    at: float


class Taping(msgspec.Struct, frozen=True, tag="taping"):
    """Sound can be heard; what comes is recorded (WAV, PCM16 mono)."""

    tape: str
    at: float


class Playing(msgspec.Struct, frozen=True, tag="playing"):
    at: float


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """PJSIP did not do what it was told."""

    order: str
    why: str


Order = Install | Dial | Answer | Play | Press | Hold | TakeUp | HangUp
News = Ready | Rings | Moved | Taping | Playing | Refused

_orders: msgspec.json.Decoder[Order] = msgspec.json.Decoder(Order)
_news: msgspec.json.Decoder[News] = msgspec.json.Decoder(News)


def line(message: Order | News) -> bytes:
    return msgspec.json.encode(message) + b"\n"


def order(text: bytes) -> Order:
    return _orders.decode(text)


def news(text: bytes) -> News:
    return _news.decode(text)


def free_port(host: str = HOST) -> int:
    """For UDP, that nobody has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])
