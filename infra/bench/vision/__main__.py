"""Measures recognition alone: `python -m infra.bench.vision`. Needs the weights, and fetches the photos.

With `--answers` it asks the embedded profile a question about each photo instead.
"""

import argparse
import asyncio
from contextlib import aclosing
from pathlib import Path

from infra.bench.vision.answers import ask_about
from infra.bench.vision.photos import aura_home, photo_shelf, read_photos
from infra.bench.vision.recognition import measure_cost, measure_photos
from infra.bench.vision.report import answer, costs, faults, scores
from pipeline.engines.image_recognition.engine import ImageRecognitionEngine


async def _main(models: Path, wheels_only: bool, asks: bool, idle_s: float) -> None:
    known = read_photos()
    photos = [each for each in known.photos if not wheels_only or known.packages[each.package].index == "wheels"]
    files = photo_shelf(aura_home()).photos(photos, known.packages)
    if asks:
        right = 0
        async with aclosing(ask_about(models, photos, files)) as given:
            async for each in given:
                print(answer(each), flush=True)
                right += each.is_right
        print(f"\n{right} of {len(photos)} answers are right ({right / len(photos):.0%})")
        return
    engine = await ImageRecognitionEngine.open(models)
    try:
        results = await measure_photos(engine, photos, files)
        print(faults(results), scores(results), sep="\n\n", end="\n\n")
        print(costs(await measure_cost(engine, files, idle_s)))
    finally:
        await engine.aclose()


if __name__ == "__main__":
    asked = argparse.ArgumentParser(prog="python -m infra.bench.vision", description=__doc__)
    asked.add_argument("--models", type=Path, default=aura_home() / "models", help="the folder of the weights")
    asked.add_argument("--wheels-only", action="store_true", help="leave out the photos of Debian's packages")
    asked.add_argument("--answers", action="store_true", help="ask the embedded profile about each photo")
    asked.add_argument("--seconds", type=float, default=20.0, help="how long it looks at two pictures a second")
    given = asked.parse_args()
    asyncio.run(_main(given.models, given.wheels_only, given.answers, given.seconds))
