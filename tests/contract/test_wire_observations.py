"""What small models recognise in a caller's pictures is told to whoever asks, over the real wire."""

import asyncio
from dataclasses import replace

import pytest

from pipeline.media.picture_decoding import in_thread
from pipeline.media.video_chunk import Pixels
from pipeline.types.observation import Observation, SeenThing
from tests.contract.wire_caller import Caller, calling
from tests.contract.wire_eyes import Recognising
from tests.contract.wire_media import picture
from tests.scenario import Line
from tests.served import served

pytestmark = pytest.mark.contract

DESK = Observation((SeenThing("person", is_certain=True), SeenThing("cup", 2)), text='Mind the "gap"')


async def films(caller: Caller, frames: int, source: str = "camera") -> None:
    """Two frames a second, by the caller's own clock."""
    for at in range(frames):
        await caller.send("input_video_buffer.append", image=picture(), timestamp_ms=at * 500, source=source)
        await asyncio.sleep(0.1)


async def test_what_is_recognised_is_told_in_a_line_and_thing_by_thing() -> None:
    async with served(Recognising(DESK)) as pipeline, calling(pipeline) as caller:
        assert (await caller.updates(aura={"observations": True}))["aura"]["observations"] is True
        await films(caller, 4)
        told = await caller.until("aura.observation")
        age_ms = told.pop("age_ms")
        assert {key: told[key] for key in told if key not in ("event_id", "type")} == {
            "source": "camera",
            "text": "a person, 2 cups. Text written there: \"Mind the 'gap'\"",
            "things": [
                {"name": "person", "count": 1, "certain": True},
                {"name": "cup", "count": 2, "certain": False},
            ],
            "written": 'Mind the "gap"',
            "blank": False,
        }
        assert 0 <= age_ms < 10_000


async def test_a_screen_is_told_apart_from_a_camera() -> None:
    async with served(Recognising(DESK)) as pipeline, calling(pipeline) as caller:
        await caller.updates(aura={"observations": True})
        await films(caller, 4, "screen")
        assert (await caller.until("aura.observation"))["source"] == "screen"


async def test_nobody_else_is_told_anything_that_they_do_not_know() -> None:
    line = Recognising(DESK)
    async with served(line) as pipeline, calling(pipeline) as caller:
        created = await caller.until("session.created")
        assert created["session"]["aura"]["observations"] is False
        await films(caller, 8)
        await caller.asks()
        assert line.eyes.prompts, "the pictures were looked at"
        assert caller.all("aura.observation") == []


async def test_what_is_written_behind_frames_is_about_them_however_long_it_takes_to_decode_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def slowly(data: bytes) -> Pixels:
        await asyncio.sleep(0.05)
        return await in_thread(data)

    line = Recognising(DESK)
    stages = replace(line.stages(), decode_picture=slowly)
    monkeypatch.setattr(line, "stages", lambda: stages)
    async with served(line) as pipeline, calling(pipeline) as caller:
        for at in range(4):
            await caller.send("input_video_buffer.append", image=picture(), timestamp_ms=at * 500)
        await caller.asks("What do you see?")
        assert "2 cups" in line.told[-1]


async def test_who_turns_it_off_again_is_told_no_more() -> None:
    line = Recognising(DESK)
    async with served(line) as pipeline, calling(pipeline) as caller:
        await caller.updates(aura={"observations": True})
        await films(caller, 4)
        await caller.until("aura.observation")
        await caller.updates(aura={"observations": False})
        before = len(caller.all("aura.observation"))
        await films(caller, 8)
        await caller.asks()
        assert len(caller.all("aura.observation")) == before


async def test_a_pipeline_without_eyes_takes_the_wish_and_has_nothing_to_tell() -> None:
    async with served(Line()) as pipeline, calling(pipeline) as caller:
        assert (await caller.updates(aura={"observations": True}))["aura"]["sees"] is False
        await films(caller, 4)
        await caller.asks()
        assert caller.all("aura.observation") == []


async def test_a_wish_that_is_no_boolean_is_refused_by_its_field() -> None:
    async with served(Line()) as pipeline, calling(pipeline) as caller:
        await caller.send("session.update", session={"aura": {"observations": "yes"}})
        assert (await caller.refusal())["param"] == "session.aura.observations"
        await caller.still_works()
