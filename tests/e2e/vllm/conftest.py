"""One stack for all tests here: the profile for GPUs, as a person starts it, with tiny checkpoints on a CPU."""

import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from infra.bench.base.process_tree import family
from tests.contract.vllm.speaking import ENVIRONMENT
from tests.e2e.stack import Stack, stack_in
from tests.e2e.vllm.engines import at_rest
from tests.e2e.vllm.obedient import write_models

START_S = 500.0  # vLLM is imported, and its engines start: a minute on a quiet machine
DEPLOYMENT = Path(__file__).with_name("deployment.yaml")
ENGINES_NICE = 10
ONE_THREAD = {"OMP_NUM_THREADS": "1"}  # tiny tensors: threads of OpenMP would only wait for each other


@pytest.fixture(scope="session")
async def stack(environ: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Stack]:
    folder = tmp_path_factory.mktemp("vllm")
    async with stack_on_vllm(environ, folder, "vllm", DEPLOYMENT, write_models) as running:
        yield running


@asynccontextmanager
async def stack_on_vllm(
    environ: Mapping[str, str], folder: Path, profile: str, deployment: Path, write: Callable[[Path], None]
) -> AsyncGenerator[Stack]:
    """A stack of a profile for GPUs.

    Args:
        write: Writes its checkpoints into a folder.
    """
    home = Path(environ["AURA_HOME"])
    if not (home / "vllm" / "bin" / "aura-pipeline").exists():
        pytest.skip("vLLM for a CPU is not installed: infra/test vllm does that")
    write(folder / "models")
    ours = {**environ, **ENVIRONMENT, **ONE_THREAD, "TRITON_CACHE_DIR": str(folder / "triton")}
    ours["AURA_BUILTIN_TOOLS"] = "none"  # how a prompt tells of tools has a mark that the checkpoint obeys
    del ours["VLLM_ENABLE_V1_MULTIPROCESSING"]  # each engine is a process of its own, as with people
    options = {
        "--profile": profile,
        "--model-dir": str(folder / "models"),
        "--stage-configs-path": str(deployment),
        "--vllm-venv": str(home / "vllm"),
    }
    words = [word for option in options.items() for word in option]
    phone = (home / "bin" / "livekit-sip").exists()
    async with stack_in(folder / "stack", ours, *words, phone=phone, within_s=START_S) as running:
        yield_processors(running.running.parts["pipeline"].pid)
        yield running


def yield_processors(pipeline: int) -> None:
    """Engines take no processor from the agent, which hears in real time: on a GPU they would not.

    Linux may share out its time among sessions first, of which the pipeline is one: see sched(7), autogroup.
    """
    with suppress(OSError):  # this Linux does not
        Path(f"/proc/{pipeline}/autogroup").write_text(f"{ENGINES_NICE}")
    for process in family(pipeline):
        with suppress(FileNotFoundError):  # it has ended meanwhile
            for thread in Path(f"/proc/{process.pid}/task").iterdir():
                with suppress(ProcessLookupError):
                    os.setpriority(os.PRIO_PROCESS, int(thread.name), ENGINES_NICE)


@pytest.fixture(autouse=True)
async def left_at_rest(stack: Stack) -> AsyncGenerator[None]:
    """Whatever a test does, nothing of it goes on when everybody has left."""
    yield
    await at_rest(stack)
