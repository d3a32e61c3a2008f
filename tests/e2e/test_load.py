"""The load test as a person runs it, against the embedded profile."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.e2e.stack import ROOT, Stack

pytestmark = [pytest.mark.e2e, pytest.mark.anyio]

PATIENCE_S = 120.0


async def test_two_callers_are_served_and_all_that_was_measured_is_written_down(stack: Stack, tmp_path: Path) -> None:
    await stack.empty()
    out = tmp_path / "load.json"
    arguments = ["--url", stack.running.pipeline_url, "--callers", "2", "--turns", "2", "--out", str(out)]
    program = [sys.executable, "-m", "infra.bench.load", *arguments]
    environ = {**stack.environ, "AURA_PIPELINE_KEY": stack.keys["AURA_PIPELINE_KEY"]}
    process = await asyncio.create_subprocess_exec(*program, cwd=ROOT, env=environ, stdout=PIPE, stderr=PIPE)
    try:
        async with asyncio.timeout(PATIENCE_S):
            output, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, errors.decode()
    load = json.loads(out.read_text())
    assert len(load["served"]) == 4, output.decode()
    assert {each["status"] for each in load["served"]} <= {"completed", "incomplete"}, output.decode()
    assert set(load["figures_ms"]) >= {"create → first audio", "create → done"}
    assert "first_pcm → first_sent" in load["steps_ms"]
    assert out.with_suffix(".svg").exists()
