"""One stack for all tests here: the profile for GPUs, as a person starts it, with tiny checkpoints on a CPU."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.contract.vllm.speaking import ENVIRONMENT
from tests.e2e.stack import Stack, stack_in
from tests.e2e.vllm.engines import at_rest
from tests.e2e.vllm.obedient import write_models

START_S = 500.0  # vLLM is imported, and its engines start one after the other: a minute on a quiet machine
DEPLOYMENT = Path(__file__).with_name("deployment.yaml")
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
        yield running


@pytest.fixture(autouse=True)
async def left_at_rest(stack: Stack) -> AsyncGenerator[None]:
    """Whatever a test does, nothing of it goes on when everybody has left."""
    yield
    await at_rest(stack)
