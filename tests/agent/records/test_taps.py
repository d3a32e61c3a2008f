"""What was heard of the agent: how much of it, and when, by what the output says and by what was done to it."""

import asyncio
import time
from dataclasses import dataclass, field

import numpy as np
import pytest
from livekit import rtc
from livekit.agents.voice import io

from agent.livekit.media import sound
from agent.records.channel import Pcm
from agent.records.ogg_file import RATE
from agent.records.taps import RecordedInput, RecordedOutput
from tests.virtual_time import wall_clocks

pytestmark = pytest.mark.anyio


@dataclass
class Notes:
    """Who is told."""

    played: list[tuple[float, int, int]] = field(default_factory=list)  # when, the first level, samples
    over: list[bool] = field(default_factory=list)
    frames: int = 0

    def hear(self, frame: rtc.AudioFrame) -> None:
        self.frames += 1

    def play(self, began: float, pcm: Pcm) -> None:
        self.played.append((round(began, 3), int(pcm[0]), pcm.size))

    def on_played(self, interrupted: bool) -> None:
        self.over.append(interrupted)


class Output(io.AudioOutput):
    """An output that says what it is told to."""

    def __init__(self) -> None:
        super().__init__(label="scripted", capabilities=io.AudioOutputCapabilities(pause=True), sample_rate=RATE)

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        await super().capture_frame(frame)

    def flush(self) -> None:
        super().flush()

    def clear_buffer(self) -> None:
        """It says so itself."""

    def started(self) -> None:
        self.on_playback_started(created_at=time.time())  # noqa: TID251 - as LiveKit does

    def progressed(self, ago_s: float, offset: float, duration: float) -> None:
        at = time.time() - ago_s  # noqa: TID251 - as LiveKit does
        self.on_playback_progressed(started_at=at, offset=offset, duration=duration)

    def finished(self, position: float, *, interrupted: bool = False) -> None:
        self.on_playback_finished(playback_position=position, interrupted=interrupted)


async def given(recorded: RecordedOutput, seconds: int) -> None:
    """Seconds whose levels count from 1."""
    for second in range(seconds):
        await recorded.capture_frame(sound(np.full(RATE, second + 1, np.int16).tobytes()))
    recorded.flush()


async def test_an_answer_that_is_heard_to_its_end_is_told_whole_from_when_it_began() -> None:
    with wall_clocks():
        output, notes = Output(), Notes()
        recorded = RecordedOutput(output, notes)
        await given(recorded, 3)
        await asyncio.sleep(2)
        output.started()
        assert recorded.since == pytest.approx(2.0)
        await asyncio.sleep(3)
        output.finished(3.0)
        assert (notes.played, notes.over) == ([(2.0, 1, 3 * RATE)], [False])
        assert recorded.since is None


async def test_of_an_answer_that_is_cut_only_what_was_heard_is_told() -> None:
    with wall_clocks():
        output, notes = Output(), Notes()
        recorded = RecordedOutput(output, notes)
        await given(recorded, 30)
        output.started()
        await asyncio.sleep(1.25)
        output.finished(1.25, interrupted=True)
        await given(recorded, 1)
        output.started()
        await asyncio.sleep(1)
        output.finished(1.0)
        assert notes.played == [(0.0, 1, round(1.25 * RATE)), (1.25, 1, RATE)]
        assert notes.over == [True, False]


async def test_an_answer_that_was_paused_is_told_in_two_stretches() -> None:
    with wall_clocks():
        output, notes = Output(), Notes()
        recorded = RecordedOutput(output, notes)
        await given(recorded, 3)
        output.started()
        await asyncio.sleep(1)
        recorded.pause()
        await asyncio.sleep(5)
        recorded.resume()
        await asyncio.sleep(2)
        output.finished(3.0)
        assert notes.played == [(0.0, 1, RATE), (6.0, 2, 2 * RATE)]


async def test_what_the_output_says_of_stretches_counts_before_what_may_be_guessed() -> None:
    with wall_clocks():
        output, notes = Output(), Notes()
        recorded = RecordedOutput(output, notes)
        await given(recorded, 5)
        output.started()
        await asyncio.sleep(1)
        recorded.pause()
        await asyncio.sleep(0.5)
        output.progressed(1.5, 0.0, 1.0)  # the second that came next was thrown away
        await asyncio.sleep(0.5)
        recorded.resume()
        await asyncio.sleep(3)
        output.progressed(3.0, 2.0, 3.0)
        output.finished(4.0)
        assert notes.played == [(0.0, 1, RATE), (2.0, 3, 3 * RATE)]


async def test_an_answer_that_was_never_heard_is_not_told() -> None:
    with wall_clocks():
        output, notes = Output(), Notes()
        recorded = RecordedOutput(output, notes)
        await given(recorded, 2)
        await asyncio.sleep(1)
        output.finished(0.0, interrupted=True)
        assert (notes.played, notes.over) == ([], [True])


async def test_what_was_settled_is_not_told_again() -> None:
    with wall_clocks():
        output, notes = Output(), Notes()
        recorded = RecordedOutput(output, notes)
        await given(recorded, 4)
        output.started()
        await asyncio.sleep(3)
        recorded.settle()
        assert recorded.since == pytest.approx(3.0)
        await asyncio.sleep(1)
        output.progressed(4.0, 0.0, 4.0)
        output.finished(4.0)
        assert notes.played == [(0.0, 1, 3 * RATE), (3.0, 4, RATE)]


async def test_the_persons_frames_are_told_and_given_on() -> None:
    class Microphone(io.AudioInput):
        async def __anext__(self) -> rtc.AudioFrame:
            return sound(bytes(480))

    notes = Notes()
    recorded = RecordedInput(Microphone(label="microphone"), notes)
    assert (await recorded.__anext__()).samples_per_channel == 240
    assert notes.frames == 1
