"""Measures what a camera costs an answer: the same questions with one that films and without, in turns."""

import asyncio
import base64
import io
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import numpy as np
from PIL import Image

from infra.bench.base.wire import Wire, wired
from infra.bench.latency.asking import SESSION, AnsweredQuestion, ask
from pipeline.media.video_chunk import Pixels

FRAME_S = 0.5  # between two pictures, as the agent sends them
FILMED_S = 2.0  # before a question
SHAKE_PX = 8  # by how much the picture moves: a camera in a hand
SIZE = (640, 480)
FILMING = {**SESSION, "aura": {**SESSION["aura"], "camera": True}}


async def measure(url: str, key: str, questions: Sequence[bytes], photos: Sequence[Pixels]) -> dict[str, list[float]]:
    """Every question twice: of a caller whose camera films one photo after the other, and of one without a camera."""
    filmed, plain = [], []
    async with wired(url, key, FILMING) as seeing, wired(url, key, SESSION) as blind:
        for at, question in enumerate(questions):
            plain.append(await ask(blind, question))
            async with filming(seeing, photos[at % len(photos)]):
                await asyncio.sleep(FILMED_S)
                filmed.append(await ask(seeing, question))
    kinds = {"without a camera": plain, "with a camera": filmed}
    return {
        f"{kind}: {name}": seconds for kind, answered in kinds.items() for name, seconds in _figures(answered).items()
    }


def _figures(answered: Sequence[AnsweredQuestion]) -> dict[str, list[float]]:
    return {
        "last speech → first audio": [each.since_speech for each in answered],
        "  of it: from what was made out to the first text": [each.between("heard", "first_text") for each in answered],
    }


@asynccontextmanager
async def filming(wire: Wire, photo: Pixels) -> AsyncGenerator[None, None]:
    """Sends a shaking picture of that photo, twice a second, until the body ends."""
    async with asyncio.TaskGroup() as tasks:
        camera = tasks.create_task(_film(wire, photo), name="bench:film")
        yield
        camera.cancel()


async def _film(wire: Wire, photo: Pixels) -> None:
    clock, dice = asyncio.get_running_loop().time, np.random.default_rng(0)
    due = clock()
    while True:
        await wire.send("input_video_buffer.append", image=base64.b64encode(_shaken(photo, dice)).decode())
        due += FRAME_S
        await asyncio.sleep(max(0.0, due - clock()))


def _shaken(photo: Pixels, dice: np.random.Generator) -> bytes:
    """The photo as a JPEG, moved a little."""
    down, across = dice.integers(-SHAKE_PX, SHAKE_PX + 1, 2)
    image = Image.fromarray(np.roll(photo, (int(down), int(across)), (0, 1))).resize(SIZE)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=80)
    return out.getvalue()
