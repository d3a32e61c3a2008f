"""How an engine and a process of its own speak to each other: a length, then a struct as MessagePack."""

from collections.abc import Iterator
from typing import Any

import msgspec

LENGTH_BYTES = 4


class Numbered(msgspec.Struct, frozen=True, tag=True):
    """A question, or the answer that bears its number."""

    number: int


class CountRequest(Numbered, frozen=True, tag=True):
    """How much there is to do; answered with `BusyCount`."""


class BusyCount(Numbered, frozen=True, tag=True):
    """Answers `CountRequest`.

    Attributes:
        requests: Those that wait or are being computed.
    """

    requests: int


class SettingsRefused(Numbered, frozen=True, tag=True):
    """Answers the first question: what it says cannot be loaded, and the process ends."""

    faults: list[str]


class RequestDropped(Numbered, frozen=True, tag=True):
    """Answers a question to drop something: nothing is computed for it any more."""


def packed(message: Numbered) -> bytes:
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(LENGTH_BYTES, "big") + body


class Unpacker:
    """Feed it bytes as they come; it gives back the messages that are complete."""

    def __init__(self, kind: Any) -> None:
        """Begins with an empty buffer.

        Args:
            kind: The union of the messages that may come.
        """
        self._decoder = msgspec.msgpack.Decoder(kind)
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[Any]:
        self._rest += data
        while len(self._rest) >= LENGTH_BYTES:
            end = LENGTH_BYTES + int.from_bytes(self._rest[:LENGTH_BYTES], "big")
            if len(self._rest) < end:
                return
            body = bytes(self._rest[LENGTH_BYTES:end])
            del self._rest[:end]
            yield self._decoder.decode(body)
