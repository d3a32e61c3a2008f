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
    assert list(film_of(None)) == []
