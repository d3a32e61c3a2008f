"""What Code2Wav and its process say to each other, and how it is framed: a length, then MessagePack."""

from collections.abc import Iterator
from typing import Any

import msgspec

from pipeline.types.chunks import CODEBOOKS

LENGTH_BYTES = 4


class DecoderSettings(msgspec.Struct, frozen=True, tag=True):
    """The first thing that the process is told; answered with `DecoderReady` or `DecodeRefused`.

    Attributes:
        folder: The checkpoint's, which holds `speech_tokenizer/`.
        load_format: `auto`, or `dummy` for weights that only take their time.
        dtype: `float32` or `bfloat16`.
        slots: Most streams at once.
        sizes: Frames that chunks may have.
        device: Which GPU, where there is one.
        threads: CPU threads, where there is none.
    """

    number: int
    folder: str
    load_format: str
    dtype: str
    slots: int
    sizes: tuple[int, ...]
    device: int
    threads: int


class DecodeRequest(msgspec.Struct, frozen=True, tag=True):
    """The next frames of a slot's stream; answered with `DecodedPcm`.

    Attributes:
        frames: int16, native order, CODEBOOKS a frame.
        begins: True if they are the first ones of a sentence.
    """

    number: int
    slot: int
    frames: bytes
    begins: bool


class DropRequest(msgspec.Struct, frozen=True, tag=True):
    """Whatever waits for that slot is not wanted; answered with `RequestDropped` when nothing is computed for it."""

    number: int
    slot: int


class CountRequest(msgspec.Struct, frozen=True, tag=True):
    """How much there is to do; answered with `BusyCount`."""

    number: int


class DecoderReady(msgspec.Struct, frozen=True, tag=True):
    """Answers `DecoderSettings`: the decoder is loaded, and takes codes.

    Attributes:
        entries: Entries of a codebook; codes lie below this number.
        graphs: How many CUDA graphs were captured.
    """

    number: int
    entries: int
    device: str
    graphs: int


class DecodeRefused(msgspec.Struct, frozen=True, tag=True):
    number: int
    faults: list[str]


class DecodedPcm(msgspec.Struct, frozen=True, tag=True):
    number: int
    pcm: bytes


class RequestDropped(msgspec.Struct, frozen=True, tag=True):
    number: int


class BusyCount(msgspec.Struct, frozen=True, tag=True):
    number: int
    chunks: int


Question = DecoderSettings | DecodeRequest | DropRequest | CountRequest
Answer = DecoderReady | DecodeRefused | DecodedPcm | RequestDropped | BusyCount


def packed(message: Question | Answer) -> bytes:
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(LENGTH_BYTES, "big") + body


class Unpacker:
    """Feed it bytes as they come; it gives back the messages that are complete."""

    def __init__(self, kind: Any) -> None:
        """Begins with an empty buffer.

        Args:
            kind: `Question` or `Answer`.
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


def frame_count(decode: DecodeRequest) -> int:
    return len(decode.frames) // (2 * CODEBOOKS)
