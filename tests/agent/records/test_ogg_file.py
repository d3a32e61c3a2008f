"""The file of a record: as long as what was written, each side in its channel, readable while it is written."""

import stat
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from agent.records.ogg_file import RATE, OggFile

S = np.arange(RATE) / RATE
TONE = (8_000 * np.sin(2 * np.pi * 440 * S)).astype(np.int16)
QUIET = np.zeros_like(TONE)


def decoded(path: Path) -> NDArray[np.float32]:
    """Both channels at `RATE`."""
    with av.open(str(path)) as container:
        frames = [frame.to_ndarray() for frame in container.decode(audio=0)]
    return np.concatenate(frames, axis=1)[:, ::2].astype(np.float32)


def level(sound: NDArray[np.float32]) -> float:
    return float(np.sqrt((sound[RATE // 10 : -RATE // 10] ** 2).mean()))


def test_each_side_is_in_its_channel_and_not_a_sample_is_missing(tmp_path: Path) -> None:
    file = OggFile(tmp_path / "sound.ogg")
    person, agent = np.concatenate([TONE, QUIET, TONE[:12_345]]), np.concatenate([QUIET, TONE, QUIET[:12_345]])
    for begin in range(0, person.size, 7_001):
        file.write(np.stack([person, agent])[:, begin : begin + 7_001])
    file.close()
    left, right = decoded(tmp_path / "sound.ogg")
    assert left.size == right.size == person.size
    assert level(left[:RATE]) > 0.1 > 0.005 > level(right[:RATE])
    assert level(right[RATE : 2 * RATE]) > 0.1 > 0.005 > level(left[RATE : 2 * RATE])


def test_what_was_written_can_be_read_while_the_call_lasts(tmp_path: Path) -> None:
    file = OggFile(tmp_path / "sound.ogg")
    for _ in range(5):
        file.write(np.stack([TONE, QUIET]))
    assert decoded(tmp_path / "sound.ogg").shape[1] >= 3 * RATE
    file.close()


def test_only_its_owner_reads_it(tmp_path: Path) -> None:
    OggFile(tmp_path / "sound.ogg").close()
    assert stat.S_IMODE((tmp_path / "sound.ogg").stat().st_mode) == 0o600


def test_a_disk_that_is_full_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "sound.ogg"
    file = OggFile(path)
    file._out._file.close()
    file._out._file = open("/dev/full", "wb", buffering=0)  # noqa: SIM115 - it closes it
    with pytest.raises(OSError, match="No space left"):
        for _ in range(3):
            file.write(np.stack([TONE, QUIET]))
    with pytest.raises(OSError, match="No space left"):
        file.close()
    assert file._out._file.closed
