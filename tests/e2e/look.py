"""How the page looked when somebody last looked at it: small pictures of its main states, and what has changed since.

    python -m tests.e2e.look      the pictures in `tests/e2e/out/` are right: they are the baseline from now on

The pictures of `baseline/` are a tenth of the screen in each direction. So a letter that another machine draws a little
differently does not count, and a colour, a place or a part that is missing does.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

BASELINE = Path(__file__).parent / "baseline"
OUT = Path(__file__).parent / "out"
SMALLER = 10
UNLIKE = 32  # of 255, in the channel that differs most: a point looks otherwise
TOLD, GROSS = 0.01, 0.2  # share of the points that look otherwise
KEPT = ("desk-light", "phone-dark")  # each layout and each theme once

Points = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Look:
    """One picture, compared.

    Attributes:
        changed: The share of its points that look otherwise; 1 where it has another size, or there was none.
    """

    name: str
    changed: float

    def __str__(self) -> str:
        return f"{self.name}: {self.changed:.1%} looks otherwise, see {self.name}-diff.png"


def compared(picture: Path, baseline: Path = BASELINE) -> Look | None:
    """How a picture differs from the one of its name that was kept; None: none is kept of it.

    Beside a picture that has changed `NAME-diff.png` is left: before, now, and where they differ.
    """
    before = baseline / picture.name
    if not picture.stem.endswith(KEPT):
        return None
    now = smaller(picture)
    if not before.exists():
        return Look(picture.stem, 1.0)
    kept = _points(Image.open(before).convert("RGB"))
    differs = unlike(kept, now)
    look = Look(picture.stem, float(differs.mean()))
    if look.changed > TOLD:
        _show(kept, now, differs).save(picture.with_name(f"{picture.stem}-diff.png"))
    return look


def unlike(before: Points, now: Points) -> NDArray[np.bool_]:
    """Which points look otherwise: all, where the sizes differ."""
    if before.shape != now.shape:
        return np.ones(now.shape[:2], np.bool_)
    return np.asarray(np.abs(before - now).max(axis=2) > UNLIKE)


def smaller(picture: Path) -> Points:
    """The picture at a tenth of its width and height, each point the mean of what it stands for."""
    image = Image.open(picture).convert("RGB")
    return _points(image.reduce(SMALLER))


def keep(pictures: Path = OUT, baseline: Path = BASELINE) -> int:
    """Take these pictures for the baseline; returns how many they are."""
    baseline.mkdir(exist_ok=True)
    kept = [path for path in sorted(pictures.glob("state-*.png")) if path.stem.endswith(KEPT)]
    for path in kept:
        image = Image.fromarray(smaller(path).astype(np.uint8))
        image.save(baseline / path.name, optimize=True)
    return len(kept)


def _points(image: Image.Image) -> Points:
    return np.asarray(image, np.int16)


def _show(before: Points, now: Points, differs: NDArray[np.bool_]) -> Image.Image:
    """Side by side, four times as large; what differs is red on a pale picture of now."""
    pale = (now + 3 * 255) // 4
    pale[differs] = (220, 20, 20)
    images = [Image.fromarray(each.astype(np.uint8)) for each in (before, now, pale)]
    sheet = Image.new("RGB", (sum(each.width for each in images), max(each.height for each in images)))
    left = 0
    for each in images:
        sheet.paste(each, (left, 0))
        left += each.width
    return sheet.resize((sheet.width * 4, sheet.height * 4), Image.Resampling.NEAREST)


if __name__ == "__main__":
    print(f"{keep()} pictures are the baseline now: look at them before you commit them")
