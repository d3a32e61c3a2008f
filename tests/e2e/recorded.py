"""The record of a call that was real: when it is whole, and whether a sound lies in it."""

import asyncio
from pathlib import Path
from typing import Any

import av
import numpy as np
import soxr
from numpy.typing import NDArray

from agent.records.ogg_file import RATE
from agent.records.record_folder import RecordFolder
from agent.records.record_keeper import LOST_S
from agent.records.timeline import DOCUMENT, SoundOf, Timeline, read_timeline
from tests.e2e.stack import POLL_S

Samples = NDArray[np.float64]
Channel = NDArray[np.int16]

ENDED_S = 20.0 + LOST_S  # in which a record is whole
COARSE = 240  # Hz, of the outlines that are compared
ALIKE = 0.7  # of 1, after two codecs and a network
QUIET = 40  # 16-bit samples, that Opus makes of silence


async def ended(records: Path, room: str) -> tuple[Path, Timeline]:
    """The record of a room, when it is whole."""
    async with asyncio.timeout(ENDED_S):
        while not all((path / DOCUMENT).exists() for path in RecordFolder(records).of_room(room)):
            await asyncio.sleep(POLL_S)
    (record, *_) = RecordFolder(records).of_room(room)
    return record, read_timeline(record)


def channels(record: Path) -> NDArray[np.int16]:
    """Of shape (2, n)."""
    resampler = av.AudioResampler("s16p", "stereo", RATE)
    with av.open(str(record / SoundOf().file)) as file:
        decoded = [*file.decode(audio=0), None]  # the last one for what the resampler holds back
        frames = [each for frame in decoded for each in resampler.resample(frame)]
    return np.concatenate([frame.to_ndarray() for frame in frames], axis=1)


def outline(sound: NDArray[Any], rate: int) -> Samples:
    low = soxr.resample(np.abs(sound.astype(np.float64)), rate, COARSE)  # how loud it is, without its phase
    return np.asarray(low - low.mean(), np.float64)


def found(whole: Samples, part: Samples) -> tuple[float, float]:
    """Where in the whole a part lies, in seconds, and how alike they are, up to 1."""
    size = 1 << int(np.ceil(np.log2(whole.size + part.size)))
    alike = np.fft.irfft(np.fft.rfft(whole, size) * np.conj(np.fft.rfft(part, size)), size)[: whole.size]
    at = int(alike.argmax())
    there = whole[at : at + part.size]
    return at / COARSE, float(np.corrcoef(there, part[: there.size])[0, 1])


def loudest_outside(told: Timeline, heard: Channel) -> int:
    """The loudest sample of the agent's channel that no mark says is there."""
    sounds = np.zeros(heard.size + RATE, bool)
    for stretch in told.heard:
        sounds[max(0, stretch.sample - RATE // 20) : stretch.sample + stretch.samples + RATE // 20] = True
    return int(np.abs(heard[~sounds[: heard.size]]).max(initial=0))
