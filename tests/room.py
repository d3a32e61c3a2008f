"""A model that sees, with a camera in front of it, on virtual time: what the room shows, and what was asked."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from pipeline.context.window import WindowLimits
from pipeline.engines.aura.prompt import multimodal_prompt
from pipeline.engines.fake import FakeEngine, hears, speaks, words_of
from pipeline.errors import EngineError
from pipeline.media.video_chunk import Pixels, VideoChunk
from pipeline.session.session import Session
from pipeline.turns.stage import Stage
from pipeline.turns.stages import PipelineStages
from pipeline.types.chunks import MultimodalPrompt, Priority, TextChunk
from pipeline.types.history import History
from pipeline.types.session_options import Endpointing, SessionOptions, TurnDetectionOptions
from pipeline.types.turn_request import TurnRequest
from tests.scenario import AURA, TTS, Caller, Loudness, Told, to_sentences

SERVER_VAD = SessionOptions(detection=TurnDetectionOptions(Endpointing(end_ms=512)))
QUESTION = "What is this?"
SEES = replace(AURA, requires_multimodal_data=True)
LIMITS = WindowLimits(keep_s=6, slack_s=3)


@dataclass
class Room:
    """AURA with a camera.

    Attributes:
        says: What it says when it was not asked, by the name of the newest second.
        read_s: How long it takes to read what is not answered.
        heard_s: How long it takes to make out what was said.
        film_s: When the first frame comes.
        decode_picture: Makes pixels of a frame.
        early_answer_ms: As of the stages.
    """

    says: dict[str, str] = field(default_factory=dict)
    read_s: float = 0.05
    fails: bool = False
    heard_s: float = 0.0
    film_s: float = 0.0
    decode_picture: Callable[[bytes], Awaitable[Pixels]] = lambda data: decode_picture(data)
    early_answer_ms: int = 0

    def __post_init__(self) -> None:
        self.aura: FakeEngine[MultimodalPrompt, TextChunk] = FakeEngine(self._script)

    def _script(self, scene: MultimodalPrompt) -> list[tuple[float, TextChunk | EngineError]]:
        if self.fails:
            return [(0.01, EngineError("aura", "broken"))]
        if QUESTION in spelt(scene).rpartition("<|im_start|>user\n")[2]:
            answer = "A cup."
        else:
            answer = self.says.get(seen(scene)[-1], "") if seen(scene) else ""
        if not answer or not scene.max_tokens:
            return [(self.read_s, TextChunk(""))]
        return [(0.1 if at else self.read_s, TextChunk(word)) for at, word in enumerate(words_of(answer))]

    @asynccontextmanager
    async def call(
        self, setup: SessionOptions = SERVER_VAD, *, films: bool = True, history: History | None = None
    ) -> AsyncGenerator[Caller, None]:
        told = Told()
        stages = PipelineStages(
            hears(QUESTION, pass_s=self.heard_s),
            (Stage(SEES, self.aura, to_scene), Stage(TTS, speaks(), to_sentences)),
            limits=LIMITS,
            decode_picture=self.decode_picture,
            early_answer_ms=self.early_answer_ms,
        )
        session = Session("s", stages, Loudness(), told, history)
        async with session, asyncio.TaskGroup() as tasks:
            session.configure(setup)
            camera = tasks.create_task(film(session, self.film_s)) if films else None
            yield Caller(session, told.events)
            if camera:
                camera.cancel()

    @property
    def request(self) -> list[MultimodalPrompt]:
        """What was to be answered because somebody asked."""
        return [scene for scene in self.aura.prompts if is_asked(scene)]

    @property
    def considered(self) -> list[MultimodalPrompt]:
        return [scene for scene in self.aura.prompts if scene.max_tokens and not is_asked(scene)]

    @property
    def read(self) -> list[MultimodalPrompt]:
        return [scene for scene in self.aura.prompts if not scene.max_tokens]


def is_asked(scene: MultimodalPrompt) -> bool:
    """Somebody waits for the answer."""
    return bool(scene.max_tokens) and scene.priority == Priority.QUESTION


async def to_scene(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[MultimodalPrompt, None]:
    async for question in inbox:
        yield multimodal_prompt(question, LIMITS)


async def asks(caller: Caller, seconds: float = 2.2) -> None:
    """By word of mouth, and waits for the answer."""
    await caller.says(seconds)
    caller.session.commit()
    caller.session.respond()
    await asyncio.sleep(2)


async def film(session: Session, begins_s: float) -> None:
    """Two frames a second, forever."""
    assert session.vision
    await asyncio.sleep(begins_s)
    while True:
        session.vision.watching.see(b"frame")
        await asyncio.sleep(0.5)


async def decode_picture(data: bytes) -> Pixels:
    return np.zeros((64, 64, 3), np.uint8)


def nth(number: int) -> str:
    """The name of that second, while each has two frames."""
    return f"s.{2 * number}-{2 * number + 1}"


def seen(scene: MultimodalPrompt) -> list[str]:
    return [part.id for part in scene.parts if isinstance(part, VideoChunk)]


def frames(names: Iterable[str]) -> list[int]:
    """The numbers of all frames in clips of these names."""
    return [int(number) for name in names for number in name.partition(".")[2].split("-")]


def spelt(prompt: MultimodalPrompt) -> str:
    return "".join(part if isinstance(part, str) else f"{{{part.id}}}" for part in prompt.parts)


def newest(scenes: list[MultimodalPrompt]) -> list[str]:
    return [name for scene in scenes for name in seen(scene)[-1:]]


def only_words_are_left(request: MultimodalPrompt, read: list[MultimodalPrompt]) -> bool:
    """Of that question, after what was read before it."""
    rests = [spelt(request).removeprefix(spelt(each)) for each in read if spelt(request).startswith(spelt(each))]
    return any("{" not in rest for rest in rests)
