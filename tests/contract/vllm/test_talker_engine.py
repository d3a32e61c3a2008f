"""The Talker as the pipeline runs it: clauses in, codec frames out, vLLM in processes of its own. Times are real."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.chunks import Clause, Codes
from pipeline.engines.talker import Talker
from pipeline.engines.talker_setup import open_talker
from pipeline.errors import ConfigError, EngineError
from tests.contract.embedded import MODULE_BACKEND, all_of
from tests.contract.vllm.cases import CASES, GOLDENS, MOST_FRAMES
from tests.contract.vllm.tiny import Kind

pytestmark = pytest.mark.vllm

GREEDY = {"do_sample": False, "subtalker_dosample": False}
CASE = 7  # "No, thank you very much."
CLAUSE = Clause(CASES[CASE].text, "vivian", language="english")


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
async def talker(vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path]) -> AsyncIterator[Talker]:
    folder = checkpoint("custom_voice")
    (folder / "generation_config.json").write_text(json.dumps(GREEDY))
    engine = await open_talker(
        folder.parent, model=folder.name, max_sessions=4, dtype="float32", max_model_len=512,
        enforce_eager=True, block_size=32, distributed_executor_backend="uni",
    )  # fmt: skip
    yield engine
    await engine.aclose()


def frames(chunks: list[Codes]) -> np.ndarray[Any, np.dtype[np.int16]]:
    return np.concatenate([chunk.frames for chunk in chunks])


async def test_a_clause_is_spoken_as_the_official_package_does(talker: Talker) -> None:
    chunks = await all_of(talker, CLAUSE)
    golden = np.load(GOLDENS)[f"case_{CASE}"]
    assert len(golden) < MOST_FRAMES
    assert np.array_equal(frames(chunks), golden)
    assert [chunk.ends for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
    assert "".join(chunk.text for chunk in chunks) == CLAUSE.text


async def test_a_clause_in_two_parts_makes_the_same_sound(talker: Talker) -> None:
    parts = [Clause(text, "vivian", language="english") for text in ("No, thank", " you very much.")]
    chunks = await all_of(talker, *parts)
    assert np.array_equal(frames(chunks), np.load(GOLDENS)[f"case_{CASE}"])


async def test_closing_is_a_fence(talker: Talker) -> None:
    async def clauses() -> AsyncIterator[Clause]:
        yield Clause("Is it raining and windy in the north of the country, and", "eric")
        await asyncio.Event().wait()

    async with aclosing(talker.generate("fenced", clauses())) as chunks:
        for _ in range(3):
            await anext(chunks)
        async with asyncio.timeout(10):
            while not await talker.busy():  # noqa: ASYNC110 - it goes on by itself, to be 3 s ahead
                await asyncio.sleep(0.01)
    assert not await talker.busy()
    assert len(frames(await all_of(talker, CLAUSE)))


async def test_a_fault_of_one_request_spares_the_next(talker: Talker) -> None:
    with pytest.raises(EngineError, match="unknown voice `bob`"):
        await all_of(talker, Clause("Yes.", "bob"))
    assert frames(await all_of(talker, Clause("🎉", "vivian"))).size == 0
    assert len(frames(await all_of(talker, CLAUSE)))


async def test_another_models_checkpoint_is_refused(vllm_on_a_cpu: None, tmp_path: Path) -> None:
    for file in ("config.json", "vocab.json", "merges.txt", "tokenizer_config.json"):
        (tmp_path / file).write_text('{"model_type": "llama"}')
    with pytest.raises(ConfigError, match="`model_type` is 'llama', not `qwen3_tts`"):
        await open_talker(tmp_path.parent, model=tmp_path.name, max_sessions=1)


async def test_a_checkpoint_that_lacks_weights_is_refused_by_their_names(
    vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path], tmp_path: Path
) -> None:
    from safetensors.numpy import load_file, save_file

    folder = tmp_path / "holed"
    shutil.copytree(checkpoint("small"), folder)
    weights = load_file(folder / "model.safetensors")
    del weights["talker.model.layers.1.self_attn.k_proj.weight"]
    save_file(weights | {"talker.more.weight": weights["talker.codec_head.weight"]}, folder / "model.safetensors")
    with pytest.raises(ConfigError) as error:
        await open_talker(tmp_path, model="holed", max_sessions=1)
    assert error.value.faults == [
        "weights missing: talker.model.layers.1.self_attn.k_proj.weight",
        "weights that nothing uses: talker.more.weight",
    ]
