"""AURA as the pipeline runs it: scenes in, text out, vLLM in processes of its own. Times are real."""

import asyncio
import gc
import io
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pipeline.asking.question import ask
from pipeline.asking.stages import ignore
from pipeline.engines.aura.engine import AuraEngine, as_chunk
from pipeline.engines.aura.prompt import LIMITS, multimodal_prompt
from pipeline.engines.aura.setup import check_own_weights, open_aura
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults
from pipeline.engines.vllm.warm_up import read
from pipeline.errors import ConfigError, EngineError
from pipeline.media.video_chunk import VideoSource, decoded, second
from pipeline.models.aura.config import read_aura
from pipeline.models.aura.text import AuraText
from pipeline.models.shared.engine_io import MediaItem, PromptChunk
from pipeline.models.shared.weight_files import stored
from pipeline.types.chunks import MultimodalPrompt, Priority, TextChunk
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest
from pipeline.vision.video_file import film_of
from tests.contract.embedded import MODULE_BACKEND, all_of, once
from tests.contract.vllm.films import write_film
from tests.contract.vllm.seeing import GREEDY
from tests.contract.vllm.seeing_cases import GOLDENS, TOKENS, prompts
from tests.contract.vllm.tiny_aura import write_aura
from tests.pipeline.cli.test_ask import alone

UNCLOSED = r"ignore:Exception ignored in. <function Context.__del__:pytest.PytestUnraisableExceptionWarning"
pytestmark = [pytest.mark.vllm, pytest.mark.filterwarnings(UNCLOSED)]  # vLLM leaves a context of ZeroMQ's behind

SOURCES: tuple[VideoSource, ...] = ("camera", "screen", "screen", "camera")
CASES: dict[str, dict[str, Any]] = json.loads(GOLDENS.read_text())
SEEDS = [int(seed) for seed in list(CASES)[:3]]


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_aura(tmp_path_factory.mktemp("models") / "aura")


@pytest.fixture(scope="module")
async def aura(vllm_on_a_cpu: None, folder: Path) -> AsyncIterator[AuraEngine]:
    engine = await open_aura(
        folder.parent, model=folder.name, max_sessions=4, sampling_defaults=SamplingDefaults(), dtype="float32",
        enforce_eager=True,
        block_size=32, distributed_executor_backend="uni", skip_mm_profiling=True, kv_cache_memory_bytes=128 << 20,
        mm_processor_cache_gb=0.25,
    )  # fmt: skip
    yield engine
    await engine.aclose()
    gc.collect()  # here, and not in another test


def official(folder: Path, seed: int) -> str:
    """The answer of transformers, up to its first stop."""
    text, ids = AuraText.read(folder), CASES[str(seed)]["answer"]
    stop = next((at for at, number in enumerate(ids) if number in text.stops), len(ids))
    return "".join(text.decoder().feed(ids[:stop])).rstrip("\ufffd")


def said(words: list[TextChunk]) -> str:
    return "".join(word.text for word in words).rstrip("\ufffd")


async def test_conversations_are_answered_as_transformers_does_all_at_once(aura: AuraEngine, folder: Path) -> None:
    scenes = [replace(prompts(seed)[-1], max_tokens=TOKENS) for seed in SEEDS]
    answers = await asyncio.gather(*(all_of(aura, each) for each in scenes))
    assert [said(words) for words in answers] == [official(folder, seed) for seed in SEEDS]


async def test_what_was_read_round_by_round_is_answered_the_same(aura: AuraEngine, folder: Path) -> None:
    *ahead, last = [replace(each, cache_salt="grows") for each in prompts(SEEDS[0])]
    for each in ahead:
        assert await all_of(aura, replace(each, max_tokens=0, priority=Priority.PREFILL)) == []
    words = await all_of(aura, replace(last, max_tokens=TOKENS))
    assert said(words) == official(folder, SEEDS[0])
    usage = words[-1].usage
    assert usage and 0 < usage.cached < usage.prompt and usage.written
    assert 0 < usage.seen < usage.prompt


async def test_a_question_does_not_wait_for_the_end_of_a_long_prompt_that_is_read(aura: AuraEngine) -> None:
    long = MultimodalPrompt(("one two three " * 2_500,), "cut", 0, priority=Priority.PREFILL)
    async with asyncio.TaskGroup() as tasks:
        reading = tasks.create_task(all_of(aura, long))
        while not await aura.busy():  # noqa: ASYNC110 - only by asking
            await asyncio.sleep(0.01)
        assert await all_of(aura, MultimodalPrompt(("What is that?",), "asks", 1))
        assert not reading.done()
        reading.cancel()  # the rest of it takes half a minute of a processor


async def test_what_a_question_waits_for_is_read_once(aura: AuraEngine) -> None:
    history = History()
    for number in range(3):
        history = history.with_video_turn(second(f"{number}", np.full((128, 160, 3), 60 * number, np.uint8), None))
    request = TurnRequest(history, ResponseOptions(cache_salt="awaited", max_tokens=2))
    async with asyncio.TaskGroup() as tasks:
        reading = tasks.create_task(all_of(aura, multimodal_prompt(request.unfinished(Priority.QUESTION))))
        while not (reading.done() or await aura.busy()):  # noqa: ASYNC110 - only by asking
            await asyncio.sleep(0.01)
        words = await all_of(
            aura, multimodal_prompt(replace(request, history=history.with_item(Item("q", "user", "What is that?"))))
        )
    usage = words[-1].usage
    assert usage and usage.prompt - usage.cached < 32 + len("What is that?<|im_end|>\n<|im_start|>assistant\n")


async def test_across_a_change_from_camera_to_screen_what_was_read_is_not_read_again(aura: AuraEngine) -> None:
    request = TurnRequest(History(), ResponseOptions(cache_salt="screen", max_tokens=2))
    for number, source in enumerate(SOURCES):
        pixels = np.full((128, 160, 3), 60 * number, np.uint8)
        seen = request.history.with_video_turn(second(f"{number}", pixels, None, source))
        request = replace(request, history=seen)
        assert await all_of(aura, multimodal_prompt(request.unfinished())) == []
    asked = replace(request, history=request.history.with_item(Item("q", "user", "What is that?")))
    ahead, fresh = [
        await all_of(aura, replace(multimodal_prompt(asked), cache_salt=salt)) for salt in ("screen", "another")
    ]
    usage = ahead[-1].usage
    assert usage and usage.prompt - usage.cached < 32 + len("What is that?<|im_end|>\n<|im_start|>assistant\n")
    assert said(ahead) == said(fresh), "and it is answered as if it were read at once"


async def test_closing_returns_when_the_engine_is_idle(aura: AuraEngine) -> None:
    words = aura.generate("abort", once(replace(prompts(SEEDS[1])[-1], max_tokens=256)))
    async with aclosing(words):
        await anext(words)
        assert await aura.busy()
    assert not await aura.busy()


async def test_what_a_request_showed_that_was_cancelled_on_its_way_is_sent_again(
    aura: AuraEngine, folder: Path
) -> None:
    request = replace(prompts(SEEDS[0])[-1], max_tokens=TOKENS, cache_salt="cancelled")
    await aura._requests._rendered(as_chunk(request, AuraText.read(folder)))  # type: ignore[attr-defined]
    assert said(await all_of(aura, request)) == official(folder, SEEDS[0])


async def test_a_clip_is_sent_once_and_again_if_the_engine_did_not_get_it(aura: AuraEngine, folder: Path) -> None:
    made: list[str] = []

    def counted(media_item: MediaItem) -> Any:
        made.append(media_item.name)
        return media_item.item()

    def shown(salt: str) -> PromptChunk:
        chunk = as_chunk(replace(prompts(SEEDS[0])[-1], max_tokens=1, cache_salt=salt), AuraText.read(folder))
        return replace(chunk, media=[replace(each, item=partial(counted, each)) for each in chunk.media])

    once, lost = shown("once"), shown("lost")
    await read(aura._requests, GREEDY, [once, once])
    assert made == [each.name for each in once.media] and made
    made.clear()
    await aura._requests._rendered(lost)  # type: ignore[attr-defined]
    await read(aura._requests, GREEDY, [lost])
    assert made == 2 * [each.name for each in lost.media]


async def test_a_request_is_one_message_however_many_seconds_it_names(aura: AuraEngine) -> None:
    scene = MultimodalPrompt(
        tuple(second(f"{at}", np.zeros((576, 1_024, 3), np.uint8), None) for at in range(3)), "message"
    )
    await all_of(aura, replace(scene, max_tokens=1))
    requests: Any = aura._requests
    prompt = await requests._rendered(as_chunk(scene, AuraText.read(Path(requests._llm.model_config.model))))
    assert prompt["mm_kwargs"]["video"] == [None] * 3
    assert len(requests._llm.engine_core.encoder.encode(prompt["mm_placeholders"])) == 1


async def test_a_prompt_that_is_too_long_fails_and_the_next_is_answered(aura: AuraEngine, folder: Path) -> None:
    with pytest.raises(EngineError, match="tokens, and at most"):
        await all_of(aura, MultimodalPrompt(("x" * 60_000,), "long"))
    assert said(await all_of(aura, replace(prompts(SEEDS[0])[-1], max_tokens=TOKENS))) == official(folder, SEEDS[0])


@pytest.mark.parametrize("size", [(1, 1), (7_680, 4_320)])
async def test_the_smallest_and_the_largest_frame_are_seen(aura: AuraEngine, size: tuple[int, int]) -> None:
    file = io.BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(file, "JPEG")
    pixels = await asyncio.to_thread(decoded, file.getvalue())
    history = History().with_video_turn(second("frame", pixels, None)).with_item(Item("q", "user", "What is that?"))
    request = replace(multimodal_prompt(TurnRequest(history)), cache_salt=f"{size}", max_tokens=2)
    await all_of(aura, request)


async def test_a_question_of_ten_thousand_characters_is_answered(aura: AuraEngine) -> None:
    history = History((Item("q", "user", "What is that? \ud83d 🎉" * 600),))
    await all_of(aura, replace(multimodal_prompt(TurnRequest(history)), max_tokens=2))


async def test_a_film_is_asked_about(aura: AuraEngine, tmp_path: Path) -> None:
    film = write_film(tmp_path / "clip.mp4", 3.3)
    told: list[str] = []
    answered = await ask(alone(aura, LIMITS), film_of(film), "What is that?", told.append, ignore)
    assert (len(answered.prefill_ms), answered.remembered) == (4, 4)
    assert answered.text == "".join(told)
    assert all(each > 0 for each in answered.prefill_ms)


def test_weights_that_are_missing_unused_or_truncated_are_named(folder: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    check_own_weights(read_aura(tmp_path), stored(tmp_path), str(tmp_path))
    weights = load_file(folder / "model.safetensors")
    taken = weights.pop("model.visual.merger.norm.bias")
    save_file(weights | {"model.visual.merger.norm.other": taken}, tmp_path / "model.safetensors")
    with pytest.raises(ConfigError) as refused:
        check_own_weights(read_aura(tmp_path), stored(tmp_path), str(tmp_path))
    assert refused.value.faults == [
        "weights missing: model.visual.merger.norm.bias",
        "weights that nothing uses: model.visual.merger.norm.other",
    ]
    whole = (folder / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ConfigError, match=r"model\.safetensors: cannot be read"):
        check_own_weights(read_aura(tmp_path), stored(tmp_path), str(tmp_path))
