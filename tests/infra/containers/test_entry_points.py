"""What the images run, run as they do: from the wheel, by a user who may write nothing but a temporary folder."""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp
import pytest

from infra.free_ports import free_ports
from tests.infra.containers.tools import CONTAINERS, ROOT

pytestmark = pytest.mark.anyio

USER, START_S = 10001, 60.0
PROGRAMS = {"aura-agent": "agent.main", "aura-pipeline": "pipeline.cli.main"}
TOLD = {
    "LIVEKIT_URL": "ws://127.0.0.1:1",
    "LIVEKIT_API_KEY": "key",
    "LIVEKIT_API_SECRET": "secret-of-thirty-two-letters-or-so",
    "AURA_PIPELINE_URL": "http://127.0.0.1:1",
    "AURA_PIPELINE_KEY": "pipeline-key",
    "AURA_AGENT_IDLE_PROCESSES": "0",
}


@dataclass(frozen=True, slots=True)
class Image:
    """The root of an image as far as its entry points need it: our packages, as installed, and a folder to write in."""

    packages: Path
    tmp: Path

    @asynccontextmanager
    async def running(self, name: str, replaced: Mapping[str, str], **told: str) -> AsyncGenerator[Process]:
        """What a container of the image runs if it is told nothing else."""
        text = (CONTAINERS / f"{name}.Dockerfile").read_text()
        words = [word for kind in ("ENTRYPOINT", "CMD") for word in _words(text, kind)]
        program, *rest = (replaced.get(word, word) for word in words)
        environ = {
            **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
            **dict(re.findall(r"\b(AURA_\w+|PYTHON\w+)=(\S+)", text)),
            "PYTHONPATH": str(self.packages),
            "HOME": str(self.tmp),
            "TMPDIR": str(self.tmp),
            **TOLD,
            **told,
        }
        command = [*_as_user(), sys.executable, "-m", PROGRAMS[program], *rest]
        process = await asyncio.create_subprocess_exec(*command, cwd=self.tmp, env=environ, stdout=PIPE, stderr=PIPE)
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
                await process.communicate()


def _words(text: str, kind: str) -> list[str]:
    found = re.findall(rf"^{kind} (\[.*\])$", text, re.MULTILINE)
    return list(map(str, json.loads(found[-1]))) if found else []


def _as_user() -> list[str]:
    """Somebody who may read all files, wherever Python lies here, and write none; as long as we may become them."""
    if os.geteuid() or not (setpriv := shutil.which("setpriv")):
        return []
    reads = "+dac_read_search"
    return [
        setpriv,
        f"--reuid={USER}",
        f"--regid={USER}",
        "--clear-groups",
        f"--inh-caps={reads}",
        f"--ambient-caps={reads}",
    ]


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("image")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder / "dist")]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "packages")
    return folder / "packages"


@pytest.fixture
def image(packages: Path) -> Iterator[Image]:
    """Its folder has a short name: a socket's may have 107 bytes."""
    with TemporaryDirectory(prefix="aura") as tmp:
        if not os.geteuid():
            os.chown(tmp, USER, USER)
        yield Image(packages, Path(tmp))


async def answer(process: Process, url: str) -> int:
    """The status of its health, once it answers at all."""
    async with aiohttp.ClientSession() as http, asyncio.timeout(START_S):
        while process.returncode is None:
            try:
                async with http.get(url) as response:
                    return response.status
            except aiohttp.ClientError:
                await asyncio.sleep(0.1)
    raise AssertionError((await process.communicate())[1].decode())


async def test_the_page_is_served_and_ends_when_it_is_told(image: Image, tmp_path: Path) -> None:
    page, port = tmp_path / "page", str(*free_ports(1))
    page.mkdir()
    (page / "index.html").write_text("<html><head></head><body>page</body></html>")
    async with image.running("web", {"/srv/page": str(page), "8080": port}) as process:
        assert await answer(process, f"http://127.0.0.1:{port}/health") == 200
        process.send_signal(signal.SIGTERM)
        _, said = await process.communicate()
        assert process.returncode == 0, said.decode()
    assert list(image.tmp.iterdir()) == []


async def test_the_agent_is_up_before_its_livekit_server_is_and_ends_when_it_is_told(image: Image) -> None:
    port = str(*free_ports(1))
    async with image.running("agent", {}, AURA_AGENT_PORT=port, AURA_AGENT_DRAIN_S="0") as process:
        assert await answer(process, f"http://127.0.0.1:{port}/health") == 503
        process.send_signal(signal.SIGTERM)
        _, said = await process.communicate()
        assert process.returncode == 0, said.decode()


@pytest.mark.parametrize("name", ["pipeline", "pipeline-gpu"])
async def test_a_pipeline_says_which_models_its_volume_lacks(name: str, image: Image, tmp_path: Path) -> None:
    models = tmp_path / "models"
    models.mkdir()
    async with image.running(name, {"/models": str(models), "8100": str(*free_ports(1))}) as process:
        _, said = await process.communicate()
        assert process.returncode == 2, said.decode()
        assert str(models) in said.decode()
