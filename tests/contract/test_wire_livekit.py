"""LiveKit's own openai plugin drives the pipeline, with its defaults and a base URL."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from livekit import rtc
from livekit.agents import llm
from livekit.plugins.openai.realtime import RealtimeModel
from livekit.plugins.openai.realtime.realtime_model import RealtimeSession

from pipeline.engines.fake import hears, speaks, writes
from tests.contract.wire_media import loud, quiet
from tests.contract.wire_tap import Tap, tapped
from tests.contract.wire_tools import ARGUMENTS, FIRST, QUESTION, call, weather_line
from tests.contract.wire_wait import eventually
from tests.scenario import Line
from tests.served import KEY

pytestmark = pytest.mark.contract

PARIS = "The capital is Paris."
COUNT = " ".join(f"Number {n}." for n in range(1, 41))


@dataclass(slots=True)
class Agent:
    """One session of the plugin, and what it tells its framework.

    Attributes:
        emitted: The names of its events with their values, in order.
    """

    tap: Tap
    session: RealtimeSession
    emitted: list[tuple[str, Any]] = field(default_factory=list)

    def all(self, name: str) -> list[Any]:
        return [value for emitted, value in self.emitted if emitted == name]

    async def says(self, *messages: tuple[str, str]) -> None:
        """Ids and texts of the person's messages: all that is to stand in the conversation."""
        context = self.session.chat_ctx.copy()
        for message_id, text in messages:
            context.add_message(role="user", content=text, id=message_id)
        await self.session.update_chat_ctx(context)

    async def hears(self, sound: bytes) -> None:
        """Pushed in steps of 50 ms, as a room does."""
        for start in range(0, len(sound), 2_400):
            data = sound[start : start + 2_400]
            self.session.push_audio(rtc.AudioFrame(data, 24_000, 1, len(data) // 2))

    async def hears_a_question(self) -> None:
        """A sentence, and silence until it is certain that it has ended: 0.7 s once it was seen to be complete."""
        windows = self.tap.line.asr.prompts
        seen = len(windows)
        await self.hears(loud(0.6) + quiet(0.4))
        await eventually(lambda: len(windows) > seen)
        await asyncio.sleep(0.05)
        await self.hears(quiet(0.5))


@asynccontextmanager
async def agent(line: Line | None = None) -> AsyncGenerator[Agent, None]:
    async with tapped(line) as tap:
        model = RealtimeModel(base_url=tap.url, api_key=KEY)
        session = model.session()
        agent = Agent(tap, session)
        for name in ("generation_created", "input_speech_started", "input_speech_stopped", "error"):
            session.on(name, lambda value, name=name: agent.emitted.append((name, value)))
        session.on("input_audio_transcription_completed", lambda heard: agent.emitted.append(("heard", heard)))
        try:
            yield agent
        finally:
            await session.aclose()
            await model.aclose()
    assert agent.all("error") == []
    assert {error["error"]["code"] for error in tap.all("error")} <= {"response_cancel_not_active"}


async def played(generation: llm.GenerationCreatedEvent) -> tuple[str, str, float]:
    """The id, text and seconds of sound of an answer's message."""
    async for message in generation.message_stream:
        text = "".join([str(piece) async for piece in message.text_stream])
        seconds = sum([frame.duration async for frame in message.audio_stream])
        assert await message.modalities == ["audio", "text"]
        return message.message_id, text, seconds
    raise AssertionError("no message")


async def test_a_reply_resolves_and_streams_text_and_sound() -> None:
    async with agent() as it:
        await it.says(("question", "What is the capital of France?"))
        generation = await it.session.generate_reply(instructions="Be brief.")
        assert generation.user_initiated
        message_id, text, seconds = await played(generation)
        assert text == PARIS
        assert seconds == pytest.approx(1.2)
        await eventually(lambda: not it.session.has_active_generation)
    assert [(item.id, item.text_content) for item in it.session.chat_ctx.messages()] == [
        ("question", "What is the capital of France?"),
        (message_id, PARIS),
    ]
    update = it.tap.sent[0]["session"]
    assert (update["model"], update["tracing"], update["max_output_tokens"]) == ("gpt-realtime", None, "inf")


async def test_words_come_with_the_moment_at_which_they_are_spoken() -> None:
    async with agent(Line(aura=writes("One two. Three four."))) as it:
        generation = await it.session.generate_reply()
        message = await anext(aiter(generation.message_stream))
        times = [getattr(piece, "start_time", None) async for piece in message.text_stream]
    assert times == [0.0, 0.6]


async def test_an_interrupted_reply_is_cut_to_what_was_heard() -> None:
    line = Line(aura=writes(lambda chat: COUNT if "Count" in chat.messages[-1].text else PARIS))
    async with agent(line) as it:
        await it.says(("count", "Count to forty."))
        generation = await it.session.generate_reply()
        message = await anext(aiter(generation.message_stream))
        await anext(aiter(message.audio_stream))
        it.session.interrupt()
        it.session.truncate(message_id=message.message_id, modalities=["audio", "text"], audio_end_ms=1_200)
        await eventually(lambda: it.tap.all("conversation.item.truncated"))
        assert it.tap.all("response.done")[-1]["response"]["status"] == "cancelled"
        context = it.session.chat_ctx.copy()
        context.add_message(role="user", content="And now?", id="next")
        await it.session.update_chat_ctx(context)
        await played(await it.session.generate_reply())
        assert await line.tts.busy() == 0
    assert [message.text for message in line.questions[-1].messages] == [
        "Count to forty.",
        "Number 1. Number 2.",
        "And now?",
    ]


async def test_a_reply_of_which_nothing_was_heard_is_deleted() -> None:
    async with agent(Line(aura=writes(COUNT))) as it:
        generation = await it.session.generate_reply()
        message = await anext(aiter(generation.message_stream))
        it.session.interrupt()
        it.session.truncate(message_id=message.message_id, modalities=["audio", "text"], audio_end_ms=0)
        await eventually(lambda: it.tap.all("conversation.item.deleted"))
        await eventually(lambda: not it.session.has_active_generation)
    assert it.session.chat_ctx.items == []


async def test_a_reply_given_up_before_it_began_disturbs_nothing() -> None:
    async with agent() as it:
        await eventually(lambda: it.tap.all("session.updated"))
        given_up = it.session.generate_reply()
        it.session.interrupt()
        given_up.cancel()
        await eventually(lambda: len(it.tap.all("error")) >= 2)
        assert {error["error"]["code"] for error in it.tap.all("error")} == {"response_cancel_not_active"}
        assert (await played(await it.session.generate_reply()))[1] == PARIS


async def test_the_conversation_follows_the_frameworks_own() -> None:
    line = Line()
    async with agent(line) as it:
        await it.says(("a", "First."), ("b", "Second."), ("c", "Third."))
        context = llm.ChatContext([item for item in it.session.chat_ctx.items if item.id != "b"])
        context.add_message(role="assistant", content="Between.", id="between")
        context.items.insert(1, context.items.pop())
        await it.session.update_chat_ctx(context)
        assert [item.id for item in it.session.chat_ctx.items] == ["a", "between", "c"]
        await played(await it.session.generate_reply())
    assert [message.text for message in line.questions[-1].messages] == ["First.", "Between.", "Third."]
    assert len(it.tap.all("conversation.item.deleted")) == 1


async def test_frames_are_taken_and_stand_in_nobodys_way() -> None:
    line = Line()
    async with agent(line) as it:
        await it.says(("question", "What is this?"))
        for _ in range(3):
            it.session.push_video(rtc.VideoFrame(64, 48, rtc.VideoBufferType.RGBA, os.urandom(64 * 48 * 4)))
        await eventually(lambda: len(it.tap.all("conversation.item.done")) == 4)
        context = llm.ChatContext.empty()  # the framework's own holds no frames
        context.add_message(role="user", content="What is this?", id="question")
        context.add_message(role="user", content="Tell me.", id="more")
        await it.session.update_chat_ctx(context)
        await played(await it.session.generate_reply())
    assert len(it.tap.all("conversation.item.deleted")) == 3
    assert [message.text for message in line.questions[-1].messages] == ["What is this?", "Tell me."]


async def test_it_hears_with_semantic_turn_detection_and_is_answered() -> None:
    async with agent() as it:
        await it.hears_a_question()
        await eventually(lambda: it.all("generation_created"))
        generation = it.all("generation_created")[0]
        assert not generation.user_initiated, "the server answers by itself"
        assert (await played(generation))[1] == PARIS
        await eventually(lambda: not it.session.has_active_generation)
        assert len(it.all("input_speech_started")) == len(it.all("input_speech_stopped")) == 1
    final = [heard for heard in it.all("heard") if heard.is_final]
    assert [heard.transcript for heard in final] == ["What is the capital of France?"]
    messages = [(message.role, message.text_content) for message in it.session.chat_ctx.messages()]
    assert messages == [("user", "What is the capital of France?"), ("assistant", PARIS)]
    assert it.tap.sent[0]["session"]["audio"]["input"]["turn_detection"]["type"] == "semantic_vad"


async def test_speech_interrupts_and_the_next_turn_is_answered() -> None:
    line = Line(asr=hears("Count to forty.", "What is the capital of France?"), tts=speaks(ms_per_word=400))
    line.aura = writes(lambda chat: COUNT if "Count" in chat.messages[-1].text else PARIS)
    async with agent(line) as it:
        await it.hears_a_question()
        await eventually(lambda: it.tap.all("response.output_audio.delta"))
        await it.hears_a_question()
        await eventually(lambda: len(it.tap.all("response.done")) == 2)
    statuses = [done["response"]["status"] for done in it.tap.all("response.done")]
    assert statuses == ["cancelled", "completed"]
    assert len(it.all("generation_created")) == 2


async def test_turns_of_the_frameworks_own() -> None:
    async with tapped() as tap:
        model = RealtimeModel(base_url=tap.url, api_key=KEY)
        session = model.session(turn_detection_disabled=True)
        it = Agent(tap, session)
        await it.hears(loud(0.6))
        session.commit_audio()
        assert (await played(await session.generate_reply()))[1] == PARIS
        await session.aclose()
        await model.aclose()
    assert tap.types().count("input_audio_buffer.committed") == 1


@llm.function_tool
async def get_weather(city: str) -> str:
    """Tells the weather of a city.

    Args:
        city: Where.
    """
    return f"sunny in {city}"


async def test_a_function_tool_is_called_and_its_result_used() -> None:
    line = weather_line()
    async with agent(line) as it:
        await it.session.update_tools([get_weather])
        await eventually(lambda: any(event["session"]["tools"] for event in it.tap.all("session.updated")))
        await it.says(("question", QUESTION))
        generation = await it.session.generate_reply()
        _, text, _ = await played(generation)
        (call,) = [call async for call in generation.function_stream]
        assert (text, call.name, json.loads(call.arguments)) == (FIRST, "get_weather", ARGUMENTS)
        await eventually(lambda: not it.session.has_active_generation)
        result = await get_weather(**json.loads(call.arguments))
        context = it.session.chat_ctx.copy()
        output = llm.FunctionCallOutput(call_id=call.call_id, name=call.name, output=result, is_error=False)
        context.items.append(output)
        await it.session.update_chat_ctx(context)
        _, text, _ = await played(await it.session.generate_reply())
        assert text == "It is sunny in Paris there."
        await eventually(lambda: not it.session.has_active_generation)
    (tool,) = it.tap.all("session.updated")[-1]["session"]["tools"]
    assert tool["parameters"]["required"] == ["city"]
    said, told = line.questions[-1].messages[-2:]
    assert [call.name for call in said.calls] == ["get_weather"]
    assert told.call_id == said.calls[0].call_id


async def test_a_model_may_call_a_function_without_a_word() -> None:
    async with agent(Line(aura=writes(call()))) as it:
        await it.session.update_tools([get_weather])
        await it.says(("question", QUESTION))
        generation = await it.session.generate_reply(tool_choice="required")
        assert [made.name async for made in generation.function_stream] == ["get_weather"]
        assert [message async for message in generation.message_stream] == []


async def test_messages_before_and_behind_a_call_are_played_one_after_the_other() -> None:
    async with agent(Line(aura=writes(f"{FIRST} {call()} Still there."))) as it:
        await it.session.update_tools([get_weather])
        await it.says(("question", QUESTION))
        generation = await it.session.generate_reply()
        messages = [
            ("".join([str(piece) async for piece in message.text_stream]), message.message_id)
            async for message in generation.message_stream
        ]
        assert [text for text, _ in messages] == [FIRST, "Still there."]
        assert [made.name async for made in generation.function_stream] == ["get_weather"]
        await eventually(lambda: not it.session.has_active_generation)
        spoken = [item for item in it.session.chat_ctx.messages() if item.role == "assistant"]
        assert [(item.text_content, item.id) for item in spoken] == messages
