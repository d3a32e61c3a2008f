"""A pipeline that is to end lets nobody in, and whoever is being answered hear their answer to its end."""

import asyncio
import json
from contextlib import AsyncExitStack

import aiohttp
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from pipeline.engines.fake import writes
from tests.contract.wire_caller import Caller, calling
from tests.contract.wire_media import said
from tests.contract.wire_tap import check
from tests.contract.wire_wait import PATIENCE_S, eventually
from tests.scenario import Line
from tests.served import KEY, served

pytestmark = pytest.mark.contract

COUNT = " ".join(f"Number {n}." for n in range(1, 7))


async def test_answers_are_heard_to_their_ends_and_nobody_else_comes_in() -> None:
    line = Line(aura=writes(COUNT, word_s=0.05))
    async with (
        served(line) as pipeline,
        calling(pipeline) as caller,
        calling(pipeline) as silent,
        aiohttp.ClientSession(pipeline.url) as http,
        asyncio.TaskGroup() as tasks,
    ):
        await caller.says("Count to six.")
        await caller.send("response.create")
        await caller.until("response.output_audio.delta")
        draining = tasks.create_task(pipeline.server.drain(PATIENCE_S))
        await asyncio.sleep(0)
        async with http.get("/ready") as response:
            assert (response.status, await response.json()) == (503, {"ready": False, "free_sessions": 0})
        with pytest.raises(InvalidStatus) as refused:
            await connect(pipeline.websocket_url, additional_headers={"Authorization": f"Bearer {KEY}"}, proxy=None)
        assert refused.value.response.status_code == 503
        assert json.loads(refused.value.response.body)["error"]["code"] == "shutting_down"
        assert not draining.done()
        done = await caller.until("response.done")
        assert done["response"]["status"] == "completed"
        await asyncio.wait_for(draining, PATIENCE_S)
        await silent.still_works()


async def test_it_ends_after_a_while_whatever_is_being_said() -> None:
    async with served(Line(aura=writes(COUNT * 20, word_s=0.1))) as pipeline, calling(pipeline) as caller:
        await caller.says("Count to a hundred.")
        await caller.send("response.create")
        await caller.until("response.output_audio.delta")
        async with asyncio.timeout(PATIENCE_S):
            await pipeline.server.drain(0.3)
        assert "response.done" not in caller.types()


async def test_whoever_is_cut_off_is_told_before_the_socket_closes() -> None:
    async with AsyncExitStack() as serving, aiohttp.ClientSession(headers={"Authorization": f"Bearer {KEY}"}) as http:
        pipeline = await serving.enter_async_context(served(Line(aura=writes(COUNT * 20, word_s=0.1))))
        caller, deaf = [Caller(await http.ws_connect(pipeline.websocket_url)) for _ in range(2)]
        for each in (caller, deaf):
            await each.says("Count to a hundred.")
            await each.send("response.create")
            await each.until("response.output_audio.delta")
        async with asyncio.TaskGroup() as tasks:
            ending = tasks.create_task(serving.aclose())
            done = (await caller.until("response.done"))["response"]
            assert (done["status"], done["status_details"]) == (
                "cancelled",
                {"type": "cancelled", "reason": "shutting_down"},
            )
            assert done["output"][0]["status"] == "incomplete"
            with pytest.raises(ConnectionError, match="CLOSE 1001"):
                await caller.next()
            async with asyncio.timeout(PATIENCE_S):
                await ending
    check(caller.told)


async def test_whoever_is_cut_off_is_told_of_no_answer_that_then_begins() -> None:
    async with AsyncExitStack() as serving, aiohttp.ClientSession(headers={"Authorization": f"Bearer {KEY}"}) as http:
        pipeline = await serving.enter_async_context(served(Line(aura=writes(COUNT * 20, word_s=0.1))))
        caller = Caller(await http.ws_connect(pipeline.websocket_url))
        await caller.listens(turn_detection={"type": "server_vad", "interrupt_response": False})
        for _ in range(2):  # the second is owed an answer
            await caller.sounds(said())
            await caller.until("input_audio_buffer.committed")
        await caller.until("response.output_audio.delta")
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(serving.aclose())
            with pytest.raises(ConnectionError, match="CLOSE 1001"):
                while True:
                    await caller.next()
    assert len(caller.all("response.created")) == len(caller.all("response.done")) == 1
    check(caller.told)


async def test_a_caller_who_vanishes_is_not_waited_for() -> None:
    line = Line(aura=writes(COUNT * 20, word_s=0.1))
    async with served(line) as pipeline, asyncio.TaskGroup() as tasks:
        async with calling(pipeline) as caller:
            await caller.says("Count to a hundred.")
            await caller.send("response.create")
            await caller.until("response.output_audio.delta")
            draining = tasks.create_task(pipeline.server.drain(60))
            await asyncio.sleep(0)
        await eventually(draining.done)
