"""Pictures that are broken, black, tiny, huge, too many or too few: the conversation goes on as if there were none."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from time import time  # noqa: TID251 - LiveKit stamps its events with the wall clock

import pytest
from livekit import rtc
from PIL import Image

from agent.call import Call
from agent.console.audio import WavLoudspeaker
from agent.persona.persona import Persona
from agent.settings.agent import PipelineSettings
from agent.turns.endpointing import TURNS
from pipeline.types.observation import Observation, SeenThing
from tests.agent.audience import Notes
from tests.contract.wire_caller import Caller, calling
from tests.contract.wire_eyes import Recognising
from tests.contract.wire_media import base64, header_of_a_png, picture
from tests.contract.wire_wait import eventually
from tests.served import KEY, served

pytestmark = [pytest.mark.contract, pytest.mark.anyio]

CAT = Observation((SeenThing("cat", is_certain=True),))
BROKEN = b"\xff\xd8\xff\xe0" + bytes(200)


def jpeg(width: int, height: int, colour: str = "red") -> bytes:
    out = BytesIO()
    Image.new("RGB", (width, height), colour).save(out, "JPEG")
    return out.getvalue()


async def shows(caller: Caller, image: str, at: int = 0) -> None:
    await caller.send("input_video_buffer.append", image=image, timestamp_ms=at * 500)


@pytest.mark.parametrize(
    "image",
    [base64(BROKEN), base64(b"no picture"), "%%%", "", base64(jpeg(7_680, 4_320)), header_of_a_png(60_000, 60_000)],
    ids=["broken", "text", "not-base64", "empty", "8K", "bomb"],
)
async def test_what_cannot_be_looked_at_is_refused_by_its_field_and_the_next_question_is_answered(image: str) -> None:
    line = Recognising(CAT)
    async with served(line) as pipeline, calling(pipeline) as caller:
        await shows(caller, image)
        assert (await caller.refusal())["param"] == "image"
        await caller.still_works()
        assert line.eyes.prompts == []


async def test_a_jpeg_that_breaks_off_stops_neither_the_camera_nor_the_conversation() -> None:
    line = Recognising(CAT)
    async with served(line) as pipeline, calling(pipeline) as caller:
        await caller.updates(aura={"observations": True})
        torn = base64(jpeg(640, 480)[:700])  # its header is whole
        for at in range(4):
            await shows(caller, torn, at)
        await caller.still_works()
        for at in range(4, 8):
            await shows(caller, picture(), at)
        assert (await caller.until("aura.observation"))["text"] == "a cat"


@pytest.mark.parametrize("size", [(1, 1), (1, 100), (4_096, 4_096)], ids=str)
async def test_the_smallest_and_the_largest_picture_are_looked_at(size: tuple[int, int]) -> None:
    async with served(Recognising(CAT)) as pipeline, calling(pipeline) as caller:
        await caller.updates(aura={"observations": True})
        for at in range(3):
            await shows(caller, base64(jpeg(*size)), at)
        assert (await caller.until("aura.observation"))["text"] == "a cat"
        await caller.still_works()


async def test_a_black_picture_is_blank_and_has_no_line() -> None:
    async with served(Recognising(CAT)) as pipeline, calling(pipeline) as caller:
        await caller.updates(aura={"observations": True})
        for at in range(3):
            await shows(caller, base64(jpeg(640, 480, "black")), at)
        told = await caller.until("aura.observation")
        assert (told["text"], told["things"], told["blank"]) == ("", [], True)
        await caller.still_works()


async def test_sixty_frames_a_second_are_looked_at_as_two_are() -> None:
    line = Recognising(CAT)
    async with served(line) as pipeline, calling(pipeline) as caller:
        await caller.updates(aura={"observations": True})
        image = picture()
        for at in range(180):
            await caller.send("input_video_buffer.append", image=image, timestamp_ms=round(at * 1_000 / 60))
            await asyncio.sleep(1 / 60)
        await caller.still_works()
        assert 1 <= len(caller.all("aura.observation")) <= 10
        pictures = {each.id for prompt in line.eyes.prompts for each in prompt.pictures}
        assert len(pictures) <= 10, "two frames for each second, as each joins the conversation and before"


async def test_a_camera_that_freezes_is_not_taken_for_what_is_there_now() -> None:
    line = Recognising(CAT)
    async with served(line) as pipeline, calling(pipeline) as caller:
        for at in range(4):
            await shows(caller, picture(), at)
            await asyncio.sleep(0.1)
        await caller.asks("What do you see?")
        assert "a cat" in line.told[-1]
        await asyncio.sleep(2.5)
        await caller.asks("And now?")
        assert "a cat" not in line.told[-1]


async def test_eyes_that_take_forever_keep_nobody_waiting() -> None:
    line = Recognising(CAT, look_s=3_600)
    async with served(line) as pipeline, calling(pipeline) as caller:
        for at in range(4):
            await shows(caller, picture(), at)
            await asyncio.sleep(0.1)
        await caller.still_works()


# The same through the agent, as a room would give it.


@asynccontextmanager
async def filmed(line: Recognising) -> AsyncIterator[tuple[Call, Notes]]:
    notes, loudspeaker = Notes(), WavLoudspeaker(time)
    async with served(line) as pipeline, asyncio.TaskGroup() as tasks:
        call = Call(PipelineSettings(pipeline.url, KEY), Persona("Aura", "Be brief."), TURNS["browser"], notes)
        call.session.output.audio = loudspeaker
        playing = tasks.create_task(loudspeaker.play())
        await call.start(greet=False)
        yield call, notes
        await call.aclose()
        playing.cancel()


@pytest.mark.parametrize("size", [(1, 1), (3, 2), (7_680, 4_320)], ids=str)
async def test_the_frames_of_any_camera_are_seen_at_any_pace_and_the_question_is_answered(
    size: tuple[int, int],
) -> None:
    line = Recognising(CAT)
    width, height = size
    grey = bytes([128]) * (width * height + 2 * -(-width // 2) * -(-height // 2))
    frame = rtc.VideoFrame(width, height, rtc.VideoBufferType.I420, grey)
    async with filmed(line) as (call, notes):

        async def film() -> None:
            while True:
                call.session.current_agent.realtime_llm_session.push_video(frame)
                await asyncio.sleep(1 / 60)

        async with asyncio.TaskGroup() as tasks:
            filming = tasks.create_task(film())
            await eventually(lambda: notes.of("aura.observation"))
            await call.write("What do you see?")
            filming.cancel()
        assert notes.of("aura.observation")[0][1] == "a cat"
        assert "a cat" in line.told[-1]
        await eventually(lambda: notes.of("aura.observation")[-1][1] == "")
