"""The loop of the recogniser's process: pictures in, observations out, one picture at a time."""

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from pipeline.engines.child_messages import BusyCount, CountRequest, RequestDropped
from pipeline.engines.child_pipes import Inbox, Send, arrived
from pipeline.engines.image_recognition.messages import DropLook, LookFailed, LookRequest, PictureSeen
from pipeline.media.video_chunk import Pixels
from pipeline.types.observation import Observation


class Recognizes(Protocol):
    """What is told of one picture, in steps."""

    def steps(self, pixels: Pixels, read: bool, owner: str) -> Iterator[Observation | None]:
        """Yields None after each step but the last one."""
        ...


def serve(recognizer: Recognizes, inbox: Inbox, send: Send) -> None:
    """Never returns: the process ends with its input."""
    waiting: dict[int, LookRequest] = {}
    steps: Iterator[Observation | None] | None = None  # of the first one that waits
    while True:
        for question in arrived(inbox, is_idle=not waiting):
            match question:
                case LookRequest():
                    waiting[question.look] = question
                case DropLook(number, look):
                    steps = None if look == next(iter(waiting), None) else steps
                    waiting.pop(look, None)
                    send(RequestDropped(number))
                case CountRequest(number):
                    send(BusyCount(number, len(waiting)))
        if not waiting:
            continue
        first = next(iter(waiting.values()))
        steps = steps or recognizer.steps(_pixels(first), first.read, first.owner)
        if answer := _stepped(first.number, steps):
            del waiting[first.look]
            steps = None
            send(answer)


def _stepped(number: int, steps: Iterator[Observation | None]) -> PictureSeen | LookFailed | None:
    try:
        seen = next(steps)
    except Exception as error:  # whatever a library raises over a picture: it ends this picture and no more
        return LookFailed(number, f"{type(error).__name__}: {error}")
    return PictureSeen(number, seen) if seen else None


def _pixels(look: LookRequest) -> Pixels:
    return np.frombuffer(look.pixels, np.uint8).reshape(look.height, look.width, 3)
