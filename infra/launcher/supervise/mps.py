"""Lets the processes of one GPU compute at the same time, and not by turns: NVIDIA's Multi-Process Service."""

import asyncio
import shutil
from asyncio.subprocess import PIPE, STDOUT
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import yaml

from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Display
from pipeline.runtime.checks.gpus import VISIBLE

TOOL = "nvidia-cuda-mps-control"
PLACES = ("CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY")
PATIENCE_S = 10.0
WITHOUT = "the stages take turns on the GPU, and the first sound comes a little later"


def shares_a_gpu(deployment: Path) -> bool:
    """Whether a deployment file places more than one stage on one GPU; what is wrong with it the pipeline says."""
    try:
        stages = yaml.safe_load(deployment.read_text())["stage_args"]
        devices = [str(stage.get("runtime", {}).get("devices", "0")).split(",") for stage in stages]
    except (yaml.YAMLError, AttributeError, KeyError, TypeError):
        return False
    return max(Counter(device for each in devices for device in each).values(), default=0) > 1


@asynccontextmanager
async def multi_process_service(
    layout: Layout, environ: Mapping[str, str], display: Display
) -> AsyncGenerator[Mapping[str, str]]:
    """The service, for as long as this context lasts, or a line that says why there is none.

    Args:
        environ: Its daemon's; by the stack's mark in it, it is found if nobody can end it.

    Yields:
        What the environment of those has more that are to use it.
    """
    if PLACES[0] in environ:  # somebody else's
        yield {}
        return
    if shutil.which(TOOL, path=environ.get("PATH")) is None:
        display.say(f"  {TOOL} is not there: {WITHOUT}")
        yield {}
        return
    places = dict.fromkeys(PLACES, str(layout.run / "mps"))
    (layout.run / "mps").mkdir(exist_ok=True)
    log, ours = layout.logs / "mps.log", {**environ, **places}
    # See https://docs.nvidia.com/deploy/mps
    ours.pop(VISIBLE, None)  # a daemon that sees some GPUs numbers them anew, and the stages' own number names another
    layout.logs.mkdir(parents=True, exist_ok=True)
    if code := await _control("-d", environ=ours, log=log):
        display.say(f"  {TOOL} ended with code {code} (see {log}): {WITHOUT}")
        yield {}
        return
    try:
        yield places
    finally:
        await _control(environ=ours, log=log, said=b"quit\n")


async def _control(*arguments: str, environ: Mapping[str, str], log: Path, said: bytes = b"") -> int:
    with log.open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            TOOL, *arguments, env=environ, stdin=PIPE, stdout=output, stderr=STDOUT
        )
    try:
        async with asyncio.timeout(PATIENCE_S):
            await process.communicate(said)
    except TimeoutError:
        process.kill()
    return await process.wait()
