"""What speech does in a session: whom it interrupts, when it is an item, and whether that is owed an answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import numpy as np
import pytest

from pipeline.aio.tasks import BackgroundTasks
from pipeline.context.conversation import Conversation
from pipeline.errors import RequestError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.session.pending_input import PendingInput
from pipeline.session.spoken_input import SpokenInput
from pipeline.speech.vad_frontend import FRAME
from pipeline.turns.turn_counter import TurnCounter
from pipeline.types.events.input_events import PartialTranscript, TranscriptionCompleted
from pipeline.types.events.response_events import CancelReason
from pipeline.types.history import History
from pipeline.types.session_options import Endpointing, SessionOptions, TurnDetectionOptions
from pipeline.vision.vision_controller import VisionController
from tests.scenario import Line, Loudness, Told

pytestmark = pytest.mark.anyio
MADE_OUT = PartialTranscript | TranscriptionCompleted
DETECTION = TurnDetectionOptions(Endpointing(end_ms=512))
SERVER_VAD = SessionOptions(detection=DETECTION)


class Hearing(Told):
    """A session that writes down what speech asks of it.

    Attributes:
        answering: The id of an answer that is being given.
        asked: What was asked of it, in order.
    """

    vision: VisionController | None = None

    def __init__(self, tasks: BackgroundTasks, options: SessionOptions, answering: str | None) -> None:
        super().__init__()
        stages = Line().stages()
        self.options, self.answering = options, answering
        self.conversation = Conversation(History(), self)
        self.asked: list[str] = []
        self.pending = PendingInput(tasks, awaits_words=True)
        self.input = SpokenInput(stages, Loudness(), None, self.pending, tasks, TurnCounter("s"), self)
        self.input.configure(options)

    @property
    def history(self) -> History:
        return self.conversation.history

    def speaks(self) -> bool:
        return self.input.speaking is not None

    @property
    def names(self) -> list[str]:
        """What the caller is told, but for what was made out of the sound."""
        return [type(event).__name__ for _, event in self.events if not isinstance(event, MADE_OUT)]

    def cancel(self, response_id: str | None = None, reason: CancelReason = "client_cancelled") -> None:
        self.asked.append(reason)

    def look_up(self) -> None:
        self.asked.append("look_up")

    def answer_owed(self) -> bool:
        self.asked.append(f"answer {self.pending.owes(self.history)}")
        return False

    def has_changed(self) -> None: ...

    async def sounds(self, seconds: float, level: float = 0.5) -> None:
        for _ in range(round(seconds * SPEECH_RATE / FRAME)):
            await self.input.append(np.full(FRAME, level, np.float32))
            await asyncio.sleep(FRAME / SPEECH_RATE)


@asynccontextmanager
async def hearing(options: SessionOptions = SERVER_VAD, answering: str | None = None) -> AsyncIterator[Hearing]:
    async with BackgroundTasks() as tasks:
        yield Hearing(tasks, options, answering)


async def test_what_has_ended_is_an_item_that_is_owed_an_answer() -> None:
    async with hearing() as session:
        await session.sounds(1)
        assert session.speaks() and session.names == ["SpeechStarted"]
        await session.sounds(1, 0.0)
        assert not session.speaks()
        assert session.names[1:] == ["SpeechStopped", "InputCommitted", "ItemAdded"]
        assert session.asked == ["look_up", "answer True"], "it is about what was seen until then"
        assert [item.role for item in session.history.items] == ["user"]


async def test_what_is_committed_is_an_item_that_is_owed_none() -> None:
    async with hearing(SessionOptions()) as session:
        await session.sounds(1)
        item_id = session.input.commit()
        assert session.names == ["InputCommitted", "ItemAdded"] and session.history.find(item_id)
        assert not session.speaks() and not session.pending.owes(session.history)


@pytest.mark.parametrize(
    ("options", "answering", "stopped"),
    [
        (SERVER_VAD, "response_1", True),
        (SERVER_VAD, None, False),
        (replace(SERVER_VAD, detection=replace(DETECTION, interrupts=False)), "response_1", False),
        (SessionOptions(), "response_1", False),
    ],
)
async def test_who_begins_to_speak_interrupts_an_answer_where_that_is_wanted(
    options: SessionOptions, answering: str | None, stopped: bool
) -> None:
    async with hearing(options, answering) as session:
        await session.sounds(0.3)
        assert session.speaks()
        assert session.asked == ["turn_detected"] * stopped


async def test_what_is_cleared_was_never_said() -> None:
    async with hearing() as session:
        await session.sounds(1)
        spoken = session.input.speaking
        assert spoken
        session.input.clear()
        await asyncio.sleep(0.1)
        assert not session.speaks() and not session.history.items
        assert spoken.listening.done() and spoken.answering.done()


async def test_too_little_sound_is_no_item() -> None:
    async with hearing(SessionOptions()) as session:
        with pytest.raises(RequestError, match="at least 100 ms"):
            session.input.commit()
        assert session.names == [] and not session.history.items
