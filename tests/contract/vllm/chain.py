"""The pipeline for GPUs on tiny checkpoints and a CPU: `aura-pipeline serve`, and its processes."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from infra.bench.base.process_tree import family
from tests.contract.vllm.tiny import write_checkpoint
from tests.contract.vllm.tiny_asr import write_recogniser
from tests.contract.vllm.tiny_aura import write_aura
from tests.contract.wire_wait import PATIENCE_S
from tests.pipeline.models.qwen3_tts import seeded_codec
from tests.served import KEY

ROOT = Path(__file__).parents[3]
CONFIG = Path(__file__).with_name("chain.yaml")
COMMAND = (sys.executable, "-c", "from pipeline.cli.main import main; main()", "serve")
IDLE = {"asr": 0, "aura": 0, "qwen3_tts": 0, "code2wav": 0}
START_S = 900.0  # vLLM is imported by two processes, 15 s on a quiet machine, and its engines start
STOP_S = 120.0
STEP_S = 0.2
VLLM_STAGES = ("asr", "aura", "qwen3_tts")
TITLE = re.compile(r"VLLM::(EngineCore|Worker)_(asr|aura|qwen3_tts|thinker|talker)\b")


@dataclass(frozen=True, slots=True)
class Chain:
    """A pipeline that is served."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path
    vllm_stages: tuple[str, ...] = VLLM_STAGES

    def ready(self) -> dict[str, Any]:
        """What `/ready` says."""
        try:
            with urlopen(f"{self.url}/ready", timeout=PATIENCE_S) as answer:
                said = answer.read()
        except HTTPError as error:
            said = error.read()
        except OSError:  # it does not listen yet, or is busy with importing
            said = b"{}"
        body: dict[str, Any] = json.loads(said)
        return body

    def until_ready(self) -> None:
        for _ in range(round(START_S / STEP_S)):
            if self.ready().get("ready"):
                return
            assert self.process.poll() is None, self.log.read_text(errors="replace")[-4_000:]
            time.sleep(STEP_S)
        raise AssertionError(f"not ready within {START_S:.0f} s")

    def stages(self) -> dict[int, str]:
        """Which stage each of its processes is; without those that have not started."""
        return stages_of(self.process.pid)

    @property
    def idle(self) -> dict[str, int]:
        """What `/ready` says of its engines when they compute nothing."""
        return dict.fromkeys((*self.vllm_stages, "code2wav"), 0)

    def kill(self, stage: str) -> None:
        """The process of that stage's engine ends without a word."""
        (pid,) = (pid for pid, name in self.stages().items() if name == stage)
        os.kill(pid, signal.SIGKILL)


def stages_of(pid: int) -> dict[int, str]:
    """The same of the pipeline with that pid."""
    below = family(pid)
    titles = [(process, title) for process in below if (title := TITLE.search(process.title))]
    engines = {process.pid if title[1] == "EngineCore" else process.parent: title[2] for process, title in titles}
    decoders = [process.pid for process in below if "code2wav.child" in process.title]
    return engines | dict.fromkeys(decoders, "code2wav")


def write_models(folder: Path) -> None:
    """The checkpoints that `CONFIG` names."""
    write_recogniser(folder / "asr")
    write_aura(folder / "aura")
    seeded_codec.write(write_checkpoint(folder / "voice", "custom_voice"))


@contextmanager
def serving(folder: Path) -> Iterator[Chain]:
    """A chain of tiny checkpoints, which are written into `folder`."""
    write_models(folder)
    with started(CONFIG, folder, folder / "log") as chain:
        chain.until_ready()
        yield chain


@contextmanager
def started(
    config: Path,
    models_dir: Path,
    log: Path,
    env: Mapping[str, str] | None = None,
    vllm_stages: tuple[str, ...] = VLLM_STAGES,
) -> Iterator[Chain]:
    """A pipeline that is about to serve, of whatever checkpoints.

    Args:
        log: Where it writes what it says.
        env: What it is told beside our own environment.
        vllm_stages: Those with engines of vLLM's.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    arguments = ("--stage-configs-path", str(config), "--model-dir", str(models_dir), "--port", str(port))
    environ = {**os.environ, **(env or {}), "AURA_PIPELINE_KEY": KEY}
    with log.open("wb") as told:
        process = subprocess.Popen([*COMMAND, *arguments], cwd=ROOT, env=environ, stdout=told, stderr=told)
    chain = Chain(f"http://127.0.0.1:{port}", process, log, vllm_stages)
    try:
        yield chain
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_S)
        process.kill()
        process.wait()


async def comes_to_rest(chain: Chain) -> None:
    """Every engine says that it computes nothing any more."""
    async with asyncio.timeout(PATIENCE_S):
        while (await asyncio.to_thread(chain.ready))["busy"] != chain.idle:  # noqa: ASYNC110 - only by asking
            await asyncio.sleep(0.05)


async def notices(chain: Chain) -> None:
    """The pipeline is not ready any more."""
    async with asyncio.timeout(PATIENCE_S):
        while chain.ready()["ready"]:  # noqa: ASYNC110 - only by asking
            await asyncio.sleep(0.1)
