"""The process that holds the language model, with a library that stands in for llama.cpp. In real time."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

CHILD = (sys.executable, "-m", "pipeline.engines.llamacpp.server.child")
SETTINGS = {"slots": 1, "context": 256, "batch": 1, "reused": 1, "threads": 1, "prompt_threads": 1, "saved": "/"}
PATIENCE_S = 20.0

LIBRARY = """
import os, threading
from pathlib import Path
from types import SimpleNamespace

SPINS = os.environ.get("GOMP_SPINCOUNT")  # libgomp reads it when it is loaded


class CommonParams:
    def __init__(self):
        self.model, self.cpuparams, self.cpuparams_batch = SimpleNamespace(), SimpleNamespace(), SimpleNamespace()


class Server:
    listening_address = "http://127.0.0.1:1"

    def __init__(self, params):
        os.write(1, b"a line of its own\\n")
        if params.model.path == "broken":
            raise RuntimeError("it is broken")
        if params.model.path == "spins":
            raise RuntimeError(f"its threads spin {SPINS} times")
        threading.Thread(target=self.talk, args=(Path(params.model.path),), daemon=True).start()

    def talk(self, said):
        for _ in range(1000):
            os.write(1, b"x" * 1000)
        said.touch()
"""


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {}


@asynccontextmanager
async def started(library: Path, model: str, **environ: str) -> AsyncGenerator[asyncio.subprocess.Process, None]:
    (library / "xllamacpp.py").write_text(LIBRARY)
    path = f"{library}:{Path(__file__).parents[5]}"
    process = await asyncio.create_subprocess_exec(
        *CHILD, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env={**os.environ, "PYTHONPATH": path, **environ}
    )
    assert process.stdin
    process.stdin.write(json.dumps({**SETTINGS, "model": model, "key": "k"}).encode() + b"\n")
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield process
    finally:
        process.stdin.close()
        await process.wait()


async def test_a_library_that_prints_without_end_neither_spoils_the_address_nor_waits_for_a_reader(
    tmp_path: Path,
) -> None:
    said = tmp_path / "said"
    async with started(tmp_path, str(said)) as process:
        assert process.stdout
        assert json.loads(await process.stdout.readline()) == {"address": "http://127.0.0.1:1"}
        while not said.exists():  # noqa: ASYNC110 - it is a file
            await asyncio.sleep(0.01)
        assert await process.stdout.read() == b"", "its output is closed"
        assert process.returncode is None


async def test_what_keeps_the_model_from_loading_is_told(tmp_path: Path) -> None:
    async with started(tmp_path, "broken") as process:
        assert process.stdout
        assert json.loads(await process.stdout.read()) == {"error": "it is broken"}
        assert await process.wait() == 1


@pytest.mark.parametrize(("environ", "turns"), [({}, "500"), ({"GOMP_SPINCOUNT": "9"}, "9")])
async def test_threads_that_wait_for_each_other_soon_let_others_have_the_core_unless_the_environment_says_otherwise(
    tmp_path: Path, environ: dict[str, str], turns: str
) -> None:
    async with started(tmp_path, "spins", **environ) as process:
        assert process.stdout
        assert json.loads(await process.stdout.read()) == {"error": f"its threads spin {turns} times"}
