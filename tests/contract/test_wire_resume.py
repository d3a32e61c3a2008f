"""Whoever has lost their socket goes on with the conversation, however bad the line is."""

import asyncio
from dataclasses import replace

import aiohttp
import pytest

from pipeline.engines.fake import writes
from pipeline.realtime.connections import TAKEOVER_S
from tests.contract.wire_caller import calling
from tests.scenario import Line
from tests.served import served

pytestmark = pytest.mark.contract

COUNT = " ".join(f"Number {n}." for n in range(1, 41))


async def test_a_lost_conversation_goes_on_with_what_was_said_and_heard() -> None:
    line = Line(aura=writes(COUNT))
    async with served(line) as pipeline:
        async with calling(pipeline) as caller:
            token = (await caller.until("session.created"))["session"]["aura"]["resume_token"]
            await caller.updates(instructions="Be brief.", audio={"output": {"voice": "alto"}})
            await caller.says("Count to forty.")
            await caller.send("response.create")
            await caller.until("response.output_audio.delta")
            await asyncio.sleep(1.3)
            await caller.socket.close()
        async with calling(pipeline, resume=token) as caller:
            session = (await caller.until("session.created"))["session"]
            assert (session["instructions"], session["audio"]["output"]["voice"]) == ("Be brief.", "alto")
            assert session["aura"]["resume_token"] != token
            await caller.asks("Where were we?", output_modalities=["text"])
        async with calling(pipeline, resume=token) as caller:
            await caller.asks("Is this new?", output_modalities=["text"])
    question, heard, next_question = [message.text for message in line.questions[-2].messages[-3:]]
    assert (question, next_question) == ("Count to forty.", "Where were we?")
    assert heard.startswith("Number 1. Number 2.")
    assert COUNT.startswith(heard)
    assert len(heard) < len(COUNT) / 2, "it was cut where its caller was lost"
    assert [message.text for message in line.questions[-1].messages] == ["Is this new?"], "a token is good once"


async def test_a_connection_that_only_its_caller_knows_is_lost_is_taken_over() -> None:
    async with served(max_sessions=1) as pipeline, calling(pipeline) as old:
        session = (await old.until("session.created"))["session"]
        await old.says("Remember me.", id="remember")
        await old.until("conversation.item.done")
        async with calling(pipeline, resume=session["aura"]["resume_token"]) as new:
            assert (await new.until("session.created"))["session"]["id"] == session["id"]
            await new.send("conversation.item.retrieve", item_id="remember")
            await new.until("conversation.item.retrieved")
            with pytest.raises(ConnectionError):
                await old.next()


async def test_a_full_pipeline_keeps_what_could_not_go_on() -> None:
    async with served(max_sessions=1) as pipeline:
        async with calling(pipeline) as caller:
            token = (await caller.until("session.created"))["session"]["aura"]["resume_token"]
            await caller.says("Remember me.", id="remember")
            await caller.until("conversation.item.done")
        async with calling(pipeline):
            with pytest.raises(aiohttp.WSServerHandshakeError):
                async with calling(pipeline, resume=token):
                    pass
        async with calling(pipeline, resume=token) as caller:
            await caller.send("conversation.item.retrieve", item_id="remember")
            await caller.until("conversation.item.retrieved")


async def test_who_loses_the_new_socket_before_they_have_read_its_token_goes_on_with_the_one_that_they_have() -> None:
    async with served() as pipeline:
        async with calling(pipeline) as caller:
            token = (await caller.until("session.created"))["session"]["aura"]["resume_token"]
            await caller.says("Remember me.", id="remember")
            await caller.until("conversation.item.done")
        for _ in range(3):
            async with calling(pipeline, resume=token):
                """Nothing is read on a bad line."""
        async with calling(pipeline, resume=token) as unread, calling(pipeline, resume=token) as caller:
            await caller.send("conversation.item.retrieve", item_id="remember")
            await caller.until("conversation.item.retrieved")
            with pytest.raises(ConnectionError):
                while True:
                    await unread.next()
        async with calling(pipeline, resume=token) as other:
            await other.send("conversation.item.retrieve", item_id="remember")
            assert (await other.refusal())["code"] == "item_retrieve_invalid_item_id", "it was used"


async def test_who_has_read_the_new_token_and_sent_nothing_goes_on_with_it() -> None:
    async with served() as pipeline:
        async with calling(pipeline) as caller:
            session = (await caller.until("session.created"))["session"]
            name = session["id"]
        for _ in range(3):
            async with calling(pipeline, resume=session["aura"]["resume_token"]) as caller:
                session = (await caller.until("session.created"))["session"]
                assert session["id"] == name


async def test_who_goes_on_is_told_to_come_again_where_the_lost_connection_does_not_end() -> None:
    """An engine that hangs lets nobody go."""
    stuck = writes(COUNT, word_s=0.01)
    line = Line(aura=replace(stuck, abort_s=TAKEOVER_S + 3))
    async with served(line) as pipeline, calling(pipeline) as caller:
        token = (await caller.until("session.created"))["session"]["aura"]["resume_token"]
        await caller.says("Count to forty.", id="count")
        await caller.send("response.create")
        await caller.until("response.output_audio_transcript.delta")
        began = asyncio.get_running_loop().time()
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            async with calling(pipeline, resume=token):
                pass
        assert refused.value.status == 503 and refused.value.headers and refused.value.headers["Retry-After"] == "5"
        assert asyncio.get_running_loop().time() - began == pytest.approx(TAKEOVER_S, abs=1)
        async with calling(pipeline, resume=token) as again:
            await again.send("conversation.item.retrieve", item_id="count")
            await again.until("conversation.item.retrieved")
