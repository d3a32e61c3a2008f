"""A pipeline of one stage on virtual time, from sound to sound: it says as much as it hears."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pipeline.context.window import WindowLimits
from pipeline.engines.fake import FakeEngine, Step, tone
from pipeline.session.session import Session
from pipeline.topology.config import StageExecutionType, StagePipelineConfig
from pipeline.turns.stage import Stage
from pipeline.turns.stages import PipelineStages
from pipeline.types.chunks import AsrInput, AudioChunk, Transcript
from pipeline.types.session_options import SessionOptions
from pipeline.types.turn_request import TurnRequest
from tests.room import SERVER_VAD
from tests.scenario import Caller, Loudness, Told


async def asked(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[TurnRequest, None]:
    async for question in inbox:
        if question.response_options.max_tokens != 0:
            yield question


HEARS = StagePipelineConfig(
    0, "echo", StageExecutionType.LLM_AR, (), "audio", "Echo",
    final_output=True, final_output_type="audio", hears=True, custom_process_input_func=asked,
)  # fmt: skip


@dataclass
class Echo:
    """Says as much as it has heard, a tone as long as the sound of the newest question; nothing to less than 0.5 s."""

    recogniser: FakeEngine[AsrInput, Transcript] | None = None
    limits: WindowLimits = field(default_factory=WindowLimits)

    def __post_init__(self) -> None:
        self.engine: FakeEngine[TurnRequest, AudioChunk] = FakeEngine(self._script)

    def _script(self, asked: TurnRequest) -> Iterable[Step[AudioChunk]]:
        sound = asked.history.items[-1].sound
        if sound and sound.seconds >= 0.5:
            yield 0.1, AudioChunk(tone(round(1000 * sound.seconds)), "Echo.")

    def stages(self) -> PipelineStages:
        return PipelineStages(
            self.recogniser, (Stage(HEARS, self.engine, asked),), limits=self.limits, answers_sound=True
        )

    @asynccontextmanager
    async def call(self, options: SessionOptions = SERVER_VAD) -> AsyncGenerator[Caller, None]:
        told = Told()
        session = Session("s", self.stages(), Loudness(), told)
        async with session:
            session.configure(options)
            yield Caller(session, told.events)

    @property
    def heard_s(self) -> list[list[float | None]]:
        """The sound of each question with that of the ones before, in seconds; None: it is gone."""
        return [
            [round(item.sound.seconds, 2) if item.sound else None for item in each.history.items if item.is_question]
            for each in self.engine.prompts
        ]
