"""What counts as another look of the page."""

from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from tests.e2e.look import BASELINE, GROSS, KEPT, TOLD, compared, keep

NAME = "state-door-desk-light.png"
MOST_BYTES = 300_000


def drawn(path: Path, *, paper: str = "#f6f2e9", shifted: int = 0, button: bool = True) -> Path:
    image = Image.new("RGB", (1440, 900), paper)
    paint = ImageDraw.Draw(image)
    paint.line((0, 400 + shifted, 1440, 400 + shifted), "#223", 3)
    for row in range(20):
        paint.text((400 + shifted, 430 + 20 * row), "A line of words that somebody has said, " * 2, "#223")
    if button:
        paint.rectangle((600, 200, 840, 300), "#105548")
    path.parent.mkdir(exist_ok=True)
    image.save(path)
    return path


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    drawn(tmp_path / "before" / NAME)
    drawn(tmp_path / "before" / "state-door-phone-light.png")
    assert keep(tmp_path / "before", tmp_path / "baseline") == 1
    return tmp_path / "baseline"


def changed(now: Path, baseline: Path) -> float:
    look = compared(now, baseline)
    assert look
    return look.changed


def test_the_same_page_looks_the_same_though_its_letters_are_drawn_a_little_otherwise(
    baseline: Path, tmp_path: Path
) -> None:
    assert changed(drawn(tmp_path / "now" / NAME), baseline) == 0
    assert changed(drawn(tmp_path / "now" / NAME, shifted=1), baseline) < TOLD
    assert list((tmp_path / "now").glob("*-diff.png")) == []


def test_a_part_that_is_missing_is_told_with_a_picture_of_it(baseline: Path, tmp_path: Path) -> None:
    share = changed(drawn(tmp_path / "now" / NAME, button=False), baseline)
    assert TOLD < share < GROSS
    shown = Image.open(tmp_path / "now" / "state-door-desk-light-diff.png")
    assert shown.size == (3 * 144 * 4, 90 * 4)


def test_the_colour_of_a_small_part_counts_on_a_dark_page(tmp_path: Path) -> None:
    for folder, red in (("before", "#c8443a"), ("now", "#c8443a")):
        drawn(tmp_path / folder / "state-door-phone-dark.png", paper="#0e1412")
        image = Image.open(tmp_path / folder / "state-door-phone-dark.png")
        ImageDraw.Draw(image).ellipse((1200, 780, 1280, 860), red)
        image.save(tmp_path / folder / "state-door-phone-dark.png")
    keep(tmp_path / "before", tmp_path / "baseline")
    assert changed(tmp_path / "now" / "state-door-phone-dark.png", tmp_path / "baseline") == 0
    kept = Image.open(tmp_path / "baseline" / "state-door-phone-dark.png").convert("RGB")
    assert kept.getpixel((124, 82)) == (200, 68, 58)


def test_another_paper_or_another_size_is_gross(baseline: Path, tmp_path: Path) -> None:
    assert changed(drawn(tmp_path / "now" / NAME, paper="#ffffff"), baseline) < TOLD
    assert changed(drawn(tmp_path / "now" / NAME, paper="#101010"), baseline) > GROSS
    Image.new("RGB", (390, 844)).save(tmp_path / "now" / NAME)
    assert changed(tmp_path / "now" / NAME, baseline) == 1


def test_a_state_that_was_never_looked_at_is_told_and_other_screens_are_not_compared(
    baseline: Path, tmp_path: Path
) -> None:
    assert changed(drawn(tmp_path / "now" / "state-new-phone-dark.png"), baseline) == 1
    assert compared(drawn(tmp_path / "now" / "state-new-desk-dark.png"), baseline) is None


def test_the_baseline_is_small_and_has_each_state_on_both_screens() -> None:
    pictures = sorted(BASELINE.glob("*.png"))
    assert sum(picture.stat().st_size for picture in pictures) < MOST_BYTES
    states = {picture.stem.removesuffix(f"-{kept}") for picture in pictures for kept in KEPT}
    states = {state for state in states if not state.endswith(KEPT)}
    assert len(states) >= 12
    assert {picture.name for picture in pictures} == {f"{state}-{kept}.png" for state in states for kept in KEPT}
