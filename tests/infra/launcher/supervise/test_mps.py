"""One GPU is shared through NVIDIA's service, where there is its tool; a stand-in writes down what it is told."""

import io
import os
from pathlib import Path

import pytest

from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Display
from infra.launcher.supervise.mps import TOOL, multi_process_service, shares_a_gpu
from pipeline.runtime.profiles import DEPLOY

pytestmark = pytest.mark.anyio

STAND_IN = '#!/bin/sh\necho "$CUDA_MPS_PIPE_DIRECTORY $CUDA_MPS_LOG_DIRECTORY $* $(cat)" >> "$TOLD"\n'


def machine(folder: Path, tool: str) -> dict[str, str]:
    """An environment in which that is the tool."""
    (folder / "bin").mkdir()
    (folder / "bin" / TOOL).write_text(tool)
    (folder / "bin" / TOOL).chmod(0o755)
    return {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "TOLD": str(folder / "told")}


async def test_it_runs_as_long_as_the_parts_and_they_are_told_where(
    tmp_path: Path, layout: Layout, display: Display
) -> None:
    place = str(layout.run / "mps")
    layout.run.mkdir()
    async with multi_process_service(layout, machine(tmp_path, STAND_IN), display) as told:
        assert told == {"CUDA_MPS_PIPE_DIRECTORY": place, "CUDA_MPS_LOG_DIRECTORY": place}
        assert Path(place).is_dir()
        assert (tmp_path / "told").read_text() == f"{place} {place} -d \n"
    assert (tmp_path / "told").read_text().splitlines()[1:] == [f"{place} {place}  quit"]


async def test_it_numbers_gpus_as_the_stages_do_whichever_of_them_these_may_see(
    tmp_path: Path, layout: Layout, display: Display
) -> None:
    layout.run.mkdir()
    environ = machine(tmp_path, '#!/bin/sh\necho "sees ${CUDA_VISIBLE_DEVICES-all}" >> "$TOLD"\n')
    async with multi_process_service(layout, environ | {"CUDA_VISIBLE_DEVICES": "1"}, display) as told:
        assert "CUDA_VISIBLE_DEVICES" not in told
    assert (tmp_path / "told").read_text() == "sees all\n" * 2


async def test_one_line_says_that_there_is_none(
    tmp_path: Path, layout: Layout, display: Display, screen: io.StringIO
) -> None:
    async with multi_process_service(layout, {"PATH": str(tmp_path)}, display) as told:
        assert told == {}
    assert screen.getvalue().count("\n") == 1 and f"{TOOL} is not there" in screen.getvalue()


async def test_one_that_does_not_start_is_told_and_not_ended(
    tmp_path: Path, layout: Layout, display: Display, screen: io.StringIO
) -> None:
    layout.run.mkdir()
    async with multi_process_service(layout, machine(tmp_path, STAND_IN + "exit 3\n"), display) as told:
        assert told == {}
    assert f"{TOOL} ended with code 3" in screen.getvalue()
    assert "quit" not in (tmp_path / "told").read_text()


async def test_somebody_elses_is_used_as_it_is(layout: Layout, display: Display, screen: io.StringIO) -> None:
    async with multi_process_service(layout, {"CUDA_MPS_PIPE_DIRECTORY": "/there"}, display) as told:
        assert told == {}
    assert screen.getvalue() == ""


def test_which_deployments_share_a_gpu(tmp_path: Path) -> None:
    assert all(shares_a_gpu(path) for path in DEPLOY.glob("aura_*.yaml"))
    file = tmp_path / "mine.yaml"
    stage = "  - stage_id: {}\n    runtime: {{devices: '{}'}}\n"
    file.write_text("stage_args:\n" + "".join(stage.format(at, at) for at in range(4)))
    assert not shares_a_gpu(file)
    file.write_text(
        "stage_args:\n" + "".join(stage.format(at, devices) for at, devices in enumerate(("0", "1,2", "2", "3")))
    )
    assert shares_a_gpu(file)
    file.write_text("stage_args:\n  - stage_id: 0\n  - stage_id: 1\n")
    assert shares_a_gpu(file), "those that name none are on the first"
    for wrong in ("", "stage_args: 1", "a: [", "- stage_id: 0"):
        file.write_text(wrong)
        assert not shares_a_gpu(file), "what is wrong the pipeline says"
