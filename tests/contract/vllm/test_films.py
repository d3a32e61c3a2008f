"""A film is shown as a camera would show it: second by second, whatever its length."""

import tracemalloc
from pathlib import Path

import pytest
from PIL import Image

from pipeline.errors import RequestError
from pipeline.vision.video_file import film_of
from tests.contract.vllm.films import LIGHTER, write_film

pytestmark = pytest.mark.vllm


def test_a_film_is_never_in_memory_as_a_whole(vllm_on_a_cpu: None, tmp_path: Path) -> None:
    path = write_film(tmp_path / "clip.mp4", 30)
    tracemalloc.start()
    try:
        sizes = [sum(frame.nbytes for frame in clip.frames) for clip in film_of(path)]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(sizes) == 30
    assert peak < 5 * max(sizes)


def test_what_is_no_film_is_told_before_anything_else_begins(vllm_on_a_cpu: None, tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    path.write_bytes(b"no film")
    with pytest.raises(RequestError, match="is no video"):
        film_of(path)
    with pytest.raises(RequestError, match=r"^--video: 3200 x 16 is too narrow to be seen"):
        film_of(write_film(tmp_path / "narrow.mp4", 1, 3200, 16))
    assert list(film_of(None)) == []


def test_no_second_of_a_film_has_the_name_of_another_films(vllm_on_a_cpu: None, tmp_path: Path) -> None:
    paths = [write_film(tmp_path / f"{number}.mp4", 2) for number in range(2)]
    names = [clip.id for path in (*paths, paths[0]) for clip in film_of(path)]
    assert len(set(names)) == len(names) == 6, "an engine that has seen one would take the other for it"


def shown(path: Path, lighter: int = LIGHTER) -> list[tuple[int, ...]]:
    """The numbers of the frames of each second."""
    return [tuple(round(float(frame.mean()) / lighter) for frame in clip.frames) for clip in film_of(path)]


@pytest.mark.parametrize(
    ("fps", "seconds", "video_turns"),
    [
        (10, 2, [(0, 5), (10, 15)]),
        (10, 2.4, [(0, 5), (10, 15), (20, 20)]),
        (30_000 / 1_001, 1.001, [(0, 15)]),  # the last thousandth is no second
        (2, 2, [(0, 1), (2, 3)]),
        (1.5, 4, [(0, 1), (2, 2), (3, 4), (5, 5)]),
        (1, 3, [(0, 0), (1, 1), (2, 2)]),
        (0.5, 10, [(0, 0), (0, 0), (1, 1), (1, 1), (2, 2), (2, 2), (3, 3), (3, 3), (4, 4), (4, 4)]),
        (0.4, 5, [(0, 0), (0, 0), (0, 1), (1, 1), (1, 1)]),
    ],
)
def test_every_second_of_a_film_is_shown_by_the_newest_frame_where_it_has_none_of_its_own(
    vllm_on_a_cpu: None, tmp_path: Path, fps: float, seconds: float, video_turns: list[tuple[int, int]]
) -> None:
    assert shown(write_film(tmp_path / "clip.mp4", seconds, fps=fps)) == video_turns


def test_each_picture_of_a_slide_show_is_shown_for_as_long_as_it_stands(vllm_on_a_cpu: None, tmp_path: Path) -> None:
    first, *others = (Image.new("L", (160, 120), 40 * number) for number in range(3))
    path = tmp_path / "slides.gif"
    first.save(path, save_all=True, append_images=others, duration=[1_000, 1_500, 3_500])
    assert shown(path, 40) == [(0, 0), (1, 1), (1, 2), (2, 2), (2, 2), (2, 2)]


def test_of_a_film_that_breaks_off_nothing_is_shown_behind_its_last_frame(vllm_on_a_cpu: None, tmp_path: Path) -> None:
    path = write_film(tmp_path / "clip.avi", 20, fps=0.25)
    path.write_bytes(b"00dc".join(path.read_bytes().split(b"00dc")[:5]))  # an index, and three frames of five
    assert shown(path) == [(0, 0)] * 4 + [(1, 1)] * 4 + [(2, 2)]
