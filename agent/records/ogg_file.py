"""This module writes sound to a file as it comes: Opus in OGG, two channels."""

import os
from pathlib import Path
from typing import IO, Protocol

import av
import numpy as np
from numpy.typing import NDArray

RATE = 24_000  # Hz, of both sides of a call
BITS_PER_S = 64_000  # 28 MB an hour: enough that neither channel is heard in the other
OWNER_ONLY = 0o600


class SoundFile(Protocol):
    """The file is written block by block. Both methods take a while: they are not for the event loop."""

    def write(self, block: NDArray[np.int16]) -> None:
        """Append samples, of shape (2, n).

        Raises:
            OSError: They cannot be written.
        """
        ...

    def close(self) -> None:
        """End the file.

        Raises:
            OSError: Its end cannot be written.
        """
        ...


class OggFile:
    """Writes one file, of which all that was written can be read at any time.

    Raises:
        OSError: It cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self._out = _Unseekable(open(path, "xb", buffering=0, opener=_private))  # noqa: SIM115 - until `close`
        # Whoever reads while it is written finds whole pages, of a second each.
        self._container = av.open(self._out, "w", format="ogg", options={"page_duration": "1000000"})
        self._stream = self._container.add_stream("libopus", rate=RATE, layout="stereo")
        self._stream.bit_rate = BITS_PER_S

    def write(self, block: NDArray[np.int16]) -> None:
        if not block.size:
            return
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(block.T).reshape(1, -1), format="s16", layout="stereo")
        frame.sample_rate = RATE
        self._container.mux(self._stream.encode(frame))
        self._out.check()

    def close(self) -> None:
        try:
            if not self._out.broken:
                self._container.mux(self._stream.encode(None))
            self._container.close()
            self._out.check()
        finally:
            self._out.close()


class _Unseekable:
    """A file that is only written to, from its beginning to its end.

    FFmpeg may keep an error of its output to itself until the end: it is kept here, too.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.broken: OSError | None = None

    def write(self, data: bytes) -> int:
        if self.broken is None:
            try:
                view = memoryview(data)
                while view:
                    view = view[self._file.write(view) :]
            except OSError as error:
                self.broken = error
        return len(data)

    def check(self) -> None:
        if self.broken:
            raise self.broken

    def close(self) -> None:
        self._file.close()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, OWNER_ONLY)
