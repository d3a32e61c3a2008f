"""What was measured, for a terminal. Pure."""

from collections.abc import Sequence
from statistics import median

from infra.bench.base.figures import percentile
from infra.bench.vision.answers import PhotoAnswer
from infra.bench.vision.changes import CHANGES
from infra.bench.vision.recognition import PhotoResult, RecognitionCost
from pipeline.types.observation import Observation


def faults(results: Sequence[PhotoResult]) -> str:
    """A line for each photo: which changes it survives, and what was seen in it as it is."""
    width = max(len(result.photo.name) for result in results)
    names = list(CHANGES)
    lines = [f"{'photo':<{width}}  {' '.join(names)}  seen"]
    for result in results:
        marks = " ".join(f"{'✓' if result.is_right(name) else '·':^{len(name)}}" for name in names)
        lines.append(f"{result.photo.name:<{width}}  {marks}  {said(result.seen[names[0]])}")
    return "\n".join(lines)


def scores(results: Sequence[PhotoResult]) -> str:
    """How many photos are right under each change: of things, and of text."""
    things = [result for result in results if result.photo.shows]
    texts = [result for result in results if result.photo.text]
    lines = [f"{'':<14} things of {len(things)}  text of {len(texts)}"]
    for name in CHANGES:
        right = [sum(result.is_right(name) for result in part) for part in (things, texts)]
        lines.append(f"{name:<14} {right[0]:12}  {right[1]:{len(f'text of {len(texts)}')}}")
    return "\n".join(lines)


def answer(given: PhotoAnswer) -> str:
    """One photo: what was seen, asked and answered."""
    mark = "✓" if given.is_right else "·"
    return f"{mark} {given.photo.name}: {said(given.seen)}\n    {given.photo.question} {given.text}"


def costs(cost: RecognitionCost) -> str:
    looks = {"things": cost.things_s, "and a quick look for text": cost.light_s, "and all text": cost.full_s}
    lines = [f"{'ms a picture':<26} median    p95"]
    for name, seconds in looks.items():
        lines.append(f"{name:<26} {1000 * median(seconds):6.0f} {1000 * percentile(seconds, 95):6.0f}")
    return "\n".join([*lines, "", f"at two pictures a second: {cost.cpu:.0%} of a core; {cost.mb:.0f} MB"])


def said(seen: Observation) -> str:
    """What was seen, in one short line."""
    things = ", ".join(f"{thing.count} × {thing.name}" if thing.count > 1 else thing.name for thing in seen.things)
    text = " ".join(seen.text.split())
    return " | ".join(part for part in (things or "–", f"“{text[:60]}”" if text else "") if part)
