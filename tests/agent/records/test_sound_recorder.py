"""Both sides of a call on one clock: where each sample lies, in blocks of bounded length."""

import asyncio

import numpy as np
import pytest

from agent.livekit.media import sound
from agent.records.ogg_file import RATE
from agent.records.sound_recorder import LONGEST_RUN_S, MOST_HELD_S, SoundRecorder
from tests.agent.records.tape import Tape, at_once

pytestmark = pytest.mark.anyio
FRAME_S = 0.02


async def speaks(recorder: SoundRecorder, seconds: float, level: int = 100, *, late_s: float = 0.0) -> None:
    """The person is heard for so long; frames that are late all come at once."""
    await asyncio.sleep(late_s)
    frame = sound(np.full(round(FRAME_S * RATE), level, np.int16).tobytes())
    for number in range(round(seconds / FRAME_S)):
        await asyncio.sleep(0 if (number + 1) * FRAME_S <= late_s else FRAME_S)
        recorder.hear(frame)


def stretch(channel: np.ndarray) -> tuple[float, float]:
    """From when to when something is to be heard."""
    there = np.flatnonzero(channel)
    return round(there[0] / RATE, 3), round((there[-1] + 1) / RATE, 3)


async def test_the_person_lies_where_they_were_heard_and_the_agent_where_it_was() -> None:
    tape = Tape()
    recorder = SoundRecorder(tape, asyncio.get_running_loop().time(), offload=at_once)
    await asyncio.sleep(1)
    await speaks(recorder, 2)
    assert recorder.play(3.5, np.full(RATE, 7, np.int16)) == round(3.5 * RATE)
    await asyncio.sleep(2)
    await recorder.close()
    assert stretch(tape.person) == (1.0, 3.0)
    assert stretch(tape.agent) == (3.5, 4.5)
    assert tape.person.size == tape.agent.size == recorder.samples == 5 * RATE
    assert (recorder.lost, tape.closed) == (0, True)


async def test_frames_that_come_late_and_all_at_once_lie_where_they_were_said() -> None:
    tape = Tape()
    recorder = SoundRecorder(tape, 0.0, offload=at_once)
    await speaks(recorder, 1)
    await speaks(recorder, 1, late_s=0.16)
    await recorder.close()
    assert stretch(tape.person) == (0.0, 2.0)
    assert np.count_nonzero(tape.person) == 2 * RATE


async def test_a_microphone_that_was_off_leaves_silence() -> None:
    tape = Tape()
    recorder = SoundRecorder(tape, 0.0, offload=at_once)
    await speaks(recorder, 1)
    await asyncio.sleep(3)
    await speaks(recorder, 1)
    await recorder.close()
    assert stretch(tape.person) == (0.0, 5.0)
    assert np.count_nonzero(tape.person) == 2 * RATE
    assert not tape.person[RATE : 4 * RATE].any()


async def test_it_is_written_as_it_goes_in_blocks_of_a_second() -> None:
    tape = Tape()
    recorder = SoundRecorder(tape, 0.0, offload=at_once)
    await speaks(recorder, 3)
    await recorder.write()
    assert recorder.samples == round(2.5 * RATE)
    assert max(tape.blocks) == RATE
    await recorder.close()


class Speaking:
    """An answer that is being heard."""

    def __init__(self, since: float) -> None:
        self.since: float | None = since
        self.settled = 0

    def settle(self) -> None:
        self.settled += 1
        self.since = asyncio.get_running_loop().time()


async def test_nothing_is_written_over_an_answer_of_which_it_is_not_known_how_much_was_heard() -> None:
    tape = Tape()
    recorder = SoundRecorder(tape, 0.0, offload=at_once)
    await asyncio.sleep(10)
    recorder.run = run = Speaking(since=4.0)
    await recorder.write()
    assert (recorder.samples, run.settled) == (4 * RATE, 0)
    recorder.play(4.0, np.full(5 * RATE, 3, np.int16))
    run.since = None
    await recorder.close()
    assert stretch(tape.agent) == (4.0, 9.0)


async def test_an_answer_without_end_is_settled_so_that_memory_stays_bounded() -> None:
    tape = Tape()
    recorder = SoundRecorder(tape, 0.0, offload=at_once)
    recorder.run = run = Speaking(since=0.0)
    await asyncio.sleep(LONGEST_RUN_S - 1)
    await recorder.write()
    assert run.settled == 0
    await asyncio.sleep(2)
    await recorder.write()
    assert run.settled == 1


async def test_a_disk_that_writes_nothing_is_told_and_memory_stays_bounded() -> None:
    tape = Tape()
    recorder = SoundRecorder(tape, 0.0, offload=at_once)
    await speaks(recorder, MOST_HELD_S + 10)
    assert recorder._person.held <= MOST_HELD_S * RATE + RATE
    with pytest.raises(OSError, match="wait to be written"):
        await recorder.write()


async def test_who_is_cancelled_waits_for_what_is_being_written() -> None:
    over = []

    async def slow(call: object, *arguments: object) -> None:
        await asyncio.sleep(2)
        over.append(asyncio.get_running_loop().time())

    recorder = SoundRecorder(Tape(), 0.0, offload=slow)
    await asyncio.sleep(1.5)
    writing = asyncio.get_running_loop().create_task(recorder.write())
    await asyncio.sleep(1)
    writing.cancel()
    await asyncio.wait([writing])
    assert over == [3.5]
