"""Stands in for Code2Wav's process, without torch: the same wire and loop, with a decoder that can be foretold.

The sample of a frame is its first code plus the number of frames before it in its stream. Where its folder has a file
`decoded`, it writes there how many frames each of its chunks had.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.engines.child_messages import SettingsRefused
from pipeline.engines.child_pipes import open_pipes
from pipeline.engines.code2wav.messages import DecoderReady, DecoderSettings, Question
from pipeline.engines.code2wav.service import serve
from pipeline.types.chunks import FRAME_SAMPLES

ENTRIES = 2048
DIES, SLOW = 2000, 2001  # codes
SLOW_S = 0.3


class FakeDecoder:
    def __init__(self, folder: Path) -> None:
        self._frames = Counter[int]()
        self._decoded = folder / "decoded"

    def begin(self, slot: int) -> None:
        self._frames[slot] = 0

    def decode(self, slots: Sequence[int], codes: NDArray[np.int16], lengths: Sequence[int]) -> NDArray[np.int16]:
        if (codes == DIES).any():
            os._exit(1)
        if (codes == SLOW).any():
            time.sleep(SLOW_S)
        if self._decoded.exists():
            with self._decoded.open("a") as file:
                file.writelines(f"{os.getpid()} {frames}\n" for frames in lengths)
        places = np.array([self._frames[slot] for slot in slots])[:, None] + np.arange(codes.shape[1])
        self._frames.update(dict(zip(slots, lengths, strict=True)))
        samples: NDArray[np.int16] = (codes[:, :, 0] + places).astype(np.int16)
        return samples.repeat(FRAME_SAMPLES, 1)


def main() -> None:
    inbox, send = open_pipes(Question)
    settings = inbox.get()
    assert isinstance(settings, DecoderSettings)
    if not Path(settings.folder).exists():
        send(SettingsRefused(settings.number, ["there is no such folder"]))
        sys.exit(1)
    send(DecoderReady(settings.number, ENTRIES, "none", 0))
    serve(FakeDecoder(Path(settings.folder)), inbox, send, settings.slots)


if __name__ == "__main__":
    main()
