"""Which GPUs count: those that the environment lets CUDA see, whatever else `nvidia-smi` lists."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.runtime.checks import gpus
from pipeline.runtime.checks.gpus import GIB, gpu_bytes

SMI = """#!/bin/sh
printf '%s\\n' '0, GPU-1b4a77, 81920' '1, GPU-1b9c02, 24576' '2, GPU-77aa01, [N/A]' '3, GPU-c0ffee, 40960'
"""


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The driver's tool of a machine of four, one of which does not tell its memory."""
    tool = tmp_path / "nvidia-smi"
    tool.write_text(SMI)
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    gpus._gpus.cache_clear()
    yield tool
    gpus._gpus.cache_clear()


@pytest.mark.parametrize(
    ("visible", "gib"),
    [
        (None, [80, 24, 40]),
        ("1", [24]),
        ("3,0", [40, 80]),
        (" 1 , 3 ", [24, 40]),
        ("GPU-1b9c02", [24]),
        ("GPU-c0,0", [40, 80]),
        ("", []),
        ("-1", []),
        ("1,7,0", [24]),  # as in CUDA: what comes behind a name that is none does not count
        ("GPU-1b", []),  # may be two of them
        ("2", []),
        ("MIG-1b4a77", []),
    ],
)
def test_those_count_that_may_be_seen_in_that_order(visible: str | None, gib: list[int]) -> None:
    assert gpu_bytes(visible) == tuple(size * GIB for size in gib)


def test_where_there_is_no_driver_there_are_none(machine: Path) -> None:
    machine.unlink()
    assert gpu_bytes(None) == gpu_bytes("0") == ()
