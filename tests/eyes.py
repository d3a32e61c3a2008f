"""The embedded pipeline with eyes on virtual time: a test says what each picture shows, and reads what was prompted."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pipeline.context.window import WindowLimits
from pipeline.engines.fake import FakeEngine, Step, hears, speaks, writes
from pipeline.errors import EngineError
from pipeline.session.session import Session
from pipeline.topology.embedded import EMBEDDED_PIPELINE
from pipeline.turns.stage import Stage
from pipeline.turns.stages import PipelineStages
from pipeline.types.chunks import ChatPrompt
from pipeline.types.observation import Observation, RecognitionPrompt, SeenThing
from pipeline.types.session_options import SessionOptions
from tests.room import SERVER_VAD, decode_picture
from tests.scenario import Caller, Loudness, Told

CAT = Observation((SeenThing("cat", is_certain=True),))
_HEARS, SEES, WRITES, SPEAKS = EMBEDDED_PIPELINE.stages


@dataclass
class Eyes:
    """Scripted engines: one recognises what `shows` says of a picture's name, one writes, one speaks.

    Attributes:
        shows: What a picture of that name shows; an error: the engine fails.
        look_s: How long it takes to recognise what is in a picture that was not looked at before.
        asked: What the person says.
    """

    shows: Callable[[str], Observation | EngineError] = lambda name: CAT
    look_s: float = 0.05
    asked: str = "What is this?"
    heard_s: float = 0.0
    known: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.eyes: FakeEngine[RecognitionPrompt, Observation] = FakeEngine(self._look)
        self.writer = writes("A cat.")

    def _look(self, prompt: RecognitionPrompt) -> Iterable[Step[Observation]]:
        for picture in prompt.pictures:
            key = f"{picture.id} {prompt.read}"
            yield 0.0 if key in self.known else self.look_s, self.shows(picture.id)
            self.known.add(key)

    def stages(self) -> PipelineStages:
        chain = []
        for spec, engine in ((SEES, self.eyes), (WRITES, self.writer), (SPEAKS, speaks())):
            assert spec.custom_process_input_func
            chain.append(Stage(spec, engine, spec.custom_process_input_func, 8))
        recogniser = hears(self.asked, pass_s=self.heard_s)
        window = WindowLimits(keep_s=2, slack_s=2)
        return PipelineStages(recogniser, tuple(chain), limits=window, decode_picture=decode_picture)

    @asynccontextmanager
    async def call(
        self, options: SessionOptions = SERVER_VAD, stages: PipelineStages | None = None
    ) -> AsyncGenerator[Caller, None]:
        told = Told()
        session = Session("s", stages or self.stages(), Loudness(), told)
        async with session:
            session.configure(options)
            yield Caller(session, told.events)

    @property
    def questions(self) -> list[ChatPrompt]:
        """What was to be answered; what was only prefilled is not among it."""
        return [chat for chat in self.writer.prompts if chat.max_tokens]

    @property
    def question(self) -> str:
        """The newest of them, with what it says of what is seen."""
        return self.questions[-1].messages[-1].text


async def films(session: Session, seconds: float) -> None:
    """Two frames a second, so long."""
    assert session.vision
    for _ in range(round(2 * seconds)):
        session.vision.watching.see(b"frame")
        await asyncio.sleep(0.5)
