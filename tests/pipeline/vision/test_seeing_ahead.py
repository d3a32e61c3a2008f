"""What a camera shows while a person speaks is read by the time that they have finished."""

import asyncio

import pytest

from pipeline.types.chunks import Priority
from pipeline.types.session_options import Proactive, SessionOptions
from pipeline.vision.prefill_tracker import STALE_S
from tests.room import Room, asks, film, frames, newest, nth, only_words_are_left, seen

COMMIT_S = 2.208  # when somebody who says something for 2.2 s has said it


async def test_while_a_person_speaks_each_frame_is_read_as_the_second_that_it_is_by_then() -> None:
    room = Room(film_s=0.2)
    async with room.call(SessionOptions()) as caller:
        await caller.says(2.5)
        reads = newest(room.read)
        assert reads[reads.index("s.0") :] == ["s.0", "s.0-1", "s.2", "s.2-3", "s.4"]
        assert {scene.priority for scene in room.read} == {Priority.PREFILL}
        await asyncio.sleep(0.1)
        assert [each.clip.id for each in caller.session.history.video_turns] == [nth(0), nth(1)], (
            "what may change waits"
        )


async def test_of_a_question_nothing_but_its_words_is_left_to_read() -> None:
    room = Room(heard_s=0.3, film_s=0.1)
    async with room.call(SessionOptions()) as caller:
        await asks(caller)
        assert caller.answer().text == "A cup."
    (request,) = room.request
    assert seen(request)[-1] == "s.4", "the last frame before the commit"
    assert only_words_are_left(request, room.read)
    assert not any(scene.priority == Priority.QUESTION for scene in room.read), "nothing is read beside the last words"


@pytest.mark.parametrize(
    ("film_s", "about", "then"),
    [
        (COMMIT_S - 2.02, "s.2-3", "s.4-5"),  # it begins a second
        (COMMIT_S - 1.52, "s.2", "s.3-4"),  # it is the other of a second
    ],
)
async def test_a_frame_that_has_only_just_come_begins_the_next_second(film_s: float, about: str, then: str) -> None:
    room = Room(read_s=0.1, film_s=film_s)
    async with room.call(SessionOptions()) as caller:
        await asks(caller)
        await asyncio.sleep(4)
        names = [each.clip.id for each in caller.session.history.video_turns]
    (request,) = room.request
    assert seen(request)[-1] == about and only_words_are_left(request, room.read)
    assert names[names.index(about) + 1] == then
    assert frames(names) == list(range(len(frames(names)))), "none is lost"


async def test_what_was_put_off_is_not_read_while_the_question_is_answered() -> None:
    room = Room(read_s=0.1, heard_s=0.2, film_s=COMMIT_S - 2.02)
    async with room.call(SessionOptions()) as caller:
        await caller.says(2.2)
        before = list(room.aura.running)
        caller.session.commit()
        await asyncio.sleep(0.001)
        assert before and not room.aura.running


async def test_what_was_put_off_is_not_lost_if_the_camera_stops() -> None:
    room = Room(read_s=0.1)
    async with room.call(SessionOptions(), films=False) as caller, asyncio.TaskGroup() as tasks:
        camera = tasks.create_task(film(caller.session, COMMIT_S - 1.52))
        await caller.says(2.2)
        camera.cancel()
        await asks(caller, 0)
        assert seen(room.request[-1])[-1] == "s.2"
        assert [each.clip.id for each in caller.session.history.video_turns][-1] == "s.3"


async def test_a_camera_that_was_only_just_switched_on_is_seen() -> None:
    room = Room(film_s=COMMIT_S - 0.02)
    async with room.call(SessionOptions()) as caller:
        await asks(caller)
    assert seen(room.request[-1]) == ["s.0"]


async def test_a_camera_that_is_switched_on_again_is_seen_too() -> None:
    room = Room()
    async with room.call(SessionOptions(), films=False) as caller:
        assert caller.session.vision
        caller.session.vision.watching.see(b"long ago")
        await asyncio.sleep(60)
        await caller.says(2.2)
        caller.session.vision.watching.see(b"now")
        await asyncio.sleep(0.001)
        await asks(caller, 0)
    assert seen(room.request[-1]) == ["s.0", "s.1"]


@pytest.mark.parametrize("phase", [at / 20 for at in range(10)])
async def test_what_a_question_is_about_is_never_older_than_a_frame_and_a_bit(phase: float) -> None:
    room = Room(read_s=0.12, heard_s=0.1, film_s=phase)
    async with room.call(SessionOptions()) as caller:
        await asks(caller)
        moments = caller.answer().timings
    assert 0 <= moments["committed"] - moments["seen"] <= STALE_S


async def test_if_readings_take_long_seconds_are_read_when_they_close_and_the_newest_beside_the_last_words() -> None:
    room = Room(read_s=0.3, heard_s=0.4)
    async with room.call(SessionOptions()) as caller:
        await asks(caller, 4.2)
        assert caller.answer().text == "A cup."
    *ahead, rest = room.read[: room.aura.prompts.index(room.request[0])]
    assert set(newest(ahead)[2:]) == {nth(number) for number in range(1, 4)}, "none as it was with one frame"
    assert rest.priority == Priority.QUESTION and seen(rest)[-1] == "s.8"
    assert only_words_are_left(room.request[0], room.read)


async def test_once_readings_are_quick_again_each_frame_is_read() -> None:
    room = Room(read_s=0.3)
    async with room.call(SessionOptions()) as caller:
        await caller.says(4.2)
        room.read_s = 0.05
        count = len(room.read)
        await caller.says(3.0)
        assert newest(room.read[count:])[-4:] == ["s.10-11", "s.12", "s.12-13", "s.14"]


async def test_a_reading_that_a_newer_frame_makes_useless_ends() -> None:
    room = Room(read_s=0.8)
    async with room.call(SessionOptions()) as caller:
        await caller.says(0.9)
        assert newest(room.read) == ["s.0", "s.0-1"]
        assert len(room.aura.aborted) == len(room.aura.running) == 1


async def test_no_session_reads_two_things_at_once() -> None:
    room = Room(read_s=0.24)
    most = 0
    async with room.call(SessionOptions()) as caller:
        for _ in range(100):
            await caller.says(0.032)
            most = max(most, len(room.aura.running))
    assert most == 1


async def test_while_nobody_speaks_seconds_are_read_when_they_close() -> None:
    room = Room()
    async with room.call(SessionOptions()) as caller:
        await caller.is_silent(3.9)
    assert newest(room.read) == [nth(0), nth(1), nth(2), nth(3)]


async def test_who_goes_on_after_a_pause_is_answered_about_what_is_seen_then() -> None:
    room = Room(heard_s=0.3)
    async with room.call(SessionOptions()) as caller:
        await caller.says(2.2)
        caller.session.activity(False)
        await asyncio.sleep(2.3)
        in_pause = len(room.read)
        caller.session.activity(True)
        await asks(caller, 0.2)
        assert caller.answer().text == "A cup."
    assert not any(scene.priority == Priority.QUESTION for scene in room.read), (
        "all of it was read as soon as they went on"
    )
    first, *_, last = room.request
    assert seen(first)[-1] == "s.4" and seen(last)[-1] == "s.9"
    assert newest(room.read[:in_pause])[-1] == "s.4", "a guess is not disturbed"
    assert only_words_are_left(last, room.read)


async def test_a_guess_that_is_adopted_is_about_what_was_seen_at_the_pause() -> None:
    room = Room(heard_s=0.3)
    async with room.call(SessionOptions()) as caller:
        await caller.says(2.2)
        caller.session.activity(False)
        await asyncio.sleep(1.5)
        await asks(caller, 0)
    (request,) = room.request
    assert seen(request)[-1] == "s.4", "what came later waits"
    assert only_words_are_left(request, room.read)


@pytest.mark.parametrize(("proactive", "priority"), [("off", Priority.SEEN), ("offer", Priority.OFFER)])
async def test_what_is_seen_while_nobody_speaks_is_read_behind_what_those_see_who_do(
    proactive: Proactive, priority: Priority
) -> None:
    room = Room(read_s=0.3)
    async with room.call(SessionOptions(proactive=proactive)) as caller:
        await caller.is_silent(3.1)
        assert room.aura.prompts and {scene.priority for scene in room.aura.prompts} == {priority}
        before = len(room.aura.prompts)
        await caller.says(2.2)
        assert {scene.priority for scene in room.aura.prompts[before:]} == {Priority.PREFILL}
    assert priority > Priority.PREFILL


async def test_a_second_that_waits_when_somebody_begins_to_speak_is_read_as_theirs() -> None:
    room = Room(read_s=30.0)
    async with room.call(SessionOptions()) as caller:
        await caller.is_silent(1.6)
        (waits,) = room.read
        await caller.says(0.6)
        assert [scene.priority for scene in room.read] == [Priority.SEEN, Priority.PREFILL]
        assert seen(room.read[1])[: len(seen(waits))] == seen(waits)
