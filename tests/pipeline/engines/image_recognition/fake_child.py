"""Stands in for the recogniser's process, without models: the same wire and loop, with eyes that can be foretold.

A picture is named after its first pixel's red: 1 breaks the models, 2 ends the process, 3 takes long, 4 hangs.
"""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from pipeline.engines.child_messages import SettingsRefused
from pipeline.engines.child_pipes import open_pipes
from pipeline.engines.image_recognition.messages import Question, RecognizerReady, RecognizerSettings
from pipeline.engines.image_recognition.service import serve
from pipeline.media.video_chunk import Pixels
from pipeline.types.observation import Observation, SeenThing

BREAKS, DIES, SLOW, HANGS = 1, 2, 3, 4
STEPS, STEP_S = 200, 0.02


class FakeEyes:
    """Counts the pictures that it has seen, in the text of each."""

    def __init__(self) -> None:
        self._seen = 0

    def steps(self, pixels: Pixels, read: bool, owner: str) -> Iterator[Observation | None]:
        self._seen += 1
        red = int(pixels[0, 0, 0])
        if red == BREAKS:
            raise ValueError("no such tensor")
        if red == DIES:
            os._exit(1)
        if red == HANGS:
            time.sleep(3600)
        for _ in range(STEPS if red == SLOW else 1):
            time.sleep(STEP_S)
            yield None
        height, width, _ = pixels.shape
        yield Observation((SeenThing(f"{width}x{height} of {owner}", red),), f"{self._seen} {read}")


def main() -> None:
    inbox, send = open_pipes(Question)
    settings = inbox.get()
    assert isinstance(settings, RecognizerSettings)
    if Path(settings.detector).read_bytes() != b"good":
        send(SettingsRefused(settings.number, ["the detector is damaged"]))
        sys.exit(1)
    send(RecognizerReady(settings.number))
    serve(FakeEyes(), inbox, send)


if __name__ == "__main__":
    main()
