"""A part may take longer to start where the processors have too much to do."""

import io
import os
from pathlib import Path

import pytest

from infra.launcher.base.errors import ServiceFailed
from infra.launcher.base.progress import Display
from infra.launcher.supervise.supervisor import ProcessSupervisor
from tests.infra.launcher.supervise.stand_in import STAND_IN, stand_in

SLOW = "import time; time.sleep(0.5)\n" + STAND_IN


def supervisor(folder: Path, code: str, patient: float) -> ProcessSupervisor:
    part, display = stand_in("slow", code, start_s=0.05), Display(io.StringIO())
    environ, log = dict(os.environ), folder / "slow.log"
    return ProcessSupervisor(part, cwd=folder, environ=environ, log=log, display=display, patience=lambda: patient)


@pytest.mark.anyio
async def test_on_a_busy_machine_a_part_is_waited_for(tmp_path: Path) -> None:
    part = supervisor(tmp_path, SLOW, 1_000.0)
    try:
        await part.start()
    finally:
        await part.stop()


@pytest.mark.anyio
async def test_who_is_given_up_on_a_busy_machine_is_told_so(tmp_path: Path) -> None:
    part = supervisor(tmp_path, "import time; time.sleep(60)", 2.5)
    with pytest.raises(ServiceFailed, match=r"with 2\.5 processes to each processor: end what else computes"):
        try:
            await part.start()
        finally:
            await part.stop()
