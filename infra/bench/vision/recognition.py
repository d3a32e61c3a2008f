"""Has the engine look at photos, as they are and as cameras may show them, and measures what that costs."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

from infra.bench.base.footprint import cpu_s, pss_mb
from infra.bench.base.process_tree import family
from infra.bench.vision.changes import CHANGES
from infra.bench.vision.photos import Photo
from pipeline.engines.base import Engine
from pipeline.media.video_chunk import Pixels, VideoChunk, decoded
from pipeline.types.observation import Observation, RecognitionPrompt

Eyes = Engine[RecognitionPrompt, Observation]
FRAMES_S = 0.5  # between two pictures of a camera that is watched


@dataclass(frozen=True, slots=True)
class PhotoResult:
    """What was recognised in one photo.

    Attributes:
        seen: By the name of the change.
    """

    photo: Photo
    seen: Mapping[str, Observation]

    def is_right(self, change: str) -> bool:
        seen = self.seen[change]
        named = not self.photo.shows or self.photo.is_named(thing.name for thing in seen.things)
        return named and self.photo.is_read(seen.text)


@dataclass(frozen=True, slots=True)
class RecognitionCost:
    """What looking costs.

    Attributes:
        things_s, light_s, full_s: Seconds for each picture: things alone, with a quick look for text, all text.
        cpu: Share of a core at two pictures a second.
        mb: Proportional set size of the process.
    """

    things_s: Sequence[float] = field(default_factory=list)
    light_s: Sequence[float] = field(default_factory=list)
    full_s: Sequence[float] = field(default_factory=list)
    cpu: float = 0.0
    mb: float = 0.0


async def measure_photos(eyes: Eyes, photos: Sequence[Photo], files: Mapping[str, Path]) -> list[PhotoResult]:
    results = []
    for photo in photos:
        pixels = decoded(files[photo.name].read_bytes())
        seen = {
            name: await look(eyes, f"{photo.name}:{name}", change(pixels), read=bool(photo.text))
            for name, change in CHANGES.items()
        }
        results.append(PhotoResult(photo, seen))
    return results


async def measure_cost(eyes: Eyes, files: Mapping[str, Path], seconds: float) -> RecognitionCost:
    """Times each kind of look at each photo, and then watches them as a camera of somebody who moves."""
    clock = asyncio.get_running_loop().time
    pictures = [decoded(file.read_bytes()) for file in files.values()]
    cost = RecognitionCost([], [], [])
    for at, pixels in enumerate(pictures):
        for kind, read, salt in (("light", False, ""), ("full", True, ""), ("things", False, "mover")):
            began = clock()
            await look(eyes, f"{kind}:{at}", pixels, read=read, salt=salt)
            getattr(cost, f"{kind}_s").append(clock() - began)
    _, *pids = [process.pid for process in family(os.getpid())]
    before, began = cpu_s(pids), clock()
    for at, pixels in enumerate(islice(cycle(pictures), round(seconds / FRAMES_S))):
        await look(eyes, f"watched:{at}", pixels, salt="watched")
        await asyncio.sleep(max(0.0, began + (at + 1) * FRAMES_S - clock()))
    share = (cpu_s(pids) - before) / (clock() - began)
    return RecognitionCost(cost.things_s, cost.light_s, cost.full_s, share, pss_mb(pids))


async def look(eyes: Eyes, name: str, pixels: Pixels, *, read: bool = False, salt: str = "") -> Observation:
    async def prompts() -> AsyncIterator[RecognitionPrompt]:
        yield RecognitionPrompt((VideoChunk(name, (pixels,)),), read, salt)

    (seen,) = [each async for each in eyes.generate(name, prompts())]
    return seen
