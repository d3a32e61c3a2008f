"""vLLM looks at our models in the pipeline's own process: in one made for it, it would import itself again."""

import asyncio
import threading
import time
from pathlib import Path

import pytest
import torch
from vllm import ModelRegistry
from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.model_executor.models import registry

from pipeline.engines.vllm.engine import VllmEngine
from pipeline.errors import EngineError
from pipeline.models.registry import AURA, PLACES, import_models, register

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _no_other_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is remembered of an earlier start, and no process looks at a class."""

    def refused(_: object) -> None:
        raise AssertionError("vLLM starts a process to look at a class")

    monkeypatch.setenv("VLLM_CACHE_ROOT", str(tmp_path))
    monkeypatch.setattr(registry, "_run_in_subprocess", refused)
    monkeypatch.setattr(ModelRegistry, "models", dict(ModelRegistry.models))
    for name in PLACES:
        ModelRegistry.models.pop(name, None)
    register()


@pytest.mark.parametrize("name", PLACES)
def test_a_class_is_looked_at_where_it_was_imported(name: str) -> None:
    with pytest.raises(AssertionError, match="starts a process"):
        ModelRegistry.models[name].inspect_model_cls()
    import_models([name])
    assert ModelRegistry.models[name].inspect_model_cls().architecture == PLACES[name].rpartition(":")[2]
    assert not torch.cuda.is_initialized(), "no fork of it could use a GPU"


def test_of_models_that_are_not_ours_nothing_is_said() -> None:
    before = dict(ModelRegistry.models)
    import_models(["Qwen3ForCausalLM", "Nobody"])
    assert ModelRegistry.models == before


async def test_an_engine_is_started_with_its_model_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def configured(*_: object) -> None:
        ModelRegistry.models[AURA].inspect_model_cls()
        raise RuntimeError("it was looked at")

    monkeypatch.setattr(AsyncEngineArgs, "create_engine_config", configured)
    with pytest.raises(EngineError, match="it was looked at"):
        await VllmEngine.open("aura", tmp_path, hf_overrides={"architectures": [AURA]})


async def test_engines_that_start_at_once_are_configured_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy, seen = threading.Lock(), []

    def configured(*_: object) -> None:
        seen.append(busy.acquire(blocking=False))
        time.sleep(0.05)
        busy.release()
        raise RuntimeError("it was configured")

    monkeypatch.setattr(AsyncEngineArgs, "create_engine_config", configured)
    openings = [VllmEngine.open(name, tmp_path) for name in ("asr", "qwen3_tts", "aura")]
    assert {type(each) for each in await asyncio.gather(*openings, return_exceptions=True)} == {EngineError}
    assert seen == [True] * 3
