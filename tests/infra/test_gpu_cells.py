"""What each cell of a measurement is started with, and who tells of its GPU: a stand-in for the driver's tools."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.gpu import cells
from tests.gpu.cells_run import places_of
from tests.gpu.chain_meters import REQUESTS
from tests.gpu.chain_run import Place
from tests.gpu.environment import CACHES, environment
from tests.gpu.memory import gpu_mib, gpus
from tests.gpu.voice import mps

SMI = """#!/bin/sh
case "$*" in
    *query-gpu=index*) printf '0\\n1\\n' ;;
    *"-i 1"*) echo 70123 ;;
    *"-i 0"*) echo 512 ;;
esac
"""


def stand_in(folder: Path, name: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of that name is the first to be found."""
    (folder / name).write_text(said)
    (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_each_cell_sees_a_gpu_of_its_own_and_shares_nothing_that_it_writes(tmp_path: Path) -> None:
    env = environment(tmp_path / "plugin", tmp_path / "caches", tiny=False) | {REQUESTS: str(tmp_path / "requests")}
    place = Place(tmp_path / "deployment.yaml", tmp_path / "models", env)
    one, other = places_of(place, (2, 5))
    assert (one.gpu, other.gpu) == (2, 5)
    assert (one.env["CUDA_VISIBLE_DEVICES"], other.env["CUDA_VISIBLE_DEVICES"]) == ("2", "5")
    own = {"CUDA_VISIBLE_DEVICES", REQUESTS, *CACHES}
    assert {name for name in one.env.keys() | other.env.keys() if one.env.get(name) != other.env.get(name)} == own
    assert {name: one.env[name] for name in env.keys() - own} == {name: env[name] for name in env.keys() - own}
    assert (one.deployment, one.models_dir) == (place.deployment, place.models_dir)
    assert [each.is_cached for each in (one, other)] == [False, False]
    for cache in CACHES:
        Path(other.env[cache]).mkdir(parents=True)
    assert [each.is_cached for each in (one, other)] == [False, True]


def test_the_service_that_shares_gpus_numbers_them_as_the_cells_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(
        tmp_path, "nvidia-cuda-mps-control", '#!/bin/sh\necho "${CUDA_VISIBLE_DEVICES-all}" >> "$TOLD"\n', monkeypatch
    )
    monkeypatch.setenv("TOLD", str(tmp_path / "told"))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    with mps(tmp_path, wanted=True) as told:
        assert told.keys() == {"CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY"}
    assert (tmp_path / "told").read_text() == "all\nall\n"


@pytest.mark.parametrize(
    ("told", "loads", "asks_daemons"),
    [
        (["--only", "daemons"], None, True),
        (["--only", "daemons", "--mps"], None, True),
        (["--only", "first,daemons"], ["first"], True),
        (["--mps"], ["first", "many", "open", "others"], True),
        ([], ["first", "many", "open", "others"], False),
    ],
)
def test_cells_are_started_for_loads_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: list[str], loads: list[str] | None, asks_daemons: bool
) -> None:
    began = dict[str, object]()

    @contextmanager
    def made_up(*_: object, **__: object) -> Iterator[Place]:
        yield Place(tmp_path / "deployment.yaml", tmp_path, {REQUESTS: "requests", **dict.fromkeys(CACHES, "cache")})

    async def run(report: object, places: object, extent: object, sections: object, limit_s: float) -> None:
        began["loads"] = sections

    async def run_daemons(report: object, gpus: object, ends: float) -> None:
        began["daemons"] = gpus

    for name, value in (("made_up_from", made_up), ("run", run), ("run_daemons", run_daemons), ("versions", dict)):
        monkeypatch.setattr(cells, name, value)
    monkeypatch.setattr(cells, "gpus", lambda: (0, 1))
    monkeypatch.setattr("sys.argv", ["cells", "-o", str(tmp_path / "cells.json"), *told])
    cells.main()
    assert began == ({"loads": loads} if loads else {}) | ({"daemons": (0, 1)} if asks_daemons else {})


def test_what_a_gpu_holds_is_told_of_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, "nvidia-smi", SMI, monkeypatch)
    assert (gpus(), gpu_mib(), gpu_mib(1), gpu_mib(7)) == ((0, 1), 512, 70123, None)
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\nexit 9\n")
    assert (gpus(), gpu_mib()) == ((), None)
