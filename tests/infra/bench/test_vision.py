"""The bench of the eyes: what counts as right, what cameras do to pictures, and what is told of it."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from infra.bench.vision.changes import CHANGES
from infra.bench.vision.photos import Photo, PhotoPackage, PhotoShelf, PhotosMissing
from infra.bench.vision.recognition import PhotoResult, RecognitionCost
from infra.bench.vision.report import costs, faults, said, scores
from pipeline.media.video_chunk import TOKEN_PX
from pipeline.types.observation import Observation, SeenThing

CAT = Photo("cat", "cats", "data/cat.png", hashlib.sha256(b"cat").hexdigest(), "What?", ("cat",), shows=("cat", "pet"))
SIGN = Photo("sign", "cats", "data/sign.png", "0" * 64, "What?", ("parking",), text=("No parking", "today"))
PACKAGES = {"cats": PhotoPackage("wheels", "MIT", "1.0")}


def result(photo: Photo, **seen: Observation) -> PhotoResult:
    """Nothing is seen but where it is told."""
    return PhotoResult(photo, {name: seen.get(name.split()[0], Observation()) for name in CHANGES})


def test_one_of_the_nouns_is_enough_and_all_of_the_text_is_needed() -> None:
    assert CAT.is_named(["table", "pet"])
    assert not CAT.is_named(["table"])
    assert SIGN.is_read("NO\nPARKING TODAY")
    assert not SIGN.is_read("no parking")


@pytest.mark.parametrize("name", CHANGES)
def test_what_cameras_do_leaves_a_picture_that_models_take(name: str) -> None:
    pixels = np.random.default_rng(1).integers(0, 255, (480, 640, 3), np.uint8)
    changed = CHANGES[name](pixels)
    assert changed.dtype == np.uint8
    assert all(side % TOKEN_PX == 0 for side in changed.shape[:2])
    assert (changed.shape == pixels.shape and bool((changed == pixels).all())) is (name == "as it is")


def test_a_photo_whose_package_is_there_is_found_and_another_one_in_its_place_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cats" / "data" / "cat.png"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"cat")
    shelf = PhotoShelf(tmp_path, "/bin/false")
    assert shelf.photos([CAT], PACKAGES) == {"cat": file}
    file.write_bytes(b"dog")
    with pytest.raises(PhotosMissing, match=r"cat: cats has another photo at data/cat\.png, or none"):
        shelf.photos([CAT], PACKAGES)


def test_a_package_that_cannot_be_had_is_told(tmp_path: Path) -> None:
    with pytest.raises(PhotosMissing, match="/bin/false failed"):
        PhotoShelf(tmp_path, "/bin/false").photos([CAT], PACKAGES)


def test_things_and_text_are_scored_apart_under_each_change() -> None:
    seen = Observation((SeenThing("cat", 2), SeenThing("table")), "No parking\ntoday")
    results = [result(CAT, **{"as": seen, "dark": seen}), result(SIGN, **{"as": seen})]
    table = scores(results).splitlines()
    assert table[0].split() == ["things", "of", "1", "text", "of", "1"]
    assert [line.split()[-2:] for line in table[1:]] == [["1", "1"], *[["0", "0"]] * 4, ["1", "0"]]
    assert said(seen) == "2 × cat, table | “No parking today”"
    assert said(Observation()) == "–"
    assert faults(results).splitlines()[1].split()[:3] == ["cat", "✓", "·"]


def test_costs_are_told_in_milliseconds_and_shares_of_a_core() -> None:
    told = costs(RecognitionCost([0.03, 0.05, 0.04], [0.1], [0.2], 0.081, 264.6))
    assert "things                         40     50" in told
    assert "at two pictures a second: 8% of a core; 265 MB" in told
