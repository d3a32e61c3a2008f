"""A model that only reads is told what another one recognises in what the camera shows."""

import asyncio
from dataclasses import replace

import pytest

from pipeline.engines.fake import writes
from pipeline.errors import EngineError
from pipeline.media.video_chunk import VideoSource
from pipeline.turns.stage import OPTIONAL_S
from pipeline.types.events.input_events import PictureRecognised, VideoSkipped
from pipeline.types.events.response_events import ResponseDone
from pipeline.types.history import Item
from pipeline.types.observation import Observation, SeenThing
from pipeline.types.session_options import SessionOptions
from tests.eyes import CAT, Eyes, films
from tests.room import SERVER_VAD
from tests.scenario import Caller

SHOWN = "(The camera now shows: a cat.)\nWhat is this?"
OFF = "(The camera is off now.)\nWhat is this?"
CUP = Observation((SeenThing("cup"),))


async def asks(caller: Caller, seconds: float = 2.2) -> ResponseDone:
    """By word of mouth, and waits for the answer."""
    await caller.says(seconds)
    await caller.is_silent(2)
    return caller.answer()


async def test_what_the_camera_shows_stands_right_before_the_question() -> None:
    eyes = Eyes()
    async with eyes.call() as caller, asyncio.TaskGroup() as tasks:
        tasks.create_task(films(caller.session, 4))
        assert (await asks(caller)).text == "A cat."
    assert eyes.question == SHOWN


async def test_each_new_observation_is_told_once_also_while_nobody_speaks() -> None:
    eyes = Eyes()
    async with eyes.call(replace(SERVER_VAD, observations=True)) as caller:
        await films(caller.session, 8)
        await asyncio.sleep(2)
        seen = caller.all(PictureRecognised)
    assert [(each.observation, each.source) for each in seen] == [(CAT, "camera")] * 8, "a second each"
    assert {each.age_ms for each in seen} <= {50, 550}, "since its newest frame came"
    assert len(eyes.writer.prompts) == 1, "the model that writes is told once that it sees, and then not troubled"
    assert eyes.writer.prompts[0].max_tokens == 0


async def test_nothing_is_looked_at_between_the_end_of_what_is_said_and_the_end_of_the_answer() -> None:
    eyes = Eyes()
    eyes.writer = writes("A cat.", first_s=3.0)
    async with eyes.call() as caller, asyncio.TaskGroup() as tasks:
        tasks.create_task(films(caller.session, 12))
        await caller.says(2.2)
        await caller.is_silent(0.6)
        looks = len(eyes.eyes.prompts)
        await caller.is_silent(1.8)
        assert not caller.all(ResponseDone)
        newest = eyes.eyes.prompts[looks - 1].pictures[-1]
        assert all(prompt.pictures[-1] == newest for prompt in eyes.eyes.prompts[looks:]), "nothing new"
        await caller.is_silent(6)
        assert caller.answer().text == "A cat."
    assert len(eyes.eyes.prompts) > looks + 2, "afterwards it looks again"


async def test_while_a_person_speaks_each_frame_is_recognised_as_it_comes() -> None:
    eyes = Eyes()
    async with eyes.call() as caller, asyncio.TaskGroup() as tasks:
        tasks.create_task(films(caller.session, 3))
        await caller.says(2.4)
        names = list(dict.fromkeys(prompt.pictures[-1].id for prompt in eyes.eyes.prompts))
        await caller.is_silent(2)
    assert names[-5:] == ["s.0", "s.0-1", "s.2", "s.2-3", "s.4"]


async def test_eyes_that_take_longer_than_a_second_skip_nothing_and_see_the_newest_picture() -> None:
    eyes = Eyes(look_s=1.2)
    async with eyes.call(replace(SERVER_VAD, observations=True)) as caller:
        await films(caller.session, 10)
        await asyncio.sleep(4)
        assert not caller.all(VideoSkipped), "whoever looks at the newest picture only has no more to do then"
        seen = caller.all(PictureRecognised)
    assert len(seen) > 4
    assert eyes.eyes.prompts[-1].pictures[-1].id.startswith("s.18")


async def test_the_question_finds_its_picture_recognised() -> None:
    eyes = Eyes(look_s=0.2)
    async with eyes.call() as caller, asyncio.TaskGroup() as tasks:
        tasks.create_task(films(caller.session, 4))
        timings = (await asks(caller)).timings
    assert timings["vision_first"] == timings["vision_began"], "nothing was left to recognise"


@pytest.mark.parametrize(("gone_s", "line"), [(0.0, SHOWN), (0.3, SHOWN), (4.0, OFF), (60.0, OFF)])
async def test_a_camera_that_has_stopped_shows_nothing_any_more(gone_s: float, line: str) -> None:
    """It was switched off, or is frozen: no new picture comes."""
    eyes = Eyes()
    async with eyes.call() as caller:
        await films(caller.session, 3)
        await asyncio.sleep(gone_s)
        assert (await asks(caller, 0.6)).status == "completed"
    assert eyes.question == line


async def test_that_it_has_stopped_is_known_before_the_question_is_complete() -> None:
    eyes = Eyes(heard_s=0.1)
    async with eyes.call() as caller:
        await films(caller.session, 3)
        await asyncio.sleep(10)
        await asks(caller)
    ahead = [chat.messages[-1].text for chat in eyes.writer.prompts if not chat.max_tokens]
    assert {text for text in ahead if text.endswith("What is this?")} == {OFF}


async def test_a_camera_that_stops_while_the_person_speaks_is_off_when_they_have_finished() -> None:
    eyes = Eyes()
    async with eyes.call() as caller, asyncio.TaskGroup() as tasks:
        tasks.create_task(films(caller.session, 1))
        await asks(caller, 4.5)
    assert eyes.question == OFF


async def test_a_camera_that_is_switched_on_again_shows_what_is_there_now() -> None:
    eyes = Eyes(lambda name: CAT if name < "s.4" else CUP)
    async with eyes.call() as caller, asyncio.TaskGroup() as tasks:
        await films(caller.session, 2)
        await asyncio.sleep(30)
        tasks.create_task(films(caller.session, 4))
        await asks(caller)
    assert eyes.question == "(The camera now shows: a cup.)\nWhat is this?"


async def test_a_camera_that_was_never_on_is_not_mentioned() -> None:
    eyes = Eyes()
    async with eyes.call() as caller:
        await asks(caller)
    assert eyes.question == "What is this?" and not eyes.eyes.prompts


async def test_a_camera_that_stops_while_the_person_is_silent_discards_no_answer() -> None:
    eyes = Eyes()
    async with eyes.call() as caller:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(films(caller.session, 2))
            await caller.says(2.2)
        await caller.is_silent(0.5)
        await caller.is_silent(4)
    assert len(eyes.questions) == 1


async def test_what_was_seen_before_is_not_told_again() -> None:
    eyes = Eyes()
    async with eyes.call() as caller, asyncio.TaskGroup() as tasks:
        tasks.create_task(films(caller.session, 12))
        await asks(caller)
        await asyncio.sleep(2)
        await asks(caller)
    texts = [message.text for message in eyes.questions[-1].messages]
    assert [text for text in texts if "now shows: a cat" in text] == [SHOWN]
    assert "What is this?" in texts, "the first question stands there without it"


async def test_eyes_that_fail_or_hang_fail_no_turn() -> None:
    broken = Eyes(lambda name: EngineError("vision", "broken"))
    hanging = Eyes(look_s=60)
    for eyes in (broken, hanging):
        async with eyes.call() as caller, asyncio.TaskGroup() as tasks:
            tasks.create_task(films(caller.session, 8))
            await caller.says(2.2)
            await caller.is_silent(OPTIONAL_S + 3)
            assert (caller.answer().status, caller.answer().text) == ("completed", "A cat.")
        assert eyes.question == "(The camera cannot be looked at just now.)\nWhat is this?"


async def test_a_question_that_asks_to_read_has_its_picture_read_in_full() -> None:
    eyes = Eyes(asked="What does it say?")
    async with eyes.call() as caller, asyncio.TaskGroup() as tasks:
        tasks.create_task(films(caller.session, 4))
        await asks(caller)
        assert any(prompt.read for prompt in eyes.eyes.prompts)
        assert not all(prompt.read for prompt in eyes.eyes.prompts)


async def test_while_nobody_asks_nothing_is_read_in_full_whatever_was_said_last() -> None:
    eyes = Eyes(asked="What does it say?")
    eyes.writer = writes("")
    async with eyes.call() as caller, asyncio.TaskGroup() as tasks:
        tasks.create_task(films(caller.session, 9))
        assert (await asks(caller)).item is None, "it stays silent"
        await asyncio.sleep(6)
        assert not any(prompt.read for prompt in eyes.eyes.prompts[-4:])


async def test_the_model_that_writes_is_never_asked_for_a_remark() -> None:
    eyes = Eyes()
    async with eyes.call(SessionOptions(proactive="offer")) as caller:
        await films(caller.session, 4)
    assert not eyes.questions


@pytest.mark.parametrize("source", ["camera", "screen"])
async def test_a_written_question_is_about_what_is_shown_too(source: VideoSource) -> None:
    eyes = Eyes()
    async with eyes.call(replace(SERVER_VAD, observations=True)) as caller:
        assert caller.session.vision
        for _ in range(4):
            caller.session.vision.watching.see(b"frame", source=source)
            await asyncio.sleep(0.5)
        caller.session.write(Item("w", "user", "What is this?"))
        caller.session.respond()
        await asyncio.sleep(2)
        assert (CAT, source) in [(each.observation, each.source) for each in caller.all(PictureRecognised)]
    name = {"camera": "The camera", "screen": "The shared screen"}[source]
    assert eyes.question == f"({name} now shows: a cat.)\nWhat is this?"


async def test_a_picture_that_is_sent_is_recognised_for_the_question_that_it_comes_with() -> None:
    eyes = Eyes()
    async with eyes.call() as caller:
        assert caller.session.vision
        picture = await caller.session.vision.picture(b"picture")
        caller.session.write(Item("w", "user", "What is this?", images=1, pictures=(picture,)))
        caller.session.respond()
        await asyncio.sleep(2)
        assert not caller.all(PictureRecognised), "no camera shows it"
    assert eyes.question == "(The picture that was sent shows: a cat.)\nWhat is this?"


async def test_only_the_newest_seconds_are_kept() -> None:
    eyes = Eyes()
    async with eyes.call() as caller:
        await films(caller.session, 60)
        assert len(caller.session.history.video_turns) <= 5
