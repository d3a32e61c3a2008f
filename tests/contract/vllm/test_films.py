"""A film is shown as a camera would show it: second by second, whatever its length."""

import tracemalloc
from pathlib import Path

import pytest

from pipeline.errors import RequestError
from pipeline.films import film_of
from tests.contract.vllm.films import write_film

pytestmark = pytest.mark.vllm


def test_a_film_is_never_in_memory_as_a_whole(vllm_on_a_cpu: None, tmp_path: Path) -> None:
    path = write_film(tmp_path / "clip.mp4", 30)
    tracemalloc.start()
    try:
        sizes = [clip.pixels.nbytes for clip in film_of(path)]
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
