"""The measurement of the chain learns from the real vLLM how long its requests waited. Times are real."""

import gc
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from pipeline.engines.aura.setup import open_aura
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults
from pipeline.types.chunks import MultimodalPrompt, Priority
from tests.contract.embedded import MODULE_BACKEND, all_of
from tests.contract.vllm.tiny_aura import write_aura
from tests.gpu.chain_meters import REQUESTS, wait_rows
from tests.gpu.environment import REGISTER
from tests.gpu.made_up import STAT_LOGGER
from tests.gpu.voice_model import write_plugin

UNCLOSED = r"ignore:Exception ignored in. <function Context.__del__:pytest.PytestUnraisableExceptionWarning"
pytestmark = [pytest.mark.vllm, pytest.mark.anyio, pytest.mark.filterwarnings(UNCLOSED)]


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


async def test_each_request_that_was_answered_is_written_down_with_its_waits(
    vllm_on_a_cpu: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "requests.jsonl"
    for name, value in write_plugin(tmp_path / "plugin", REGISTER, STAT_LOGGER).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv(REQUESTS, str(log))
    monkeypatch.syspath_prepend(tmp_path / "plugin")
    folder = write_aura(tmp_path / "aura")
    aura = await open_aura(
        folder.parent, model=folder.name, max_sessions=1, sampling_defaults=SamplingDefaults(), dtype="float32",
        enforce_eager=True, block_size=32, distributed_executor_backend="uni", skip_mm_profiling=True,
        kv_cache_memory_bytes=128 << 20, mm_processor_cache_gb=0.25, patient_tokens=128,
    )  # fmt: skip
    warm = len(log.read_text().splitlines())
    try:
        await all_of(aura, MultimodalPrompt(("A long text. " * 20,), "caller", 0, Priority.PREFILL))
        assert await all_of(aura, MultimodalPrompt(("What is that?",), "caller", 4))
    finally:
        await aura.aclose()
        gc.collect()  # here, and not in another test
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    prefilled, written = wait_rows(lines[warm:])
    assert [(row["model"], row["requests"], row["n"]) for row in (prefilled, written)] == [
        ("aura", "prefilled", 1), ("aura", "written", 1),
    ]  # fmt: skip
    assert prefilled["unread_p50"] > written["unread_p50"] > 0
    for row in (prefilled, written):
        assert row["wait_ms_p50"] >= 0.0 and row["around_ms_p50"] > 0.0
        assert row["step_ms_p50"] > 0.0
    threads = {name for line in lines for name in line.get("threads", {}).values()}
    assert threading.current_thread().name in threads
