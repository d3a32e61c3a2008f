"""What is asked of AURA's engine; each function returns the rows of one table, in milliseconds."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import count
from statistics import median

import numpy as np

from pipeline.context.window import WindowLimits, cut, is_due, video_tokens
from pipeline.engines.aura.engine import NO_TOOLS, as_chunk
from pipeline.engines.aura.prompt import multimodal_prompt
from pipeline.engines.vllm.engine import VllmEngine
from pipeline.media.video_chunk import VideoChunk
from pipeline.models.aura.text import AuraText
from pipeline.models.shared.engine_io import RequestSampling
from pipeline.types.chunks import Priority
from pipeline.types.function_tools import ToolOptions
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest
from tests.gpu.sections import Row

GREEDY = RequestSampling(0.0, 0, 1.0, 1.0, ())
QUESTION = "What is that? Is it"  # as many tokens as it has letters, with the tests' tokenizer


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured.

    Attributes:
        size: Height and width of a frame.
        turns: Questions of one session.
        tokens: Of an answer.
        seconds: For how long many cameras are watched.
    """

    size: tuple[int, int] = (480, 640)
    keep_s: int = 30
    slack_s: int = 15
    turns: int = 40
    rounds_a_turn: int = 3
    tokens: int = 64
    seconds: int = 10
    times: int = 20


TINY = Extent((64, 64), 4, 2, 4, 2, 4, 2, 3)


class Camera:
    """One session that watches, with a window as in the pipeline."""

    def __init__(
        self, vllm: VllmEngine, text: AuraText, name: str, extent: Extent, tools: ToolOptions = NO_TOOLS
    ) -> None:
        self.extent, self.name, self.tools = extent, name, tools
        self.limits = WindowLimits(extent.keep_s, extent.slack_s)
        self.history = History()
        self._vllm, self._text = vllm, text
        self._numbers = count()
        self._chance = np.random.default_rng(abs(hash(name)))

    @property
    def row(self) -> Row:
        return {"seconds": len(self.history.video_turns), "video_tokens": video_tokens(self.history)}

    def see(self) -> None:
        """A second passes."""
        height, width = self.extent.size
        pixels = self._chance.integers(0, 256, (2, height, width, 3), np.uint8)
        self.history = self.history.with_video_turn(VideoChunk(f"{next(self._numbers)}", tuple(pixels)))

    async def read(self, history: History | None = None, priority: int = Priority.PREFILL) -> float:
        first, _ = await self.write(history or self.history, 0, priority)
        return first

    async def ask(self, tokens: int = 1) -> tuple[float, float]:
        """A question, and its answer in the history; until the first token, and for each one more."""
        request = self.history.with_item(Item(f"q{next(self._numbers)}", "user", QUESTION))
        times = await self.write(request, tokens, Priority.QUESTION)
        self.history = request.with_item(Item(f"a{next(self._numbers)}", "assistant", "A cup."))
        return times

    async def write(self, history: History, tokens: int, priority: int) -> tuple[float, float]:
        clock, at = asyncio.get_running_loop().time, []
        options = ResponseOptions(max_tokens=tokens, cache_salt=self.name, tools=self.tools)
        prompt = multimodal_prompt(TurnRequest(history, options), self.limits)
        began = clock()
        pieces = self._vllm.answer(self.request(), GREEDY, as_chunk(prompt, self._text), priority)
        async with aclosing(pieces):
            async for piece in pieces:
                at += [clock()] * len(piece.token_ids)
        return 1_000 * (at[0] - began), 1_000 * (at[-1] - at[0]) / max(1, len(at) - 1)

    def request(self) -> str:
        return f"{self.name}/{next(self._numbers)}"

    async def until_dropped(self, history: History, tokens: int) -> float:
        """From closing a request after its first token until the engine does nothing any more."""
        clock = asyncio.get_running_loop().time
        prompt = multimodal_prompt(
            TurnRequest(history, ResponseOptions(max_tokens=tokens, cache_salt=self.name)), self.limits
        )
        pieces = self._vllm.answer(self.request(), GREEDY, as_chunk(prompt, self._text))
        await anext(pieces)
        began = clock()
        await pieces.aclose()
        while await self._vllm.busy():  # a step that was under way still ends
            pass
        return 1_000 * (clock() - began)


async def warm_up(camera: Camera) -> list[Row]:
    """The first of everything is compiled or captured."""
    first_ever = None
    for _ in range(camera.extent.keep_s + camera.extent.slack_s):
        camera.see()
        read_ms = await camera.read()
        first_ever = first_ever or read_ms
    await camera.ask(camera.extent.tokens)
    await camera.read(camera.history.cut(cut(camera.history, camera.limits)))
    return [{"first_ever_ms": first_ever, **camera.row}]


async def turns(camera: Camera) -> list[Row]:
    """Commit → first token with the video cached, by turn; a cut is read before it holds, as in the pipeline."""
    rows: list[Row] = []
    for turn in range(1, camera.extent.turns + 1):
        pruned = False
        for _ in range(camera.extent.rounds_a_turn):
            camera.see()
            await camera.read()
            if is_due(camera.history, camera.limits):
                camera.history = camera.history.cut(cut(camera.history, camera.limits))
                await camera.read()
                pruned = True
        first_ms, _ = await camera.ask()
        rows.append({"turn": turn, "first_ms": first_ms, "just_cut": pruned, **camera.row})
    named = [row for row in rows if row["turn"] in (1, 5, len(rows)) or row["just_cut"]]
    return [*named, {"turn": "all", **spread([row["first_ms"] for row in rows])}]


async def video_turns(camera: Camera) -> list[Row]:
    """A second of video is read, by how much is remembered already."""
    rows: list[Row] = []
    for _ in range(camera.extent.keep_s + camera.extent.slack_s):
        camera.see()
        rows.append({"read_ms": await camera.read(), **camera.row})
    return [rows[0], rows[len(rows) // 2], rows[-1], {"seconds": "all", **spread([row["read_ms"] for row in rows])}]


async def cuts(camera: Camera) -> list[Row]:
    """What a cut leaves is read anew, with its pictures; and the first token of a question that comes meanwhile."""
    while not is_due(camera.history, camera.limits):
        camera.see()
        await camera.read()
    alone = camera.history.cut(cut(camera.history, camera.limits))
    read_ms = await camera.read(alone)
    while not is_due(alone, camera.limits):
        camera.see()
        await camera.read()
        alone = alone.with_video_turn(camera.history.video_turns[-1].clip)
        await camera.read(alone)
    async with asyncio.TaskGroup() as tasks:
        reading = tasks.create_task(camera.read(alone.cut(cut(alone, camera.limits))))
        await asyncio.sleep(0.03)
        first_ms, _ = await camera.ask()
    return [{"cut_read_ms": read_ms, "beside_a_question_ms": reading.result(), "first_ms_meanwhile": first_ms}]


async def tokens(cameras: Sequence[Camera]) -> list[Row]:
    """An answer's further tokens, when as many are answered at once."""
    for camera in cameras:
        camera.see()
    answers = await asyncio.gather(*(camera.ask(camera.extent.tokens) for camera in cameras))
    return [{"at_once": len(cameras), "token_ms": median(each for _, each in answers)}]


async def watch(cameras: Sequence[Camera]) -> list[Row]:
    """All watch, each at its own moment of the second; one asks now and then.

    `share` is of the second that the rounds of all take, if they are read one after the other without a pause.
    """
    extent, loop = cameras[0].extent, asyncio.get_running_loop()
    for camera in cameras:
        for _ in range(extent.keep_s):
            camera.see()
    await asyncio.gather(*(camera.read() for camera in cameras))
    for camera in cameras:
        camera.see()
    began = loop.time()
    await asyncio.gather(*(camera.read() for camera in cameras))
    share = loop.time() - began
    read: list[float] = []
    first: list[float] = []

    async def live(camera: Camera, phase: float) -> None:
        await asyncio.sleep(phase)
        for second in range(extent.seconds):
            next_at = loop.time() + 1.0
            camera.see()
            read.append(await camera.read())
            if second % 3 == 2:
                first.append((await camera.ask())[0])
            await asyncio.sleep(max(0.0, next_at - loop.time()))

    await asyncio.gather(*(live(camera, at / len(cameras)) for at, camera in enumerate(cameras)))
    row: Row = {"sessions": len(cameras), "share": share, **cameras[0].row}
    row |= {f"read_{name}": value for name, value in spread(read).items()}
    return [row | {f"first_{name}": value for name, value in spread(first or [0.0]).items()}]


async def abort(camera: Camera) -> list[Row]:
    for _ in range(camera.extent.rounds_a_turn):
        camera.see()
    await camera.read()
    request = camera.history.with_item(Item("q", "user", QUESTION))
    return [spread([await camera.until_dropped(request, 200) for _ in range(camera.extent.times)])]


def spread(values: Sequence[float]) -> Row:
    ordered = sorted(values)
    return {
        "p50": median(ordered),
        "p95": ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)],
        "most": ordered[-1],
    }
