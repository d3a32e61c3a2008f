"""More cameras than the model that sees has time for: each is seen less often, and no question waits for it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from statistics import median

import pytest

from pipeline.engines.aura.prompt import LIMITS, multimodal_prompt
from pipeline.engines.common_prefix import common_prefix
from pipeline.engines.fake import hears, speaks
from pipeline.media.video_chunk import VideoChunk
from pipeline.session.session import Session
from pipeline.turns.stage import Stage
from pipeline.turns.stages import PipelineStages
from pipeline.types.chunks import MultimodalPrompt, Priority, TextChunk
from pipeline.types.events.input_events import VideoSkipped
from pipeline.types.session_options import Proactive, SessionOptions
from pipeline.types.turn_request import TurnRequest
from tests.room import QUESTION, SEES, decode_picture, film
from tests.scenario import TTS, Caller, Loudness, Told, to_sentences

CALL_S = 150
RING_S = 45  # in which they ring up, one after the other
STEP_S = 0.12  # in which the model prefills one second of video: it has time for two cameras, or for five in a pinch
REMEMBERED = 8  # prompts of each caller


@dataclass(eq=False)
class SharedEngine:
    """`Engine[MultimodalPrompt, TextChunk]` that prefills one second of video a step, of whoever comes first.

    Each waits for those of a lower priority number, but that every third step is of a prompt that has begun and waits.
    It remembers some prompts of each caller, and prefills what none of them begins with.

    Attributes:
        unread: Seconds of video that each question had to prefill itself.
        waited: How long each took to its first token, in seconds.
    """

    unread: list[int] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    most_seen: int = 0
    _known: dict[str, list[list[str]]] = field(default_factory=dict)
    _waiting: list["Waiting"] = field(default_factory=list)

    async def generate(
        self, request_id: str, prompts: AsyncIterator[MultimodalPrompt]
    ) -> AsyncGenerator[TextChunk, None]:
        clock = asyncio.get_running_loop().time
        async for scene in prompts:
            began, names = clock(), [each.id for each in scene.parts if isinstance(each, VideoChunk)]
            known = self._known.setdefault(scene.cache_salt, [])
            unread = len(names) - max((common_prefix(names, each) for each in known), default=0)
            for at in range(unread):
                await self._step(scene.priority, has_begun=at > 0)
            known[:] = [*known[1 - REMEMBERED :], names]
            self.most_seen = max(self.most_seen, len(names))
            if scene.priority == Priority.QUESTION and scene.max_tokens:
                self.unread.append(unread)
                self.waited.append(clock() - began)
                yield TextChunk("A cup.")
            yield TextChunk("")

    async def run(self) -> None:
        for number in range(round(CALL_S / STEP_S)):
            await asyncio.sleep(STEP_S)
            waiting = self._waiting = [each for each in self._waiting if not each.turn.done()]
            first = min(waiting, key=Waiting.rank, default=None)
            if first and first.priority != Priority.QUESTION and number % 3 == 2:
                begun = (each for each in waiting if each.has_begun and each.rank()[0] > first.rank()[0])
                first = min(begun, key=Waiting.rank, default=first)
            if first:
                first.turn.set_result(None)

    async def busy(self) -> int:
        return len(self._waiting)

    async def aclose(self) -> None:
        """Nothing to free."""

    async def _step(self, priority: int, *, has_begun: bool) -> None:
        waits = Waiting(priority, has_begun)
        self._waiting.append(waits)
        await waits.turn


@dataclass(eq=False)
class Waiting:
    """A prompt that waits for its next step."""

    priority: int
    has_begun: bool
    since: float = field(default_factory=lambda: asyncio.get_running_loop().time())
    turn: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def rank(self) -> tuple[int, float]:
        return self.priority, self.since


async def to_scene(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[MultimodalPrompt, None]:
    async for question in inbox:
        yield multimodal_prompt(question)


async def asks_now_and_then(caller: Caller, begins_s: float) -> None:
    await asyncio.sleep(begins_s)
    while True:
        await caller.says(1.0)
        caller.session.commit()
        caller.session.respond()
        await asyncio.sleep(9)


@pytest.mark.parametrize("proactive", ["off", "offer"])
@pytest.mark.parametrize(
    ("cameras", "most_s", "skipped_share"),
    [(2, 0.1, (0, 0)), (4, 1.0, (0, 0.05)), (8, 1.5, (0.01, 0.5)), (13, 2.0, (0.2, 0.8)), (20, 2.0, (0.2, 0.8))],
)
async def test_however_many_cameras_there_are_questions_find_nearly_all_prefilled(
    cameras: int, most_s: float, skipped_share: tuple[float, float], proactive: Proactive
) -> None:
    engine, calls = SharedEngine(), list[Told]()
    async with AsyncExitStack() as open_, asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(engine.run())]
        for at in range(cameras):
            stages = PipelineStages(
                hears(QUESTION, pass_s=0.05),
                (Stage(SEES, engine, to_scene), Stage(TTS, speaks(), to_sentences)),
                limits=LIMITS,
                decode_picture=decode_picture,
            )
            told = Told()
            session = await open_.enter_async_context(Session(f"s{at}", stages, Loudness(), told))
            session.configure(SessionOptions(detection=None, proactive=proactive))
            running.append(tasks.create_task(film(session, at * RING_S / cameras)))
            running.append(tasks.create_task(asks_now_and_then(Caller(session, told.events), at * RING_S / cameras)))
            calls.append(told)
        await running.pop(0)
        for task in running:
            task.cancel()
    skipped = [sum(each.seconds for _, each in told.events if isinstance(each, VideoSkipped)) for told in calls]
    assert len(engine.unread) > 12 * cameras
    assert max(engine.unread) <= (10 if cameras > 2 else 0)
    assert median(engine.waited) < 1 and max(engine.waited) < most_s, "a step takes four times as long as on a GPU"
    assert engine.most_seen <= LIMITS.keep_s + 2 * LIMITS.slack_s
    least, most = (CALL_S * share for share in skipped_share)
    assert least <= min(skipped) and max(skipped) <= most, "each is seen all the same"
