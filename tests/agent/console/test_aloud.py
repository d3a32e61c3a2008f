"""Whole conversations through a microphone that hears the loudspeaker: LiveKit's session, the real canceller.

In real time, because LiveKit's voice activity detection runs in threads.
"""

import asyncio
import io
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
import pytest
from hibari import Hibari

from agent.console.aloud import STALLED_S, converse_aloud
from agent.console.echo import EchoCanceller, SoundExchange
from agent.console.errors import SoundCardError
from agent.console.terminal import Terminal
from agent.livekit.media import RATE
from agent.settings.agent import PipelineSettings
from tests.agent.console.room_with_echo import RoomWithEcho
from tests.agent.fake_pipeline import STEP_S, FakePipeline, Hears, Says

pytestmark = pytest.mark.anyio

PIPELINE = PipelineSettings("http://pipeline", "key")
STORY = (
    "The moon is the only natural satellite of the earth. It turns around our planet once in about four weeks, and "
    "always shows us the same side. People have walked on it, and brought back many stones."
)
STEP = round(STEP_S * RATE) * 2


class Storyteller(FakePipeline):
    """Says everything in a voice, its greeting too."""

    story = b""

    def sound(self, at_s: float) -> bytes:
        part = self.story[round(at_s / STEP_S) * STEP :][:STEP]
        return part.ljust(STEP, b"\0")


class DeadCard:
    """Gives nothing."""

    @asynccontextmanager
    async def open(self, sound: SoundExchange) -> AsyncGenerator[None]:
        yield


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def voice() -> Hibari:
    return Hibari(threads=1)


def pcm(voice: Hibari, text: str) -> bytes:
    return (np.asarray(voice(text, seed=0), np.float32) * 32_000).astype(np.int16).tobytes()


def storyteller(voice: Hibari, *says: Says) -> Storyteller:
    pipeline = Storyteller(hears=[Hears("Please stop now.", while_speaking_s=0.5)] * 9, says=list(says))
    pipeline.story, pipeline.greeting_s = pcm(voice, STORY), 9.0
    return pipeline


@asynccontextmanager
async def talking(pipeline: FakePipeline, room: RoomWithEcho, canceller: EchoCanceller | None) -> AsyncIterator[None]:
    """A console in that room, which tells a story of 9 s in place of its greeting."""
    async with asyncio.TaskGroup() as tasks:
        console = converse_aloud(PIPELINE, room, canceller, Terminal(io.StringIO()), connect=pipeline.connect)
        task = tasks.create_task(console, name="console")
        yield
        task.cancel()


async def test_without_a_canceller_the_agent_interrupts_itself(voice: Hibari) -> None:
    pipeline = storyteller(voice)
    async with talking(pipeline, RoomWithEcho(0.08, 0.3), None):
        await asyncio.sleep(9)
    assert len(pipeline.of("response.cancel")) >= 1


async def test_with_it_nobody_is_heard_while_the_agent_speaks_alone(voice: Hibari) -> None:
    pipeline = storyteller(voice)
    async with talking(pipeline, RoomWithEcho(0.12, 0.3), EchoCanceller()):
        await asyncio.sleep(10.5)
    assert pipeline.of("input_audio_buffer.activity") == []
    assert pipeline.of("response.cancel") == []


async def test_who_speaks_over_the_agent_cuts_it_and_is_answered(voice: Hibari) -> None:
    pipeline = storyteller(voice, Says((("Fine.", 0.5),)))
    room = RoomWithEcho(0.08, 0.3)
    async with talking(pipeline, room, EchoCanceller()):
        await asyncio.sleep(5)
        assert pipeline.of("response.cancel") == []
        room.say(pcm(voice, "Please stop now."))
        await asyncio.sleep(5)
    assert len(pipeline.of("response.cancel")) == 1
    [truncated] = pipeline.of("conversation.item.truncate")
    assert 4_000 < truncated["audio_end_ms"] < 6_500
    kinds = pipeline.kinds(without=("input_audio_buffer.append", "input_audio_buffer.activity"))
    assert kinds[-1] == "response.create"
    assert {"conversation.item.truncate", "input_audio_buffer.commit"} <= set(kinds[-4:])


async def test_a_card_that_gives_nothing_any_more_is_said_to_be_gone() -> None:
    with pytest.raises(SoundCardError, match=f"nothing for {STALLED_S:g} s"):
        await converse_aloud(PIPELINE, DeadCard(), None, Terminal(io.StringIO()), connect=FakePipeline().connect)
