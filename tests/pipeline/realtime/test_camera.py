"""Pictures that come over the wire reach the eyes of a session."""

import asyncio
import base64
import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pipeline.errors import RequestError
from pipeline.media.video_chunk import Pixels, decoded
from pipeline.realtime.dispatch import Dispatch
from pipeline.realtime.protocol import client_events as client
from pipeline.realtime.protocol.client_events import AuraSettings
from pipeline.realtime.session_config import SessionConfig
from pipeline.topology.processors.aura import ROOM
from pipeline.types.history import Item
from pipeline.types.session_options import SessionOptions
from tests.room import QUESTION, Room, seen, spelt
from tests.scenario import Caller
from tests.served import ABLE


def picture(width: int = 64, height: int = 64, level: int = 200) -> str:
    file = io.BytesIO()
    Image.new("RGB", (width, height), (level, 30, 30)).save(file, "JPEG")
    return base64.b64encode(file.getvalue()).decode()


async def look(data: bytes) -> Pixels:
    return decoded(data)


async def send(
    caller: Caller, *events: client.ClientEvent, config: SessionConfig | None = None
) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []
    dispatch = Dispatch(caller.session, config or SessionConfig.at_first(ABLE), sent.append)
    for event in events:
        await dispatch.do(event, lambda config: {})
        await asyncio.sleep(0)
    return sent


def frame_item(*content: client.Content, item_id: str | None = None) -> client.ItemCreate:
    return client.ItemCreate(client.WireItem("message", id=item_id, role="user", content=list(content)))


def image(data: str) -> client.Content:
    return client.Content("input_image", image_url=f"data:image/jpeg;base64,{data}")


IMAGE = image(picture())


async def test_frames_become_rounds_by_the_time_that_the_client_names() -> None:
    room = Room()
    async with room.call(SessionOptions(), films=False) as caller:
        await send(caller, *(client.VideoAppend(picture(), 500 * number) for number in range(4)))
        await asyncio.sleep(0.2)
        assert [each.clip.id for each in caller.session.history.video_turns] == ["s.0-1", "s.2-3"]


async def test_pictures_are_of_what_the_client_says_and_else_of_a_camera() -> None:
    room = Room()
    events = (client.VideoAppend(picture(), 0), client.VideoAppend(picture(), 1_000, "screen"))
    async with room.call(SessionOptions(), films=False) as caller:
        await send(caller, *events, client.VideoAppend(picture(), 2_000, "camera"))
        await asyncio.sleep(1.2)
        assert [each.clip.source for each in caller.session.history.video_turns] == ["camera", "screen", "camera"]


async def test_an_item_that_holds_only_a_picture_says_what_took_it() -> None:
    room = Room()
    screen = client.Content("input_image", image_url=IMAGE.image_url, source="screen")
    async with room.call(SessionOptions(), films=False) as caller:
        for content in (IMAGE, screen):
            await send(caller, frame_item(content))
            await asyncio.sleep(1.2)
        assert [each.clip.source for each in caller.session.history.video_turns] == ["camera", "screen"]


@pytest.mark.parametrize("at_ms", [-1, 10**400])
async def test_a_time_that_no_clock_shows_is_refused_and_the_camera_goes_on(at_ms: int) -> None:
    room = Room()
    async with room.call(SessionOptions(), films=False) as caller:
        with pytest.raises(RequestError, match="timestamp_ms"):
            await send(caller, client.VideoAppend(picture(), at_ms))
        await send(caller, client.VideoAppend(picture(), 0), client.VideoAppend(picture(), 500))
        await asyncio.sleep(0.2)
        assert len(caller.session.history.video_turns) == 1


async def test_frames_that_come_out_of_order_give_sensible_rounds() -> None:
    room = Room(decode_picture=look)
    times = (0, 1_000, 500, 1_500, 1_200, 3_000, 2_500, 3_500, 9_000, 100, 600, 9_100)
    async with room.call(SessionOptions(), films=False) as caller:
        for number, at_ms in enumerate(times):
            await send(caller, client.VideoAppend(picture(level=20 * number), at_ms))
            await asyncio.sleep(0.1)
        await asyncio.sleep(1.5)
        pairs = [np.asarray(each.clip.frames)[:, 0, 0, 0] for each in caller.session.history.video_turns]
        video_turns = [tuple(times[round(int(level) / 20)] for level in pair) for pair in pairs]
        caller.session.write(Item("q", "user", QUESTION))
        caller.session.respond()
        await asyncio.sleep(2)
    began_anew = (100, 600)  # so much earlier that it must be another clock
    assert video_turns == [(0, 0), (1_000, 1_500), (3_000, 3_500), (9_000, 9_000), began_anew, (9_100, 9_100)]
    assert caller.answer().text == "A cup."


async def test_an_item_that_holds_only_a_picture_is_a_frame() -> None:
    room = Room()
    async with room.call(SessionOptions(), films=False) as caller:
        sent = await send(caller, frame_item(IMAGE))
        await asyncio.sleep(1.5)
        assert [event["type"] for event in sent] == ["conversation.item.added", "conversation.item.done"]
        assert len(caller.session.history.video_turns) == 1
        assert caller.session.history.items == ()


async def test_a_picture_with_words_is_looked_at_with_its_question() -> None:
    room = Room()
    async with room.call(SessionOptions(), films=False) as caller:
        request = frame_item(IMAGE, client.Content("input_text", text=QUESTION))
        await send(caller, request, client.ResponseCreate())
        await asyncio.sleep(2)
    assert caller.answer().text == "A cup."
    (name,) = seen(room.request[-1])
    assert f"user\n<|vision_start|>{{{name}}}<|vision_end|>{QUESTION}<|im_end|>" in spelt(room.request[-1])


async def test_a_picture_with_a_question_of_its_own_is_looked_at() -> None:
    room = Room()
    async with room.call(SessionOptions(), films=False) as caller:
        request = client.WireItem("message", role="user", content=[IMAGE, client.Content("input_text", text=QUESTION)])
        alone = client.WireItem("message", role="user", content=[IMAGE])
        for given in ([request], [alone, frame_item(client.Content("input_text", text=QUESTION)).item]):
            await send(caller, client.ResponseCreate(client.ResponseSettings(conversation="none", input=given)))
            await asyncio.sleep(2)
    assert [len(seen(scene)) for scene in room.request] == [1, 1]
    assert caller.answer().text == "A cup."


@pytest.mark.parametrize(("width", "height", "end"), [(2_000, 10, None), (300, 300, -300)])
async def test_a_picture_that_cannot_be_seen_is_refused_by_its_field(width: int, height: int, end: int | None) -> None:
    room = Room(decode_picture=look)
    data = base64.b64encode(base64.b64decode(picture(width, height))[:end]).decode()
    content = [client.Content("input_text", text=QUESTION), image(data)]
    async with room.call(SessionOptions(), films=False) as caller:
        with pytest.raises(RequestError) as refused:
            await send(caller, frame_item(*content))
        assert refused.value.param == "item.content[1].image_url"
        assert refused.value.message.startswith("item.content[1].image_url: ")
        given = client.ResponseSettings(input=[client.WireItem("message", role="user", content=content)])
        with pytest.raises(RequestError, match=r"^response\.input\[0\]\.content\[1\]\.image_url: "):
            await send(caller, client.ResponseCreate(given))
        assert caller.session.history.items == ()
        await send(caller, frame_item(IMAGE, content[0]), client.ResponseCreate())
        await asyncio.sleep(2)
    assert caller.answer().text == "A cup."


async def test_more_pictures_than_a_model_looks_at_are_refused() -> None:
    room, config = Room(), SessionConfig.at_first(replace(ABLE, limits=ROOM))
    words = client.Content("input_text", text=QUESTION)
    async with room.call(SessionOptions(), films=False) as caller:
        with pytest.raises(RequestError, match=r"^item\.content: it has 5 pictures, and 4 can be seen"):
            await send(caller, frame_item(words, *[IMAGE] * 5), config=config)
        await send(caller, frame_item(words, *[IMAGE] * 4), client.ResponseCreate(), config=config)
        await asyncio.sleep(2)
    assert len(seen(room.request[-1])) == 4


async def test_another_picture_under_the_same_id_is_another_one() -> None:
    room, words = Room(decode_picture=look), client.Content("input_text", text=QUESTION)
    async with room.call(SessionOptions(), films=False) as caller:
        names = set()
        for level in (0, 250):
            await send(caller, frame_item(image(picture(level=level)), words, item_id="mine"))
            item = caller.session.conversation.find("mine")
            names |= {clip.id for clip in item.pictures}
            await send(caller, client.ItemDelete("mine"))
    assert len(names) == 2, "a name means one picture, in the caches of engines too"


async def test_a_frame_has_an_id_of_its_own() -> None:
    room, words = Room(), client.Content("input_text", text=QUESTION)
    async with room.call(SessionOptions(), films=False) as caller:
        with pytest.raises(RequestError, match="'mine' exists already"):
            await send(caller, frame_item(words, item_id="mine"), frame_item(IMAGE, item_id="mine"))
        await send(caller, frame_item(IMAGE, item_id="it"), frame_item(words, item_id="it"), client.ItemDelete("it"))
        assert [item.id for item in caller.session.history.items] == ["mine"]


async def test_a_client_that_has_no_camera_sends_in_vain() -> None:
    room = Room()
    config = replace(SessionConfig.at_first(ABLE), aura=AuraSettings(False, "speak", False))
    async with room.call(SessionOptions(), films=False) as caller:
        await send(
            caller, *(client.VideoAppend(picture(), 500 * n) for n in range(4)), frame_item(IMAGE), config=config
        )
        await asyncio.sleep(2)
        assert caller.session.history.video_turns == ()


async def test_what_is_no_picture_is_refused_and_the_next_frame_is_seen() -> None:
    room = Room()
    async with room.call(SessionOptions(), films=False) as caller:
        with pytest.raises(RequestError, match="not a picture"):
            await send(caller, client.VideoAppend("bm8gcGljdHVyZQ=="))
        with pytest.raises(RequestError, match="larger than"):
            await send(caller, client.VideoAppend(picture(7_680, 4_320)))
        await send(caller, client.VideoAppend(picture()))
        await asyncio.sleep(1.5)
        assert len(caller.session.history.video_turns) == 1
