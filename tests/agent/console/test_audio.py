"""Ears and mouth that are files, at the speed of sound."""

import asyncio
import wave
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
from livekit.agents.voice.io import PlaybackFinishedEvent

from agent.console.audio import WavLoudspeaker, WavMicrophone, read_wav, write_wav
from agent.livekit.media import RATE, sound

pytestmark = pytest.mark.anyio

SECOND = np.full(RATE, 1_000, np.int16).tobytes()


class Played:
    """What a loudspeaker told."""

    def __init__(self, loudspeaker: WavLoudspeaker) -> None:
        self.started: list[float] = []
        self.finished: list[tuple[float, float, bool]] = []
        loudspeaker.on("playback_started", lambda _: self.started.append(now()))
        loudspeaker.on("playback_finished", self._finish)

    def _finish(self, event: PlaybackFinishedEvent) -> None:
        self.finished.append((now(), round(event.playback_position, 2), event.interrupted))


def now() -> float:
    return round(asyncio.get_running_loop().time(), 2)


@asynccontextmanager
async def playing() -> AsyncIterator[tuple[WavLoudspeaker, Played]]:
    loudspeaker = WavLoudspeaker(lambda: 0.0)
    played = Played(loudspeaker)
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(loudspeaker.play())
        yield loudspeaker, played
        task.cancel()


async def test_a_recording_is_spoken_in_real_time_and_then_silence() -> None:
    microphone = WavMicrophone(SECOND)
    frames = []
    for _ in range(22):
        frames.append(np.frombuffer((await anext(microphone)).data, np.int16))
        if now() == 1.0:
            assert microphone.over.is_set()
    assert now() == 1.1
    assert [int(frame.max()) for frame in frames] == [1_000] * 20 + [0] * 2


async def test_what_is_played_takes_its_time_and_is_recorded_when_it_was_heard() -> None:
    async with playing() as (loudspeaker, played):
        await asyncio.sleep(0.51)
        await loudspeaker.capture_frame(sound(SECOND))
        loudspeaker.flush()
        await asyncio.sleep(2.0)
    assert played.started == [0.52]
    assert played.finished == [(1.5, 1.0, False)]
    recording = np.frombuffer(bytes(loudspeaker.recording), np.int16)
    assert (int(np.flatnonzero(recording)[0]), int(np.count_nonzero(recording))) == (RATE // 2, RATE)


async def test_a_pause_stops_it_and_it_goes_on_where_it_was() -> None:
    async with playing() as (loudspeaker, played):
        await loudspeaker.capture_frame(sound(SECOND))
        loudspeaker.flush()
        await asyncio.sleep(0.41)
        loudspeaker.pause()
        await asyncio.sleep(3.0)
        loudspeaker.resume()
        await asyncio.sleep(2.0)
    assert played.finished == [(4.0, 1.0, False)]


async def test_silencing_it_says_how_much_was_heard() -> None:
    async with playing() as (loudspeaker, played):
        await loudspeaker.capture_frame(sound(SECOND))
        loudspeaker.flush()
        await asyncio.sleep(0.41)
        loudspeaker.clear_buffer()
        loudspeaker.clear_buffer()
        await asyncio.sleep(1.0)
    assert played.finished == [(0.41, 0.4, True)]


async def test_a_sound_shorter_than_a_step_begins_and_ends() -> None:
    async with playing() as (loudspeaker, played):
        await loudspeaker.capture_frame(sound(SECOND[:480]))
        loudspeaker.flush()
        await asyncio.sleep(0.1)
    assert (played.started, played.finished) == ([0.02], [(0.02, 0.01, False)])


async def test_what_is_silenced_before_it_was_told_to_begin_has_not_begun() -> None:
    """What plays may be another thread, a moment ahead of the loop."""
    loudspeaker = WavLoudspeaker(lambda: 0.0)
    played = Played(loudspeaker)
    await loudspeaker.capture_frame(sound(SECOND))
    loudspeaker.flush()
    loudspeaker.take(480)
    loudspeaker.clear_buffer()
    await asyncio.sleep(0.1)
    assert (played.started, played.finished) == ([], [(0.0, 0.01, True)])


async def test_sound_that_comes_slowly_is_one_piece_until_it_is_flushed() -> None:
    async with playing() as (loudspeaker, played):
        for _ in range(2):
            await loudspeaker.capture_frame(sound(SECOND))
            await asyncio.sleep(2.0)
        assert played.finished == []
        loudspeaker.flush()
        await asyncio.sleep(0.1)
    assert [(position, interrupted) for _, position, interrupted in played.finished] == [(2.0, False)]
    assert len(played.started) == 1


@pytest.mark.parametrize(("rate", "channels"), [(24_000, 1), (16_000, 1), (44_100, 2)])
def test_any_rate_is_read(tmp_path: Path, rate: int, channels: int) -> None:
    path = tmp_path / "in.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.full(rate * channels, 1_000, np.int16).tobytes())
    samples = np.frombuffer(read_wav(path), np.int16)
    assert len(samples) == pytest.approx(RATE, abs=RATE // 50)
    assert np.median(samples) == pytest.approx(1_000, abs=10)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    write_wav(tmp_path / "out.wav", SECOND)
    assert read_wav(tmp_path / "out.wav") == SECOND


def test_a_file_that_is_no_wav_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not sound")
    with pytest.raises(ValueError, match=r"notes\.txt: not a WAV file"):
        read_wav(tmp_path / "notes.txt")
