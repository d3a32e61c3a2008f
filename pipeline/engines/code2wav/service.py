"""The loop of Code2Wav's process: questions in, batches decoded, answers out."""

import os
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.engines.code2wav.batches import WaitingChunk
from pipeline.engines.code2wav.messages import (
    Answer,
    BusyCount,
    CountRequest,
    DecodedPcm,
    DecodeRequest,
    DropRequest,
    Question,
    RequestDropped,
    Unpacker,
    packed,
)
from pipeline.types.chunks import CODEBOOKS

READ_BYTES = 1 << 16

Inbox = SimpleQueue[Question]


class BatchDecoder(Protocol):
    """What makes sound of codes, for many streams at once."""

    def begin(self, slot: int) -> None:
        """The slot's next frame is the first of a stream."""
        ...

    def decode(self, slots: Sequence[int], codes: NDArray[np.int16]) -> NDArray[np.int16]:
        """[batch, frames, codebooks] → PCM16 [batch, samples]."""
        ...


def serve(decoder: BatchDecoder, inbox: Inbox, send: Callable[[Answer], None], slots: int) -> None:
    """Never returns: the process ends with its input."""
    waiting = WaitingChunk(slots)
    while True:
        for question in _arrived(inbox, is_idle=not waiting):
            match question:
                case DecodeRequest():
                    waiting.add(question)
                case DropRequest(number, slot):
                    waiting.drop(slot)
                    send(RequestDropped(number))
                case CountRequest(number):
                    send(BusyCount(number, len(waiting)))
        for answer in _decoded(decoder, waiting.take()):
            send(answer)


def read_questions(source: int, inbox: Inbox) -> None:
    """Put what comes from a file descriptor into the inbox; ends the process when it closes, whatever is computed."""
    unpacker = Unpacker(Question)
    while data := os.read(source, READ_BYTES):
        for question in unpacker.feed(data):
            inbox.put(question)
    os._exit(0)


def answers_to(sink: BinaryIO) -> Callable[[Answer], None]:
    def send(answer: Answer) -> None:
        sink.write(packed(answer))
        sink.flush()

    return send


def _arrived(inbox: Inbox, is_idle: bool) -> Iterator[Question]:
    """What has arrived; with nothing else to do, at least one question."""
    if is_idle:
        yield inbox.get()
    while True:
        try:
            yield inbox.get_nowait()
        except Empty:
            return


def _decoded(decoder: BatchDecoder, batch: list[DecodeRequest]) -> Iterator[DecodedPcm]:
    if not batch:
        return
    for chunk in batch:
        if chunk.begins:
            decoder.begin(chunk.slot)
    codes = np.stack([np.frombuffer(chunk.frames, np.int16).reshape(-1, CODEBOOKS) for chunk in batch])
    waves = decoder.decode([chunk.slot for chunk in batch], codes)
    for chunk, wave in zip(batch, waves, strict=True):
        yield DecodedPcm(chunk.number, wave.astype("<i2").tobytes())
