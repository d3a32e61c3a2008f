"""The agent's session on the real wire: both ends count a caller's sound from the same zero."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import numpy as np
import pytest
from livekit.agents import llm

from agent.livekit.connection import PipelineEndpoint
from agent.livekit.media import RATE, sound
from agent.livekit.model import AuraRealtimeModel
from agent.livekit.session import AuraRealtimeSession
from agent.livekit.session_settings import PipelineSessionSettings
from agent.persona.persona import AURA, Phrase
from agent.settings.agent import PipelineSettings
from pipeline.engines.fake import speaks, writes
from tests.agent.livekit.test_session import Listener
from tests.contract.wire_tools import FIRST, call
from tests.contract.wire_wait import eventually
from tests.scenario import Line
from tests.served import KEY, Served, served

pytestmark = [pytest.mark.contract, pytest.mark.anyio]

FRAME_S = 0.05
ONSET_S, SILENCE_S = 0.05, 0.25  # after which the agent's own voice activity detection knows
LULL_S = 0.15


class Person:
    """Speaks into an agent's session, whose voice activity detection is played here."""

    def __init__(self, session: AuraRealtimeSession, listener: Listener, line: Line) -> None:
        self._session, self._listener, self._asr = session, listener, line.asr

    async def asks(self) -> int:
        """Says something, and is silent. Returns how often the recogniser heard it to its end."""
        before = self._ends_heard
        self.sends(ONSET_S, 0.5)
        self._session.conversation.activity(True, ONSET_S * 1000)
        self.sends(1.0, 0.5)
        self.sends(LULL_S)
        await eventually(lambda: self._ends_heard > before)  # it is made out in the lull
        await asyncio.sleep(0.1)
        partials = len(self._listener.partials)
        self.sends(SILENCE_S - LULL_S)
        self._session.conversation.activity(False, SILENCE_S * 1000)
        await eventually(lambda: len(self._listener.partials) > partials and self._listener.partials[-1].settled)
        self.sends(0.25)
        self._session.commit_audio()
        await asyncio.sleep(0.1)
        return self._ends_heard - before

    @property
    def _ends_heard(self) -> int:
        return sum(window.settles for window in self._asr.prompts)

    def sends(self, seconds: float, level: float = 0.0) -> None:
        samples = np.full(round(FRAME_S * RATE), level * 32_767, np.int16)
        for _ in range(round(seconds / FRAME_S)):
            self._session.push_audio(sound(samples.tobytes()))


@asynccontextmanager
async def talking(pipeline: Served) -> AsyncIterator[tuple[AuraRealtimeSession, Listener]]:
    listener = Listener()
    endpoint = PipelineEndpoint(PipelineSettings(pipeline.url, KEY))
    model = AuraRealtimeModel(endpoint, PipelineSessionSettings(AURA, spoken=True, camera=True), listener)
    try:
        yield model.session(), listener
    finally:
        await model.aclose()


async def test_an_utterance_costs_no_pass_more_after_the_line_was_resumed() -> None:
    async with served() as pipeline, talking(pipeline) as (session, listener):
        person = Person(session, listener, pipeline.line)
        await eventually(partial(bool, listener.lines))
        person.sends(3.0)
        passes = [await person.asks(), await person.asks()]
        assert passes == [1, 1]
        for _ in range(2):
            token = listener.lines[-1]
            await session.conversation.hang_up()
            person.sends(2.0)  # comes too late for one connection and too early for the next
            session.conversation.pick_up()
            await eventually(lambda before=token: listener.lines[-1] not in ("", before))  # type: ignore[misc]
            person.sends(1.0)
            passes += [await person.asks(), await person.asks()]
        assert passes == [1] * 6


@llm.function_tool
async def get_weather(city: str) -> str:
    """Tells the weather of a city."""
    return f"sunny in {city}"


async def test_messages_around_a_call_are_told_one_after_the_other_and_truncated_by_themselves() -> None:
    line = Line(aura=writes(f"{FIRST} {call()} Still there."), tts=speaks(500))
    async with served(line) as pipeline, talking(pipeline) as (session, listener):
        await eventually(partial(bool, listener.lines))
        await session.update_tools([get_weather])
        generation = await session.generate_reply()
        heard: list[tuple[str, float, list[float]]] = []
        ids: list[str] = []
        async for message in generation.message_stream:
            words = [piece async for piece in message.text_stream]
            seconds = sum([frame.duration async for frame in message.audio_stream])
            heard.append(("".join(words), seconds, [getattr(piece, "start_time", -1.0) for piece in words]))
            ids.append(message.message_id)
        assert [(text, starts) for text, _, starts in heard] == [(FIRST, [0.0]), ("Still there.", [0.0])]
        assert [seconds for _, seconds, _ in heard] == pytest.approx([1.0, 1.0])
        assert [made.name async for made in generation.function_stream] == ["get_weather"]
        session.truncate(message_id=ids[-1], modalities=["audio"], audio_end_ms=500, audio_transcript="Still")
        async for _ in (await session.generate_reply()).message_stream:
            """Answered with what was heard."""
    said = [message.text for message in line.questions[-1].messages if message.role == "assistant"]
    assert said == [FIRST, "Still"]


async def test_what_is_said_out_of_band_is_heard_and_never_read_by_the_model() -> None:
    line = Line(aura=writes("Well."), tts=speaks(500))
    async with served(line) as pipeline, talking(pipeline) as (session, listener):
        await eventually(partial(bool, listener.lines))
        said = session.conversation.character.note(Phrase("One moment, please."), kept=False)
        async for message in (await session.say(said)).message_stream:
            assert "".join([piece async for piece in message.text_stream]) == said
            assert sum([frame.duration async for frame in message.audio_stream]) > 0
            session.truncate(message_id=message.message_id, modalities=["audio"], audio_end_ms=100)
            told = session.chat_ctx.copy()  # as LiveKit tells what it has played
            told.items.append(llm.ChatMessage(role="assistant", id=message.message_id, content=[said]))
            told.add_message(role="user", content="And?")
            await session.update_chat_ctx(told)
        async for message in (await session.generate_reply()).message_stream:
            assert "".join([piece async for piece in message.text_stream]) == "Well."
        assert [item.text_content for item in session.chat_ctx.messages()] == ["And?", "Well."]
    assert [message.text for message in line.questions[-1].messages] == ["And?"]
