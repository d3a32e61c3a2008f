"""pipecat's OpenAI realtime service drives the pipeline, with its defaults and a base URL; any error ends it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest
from pipecat.adapters.llm.schemas.function_schema import FunctionSchema
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import (
    EndFrame,
    ErrorFrame,
    Frame,
    InputAudioRawFrame,
    InputImageRawFrame,
    InterruptionFrame,
    LLMRunFrame,
    TranscriptionFrame,
    TTSAudioRawFrame,
    TTSTextFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.llm_service import FunctionCallParams
from pipecat.services.openai.realtime import events
from pipecat.services.openai.realtime.llm import OpenAIRealtimeLLMService, OpenAIRealtimeLLMSettings
from pipecat.workers.runner import WorkerRunner

from pipeline.engines.fake import hears, speaks, writes
from tests.contract.wire_media import loud, said
from tests.contract.wire_tap import Tap, tapped
from tests.contract.wire_tools import ARGUMENTS, FIRST, QUESTION, weather_line
from tests.contract.wire_wait import eventually
from tests.scenario import Line
from tests.served import KEY

pytestmark = pytest.mark.contract

F = TypeVar("F", bound=Frame)

PARIS = "The capital is Paris."
COUNT = " ".join(f"Number {n}." for n in range(1, 41))


class Seen(FrameProcessor):
    """Keeps what passes."""

    def __init__(self) -> None:
        super().__init__()
        self.frames: list[Frame] = []

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        self.frames.append(frame)
        await self.push_frame(frame, direction)


@dataclass(slots=True)
class Bot:
    """A running pipecat pipeline: the person in front, the service, the speaker behind."""

    tap: Tap
    service: OpenAIRealtimeLLMService
    worker: PipelineWorker
    context: LLMContext
    before: Seen
    after: Seen

    def all(self, kind: type[F]) -> list[F]:
        return [frame for frame in self.before.frames + self.after.frames if isinstance(frame, kind)]

    async def hears(self, sound: bytes) -> None:
        """At 16 kHz, 20 ms a frame, as its transports bring it."""
        for start in range(0, len(sound), 640):
            await self.worker.queue_frame(InputAudioRawFrame(sound[start : start + 640], 16_000, 1))

    async def is_asked(self, text: str) -> None:
        """As its examples begin: a context, and the frame that runs it; returns when it is answered."""
        answered = len(self.tap.all("response.done"))
        self.context.add_message({"role": "user", "content": text})
        await self.worker.queue_frame(LLMRunFrame())
        await self.has_ended(answered + 1)

    async def interrupts_and_asks(self) -> None:
        """With turns of its own it clears, appends anew, cancels, and truncates even what is long done."""
        answered = len(self.tap.all("response.done"))
        await self.hears(loud(0.6, 16_000))
        await self.worker.queue_frame(InterruptionFrame())
        await self.worker.queue_frame(UserStoppedSpeakingFrame())
        await self.has_ended(answered + 1)

    async def has_ended(self, answers: int) -> None:
        await eventually(lambda: len(self.tap.all("response.done")) >= answers)

    def answers(self) -> list[str]:
        return [done["response"]["id"] for done in self.tap.all("response.done")]

    def items(self) -> list[str]:
        return [done["response"]["output"][0]["id"] for done in self.tap.all("response.done")]

    def text(self) -> list[tuple[str, str]]:
        return [(m["role"], str(m["content"])) for m in self.context.get_messages() if isinstance(m, dict)]


@asynccontextmanager
async def bot(line: Line | None = None, settings: OpenAIRealtimeLLMSettings | None = None) -> AsyncGenerator[Bot, None]:
    async with tapped(line) as tap:
        service = OpenAIRealtimeLLMService(
            api_key=KEY, base_url=tap.url.replace("http", "ws") + "/realtime", settings=settings
        )
        context = LLMContext()
        pair = LLMContextAggregatorPair(context)
        before, after = Seen(), Seen()
        worker = PipelineWorker(Pipeline([pair.user(), before, service, after, pair.assistant()]))
        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(worker)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(runner.run(), name="pipecat")
            bot = Bot(tap, service, worker, context, before, after)
            await eventually(lambda: tap.all("session.updated"))
            try:
                yield bot
            finally:
                await worker.queue_frame(EndFrame())
    assert bot.all(ErrorFrame) == []


async def test_a_context_is_answered() -> None:
    async with bot() as it:
        await it.is_asked("What is the capital of France?")
        await eventually(lambda: len(it.text()) == 2)
    assert it.text() == [("user", "What is the capital of France?"), ("assistant", PARIS)]
    assert "".join(frame.text for frame in it.all(TTSTextFrame)) == PARIS
    assert sum(len(frame.audio) for frame in it.all(TTSAudioRawFrame)) == 1.2 * 24_000 * 2


async def test_a_spoken_question_becomes_a_transcript_and_a_spoken_answer() -> None:
    line = Line(aura=writes(lambda chat: PARIS if "France" in chat.messages[-1].text else "Hello!"))
    async with bot(line) as it:
        await it.is_asked("Greet the caller.")
        await it.hears(said(rate=16_000))
        await it.has_ended(2)
        await eventually(lambda: len(it.text()) == 4)
    assert [frame.text for frame in it.all(TranscriptionFrame)] == ["What is the capital of France?"]
    assert it.text()[1:] == [
        ("assistant", "Hello!"),
        ("user", "What is the capital of France?"),
        ("assistant", PARIS),
    ]
    assert it.tap.sent_types().count("response.create") == 1, "the server answers by itself"


async def test_speech_interrupts_the_answer_and_the_session_goes_on() -> None:
    line = Line(asr=hears("Count to forty.", "What is the capital of France?"), tts=speaks(ms_per_word=400))
    line.aura = writes(lambda chat: COUNT if "Count" in chat.messages[-1].text else PARIS)
    async with bot(line) as it:
        await it.is_asked("Greet the caller.")
        await it.hears(said(rate=16_000))
        await eventually(lambda: it.tap.all("response.output_audio.delta")[-1]["response_id"] != it.answers()[0])
        await it.hears(said(rate=16_000))
        await it.has_ended(3)
        await eventually(lambda: it.tap.all("conversation.item.truncated"))
        await it.hears(said(rate=16_000))
        await it.has_ended(4)
    statuses = [done["response"]["status"] for done in it.tap.all("response.done")]
    assert statuses == ["completed", "cancelled", "completed", "completed"]
    assert it.tap.all("error") == []


async def test_turns_of_its_own_with_all_that_it_sends_at_an_interruption() -> None:
    audio = events.AudioConfiguration(input=events.AudioInput(turn_detection=False))
    settings = OpenAIRealtimeLLMSettings(session_properties=events.SessionProperties(audio=audio))
    async with bot(settings=settings) as it:
        await it.is_asked("Greet the caller.")
        await it.interrupts_and_asks()
        kept = await asyncio.wait_for(it.service.retrieve_conversation_item(it.items()[0]), 5)
        assert kept.role == "assistant"
        with pytest.raises(Exception, match="no item 'nobody'"):
            await asyncio.wait_for(it.service.retrieve_conversation_item("nobody"), 5)
        await it.interrupts_and_asks()
    sent = it.tap.sent_types()
    assert sent.count("input_audio_buffer.clear") == sent.count("response.cancel") == 2
    assert len(it.tap.all("conversation.item.truncated")) == sent.count("conversation.item.truncate") == 2
    codes = [error["error"]["code"] for error in it.tap.all("error")]
    assert codes == ["response_cancel_not_active", "item_retrieve_invalid_item_id", "response_cancel_not_active"]


async def test_camera_frames_are_taken() -> None:
    async with bot() as it:
        await it.worker.queue_frame(InputImageRawFrame(image=bytes(64 * 48 * 3), size=(64, 48), format="RGB"))
        await eventually(lambda: it.tap.all("conversation.item.done"))
        await it.is_asked("What is this?")
    assert [part["type"] for part in it.tap.all("conversation.item.added")[0]["item"]["content"]] == ["input_image"]


async def test_a_function_is_called_and_its_result_used() -> None:
    asked: list[Any] = []

    async def get_weather(params: FunctionCallParams) -> None:
        asked.append(params.arguments)
        await params.result_callback("sunny")

    tool = FunctionSchema("get_weather", "Tells the weather.", {"city": {"type": "string"}}, ["city"])
    async with bot(weather_line()) as it:
        it.service.register_function("get_weather", get_weather)
        it.context.set_tools(ToolsSchema(standard_tools=[tool]))
        await it.is_asked(QUESTION)
        await it.has_ended(2)
        await eventually(lambda: "".join(frame.text for frame in it.all(TTSTextFrame)).endswith("there."))
    assert asked == [ARGUMENTS]
    assert "".join(frame.text for frame in it.all(TTSTextFrame)) == f'{FIRST}It is "sunny" there.'
