"""What AURA's prompts are made ready into is what vLLM's own processor makes of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.engines.aura.engine import as_chunk
from pipeline.engines.aura.prompt import SHOWN, multimodal_prompt
from pipeline.engines.aura.setup import settings
from pipeline.media.video_chunk import VideoChunk, VideoSource, second
from pipeline.models.aura.text import FPS, AuraText
from pipeline.types.chunks import MultimodalPrompt
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest
from tests.contract.vllm.tiny_aura import IDS, write_aura

pytestmark = pytest.mark.vllm

QUESTION = "<|im_end|>\n<|im_start|>user\nWhat is <0.2 seconds>?"


def frames(name: str, *shape: int) -> Any:
    return np.random.default_rng(list(name.encode())).integers(0, 256, (*shape, 3), np.uint8)


def film(name: str, *size: int) -> VideoChunk:
    return VideoChunk(name, tuple(frames(name, 2, *size)))


def picture(name: str, *size: int) -> tuple[str | VideoChunk, ...]:
    return "<|vision_start|>", VideoChunk(name, tuple(frames(name, 1, *size))), "<|vision_end|>"


def watched(film: str, *sources: VideoSource) -> tuple[str | VideoChunk, ...]:
    """A prompt of a film, seconds of these sources, and of a question."""
    history = History()
    for number, source in enumerate(sources):
        name = f"{film}.{number}"
        pixels = frames(name, 2, *((64, 64) if source == "camera" else (96, 160)))
        history = history.with_video_turn(VideoChunk(name, tuple(pixels), source))
    return multimodal_prompt(
        TurnRequest(history.with_item(Item("q", "user", "What is that?")), ResponseOptions())
    ).parts


SCENES: dict[str, tuple[str | VideoChunk, ...]] = {
    "a camera, and then a screen": watched("12", "camera", "camera", "screen", "screen"),
    "a screen, and then a camera": watched("13", "screen", "camera"),
    "a second": ("See:", film("1", 64, 96)),
    "seconds of two sizes": (film("2", 480, 640), film("3", 96, 64), QUESTION),
    "a second of one frame": (second("4", frames("4", 64, 64), None), QUESTION),
    "a picture": ("See:", *picture("5", 256, 256)),
    "pictures of two sizes": (*picture("6", 288, 320), *picture("7", 672, 896), QUESTION),
    "both, with text between": (
        film("8", 64, 64),
        "A cup.",
        *picture("9", 256, 288),
        QUESTION,
        film("10", 96, 96),
        "?",
    ),
    "what is shown twice": (film("11", 64, 64), "and", film("11", 64, 64)),
    "text": (QUESTION,),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_aura(tmp_path_factory.mktemp("aura"))


def test_the_prompt_names_the_screen_where_the_video_goes_over_to_it(folder: Path) -> None:
    text = AuraText.read(folder)
    chunk = as_chunk(MultimodalPrompt(watched("14", "camera", "screen", "screen", "camera"), "salt"), text)
    (mark,) = text.ids("<|vision_start|>")
    shown = {item.name.removeprefix("salt/"): item.at for item in chunk.media}  # behind the second's time and mark
    assert {chunk.token_ids[at - 1] for at in shown.values()} == {mark}
    before = len(text.ids("<0.2 seconds>")) + 1
    told = {source: text.ids(f"<|im_start|>system\n{SHOWN[source]}<|im_end|>\n<|im_start|>user\n") for source in SHOWN}
    places = {source: place_of(ids, chunk.token_ids) for source, ids in told.items()}
    assert places["screen"] == [shown["14.1"] - before - len(told["screen"])], "in front of the first, and only there"
    assert places["camera"] == [shown["14.3"] - before - len(told["camera"])]


def place_of(ids: tuple[int, ...], prompt: tuple[int, ...]) -> list[int]:
    return [at for at in range(len(prompt)) if prompt[at : at + len(ids)] == ids]


@pytest.fixture(scope="module")
def renderer(folder: Path, vllm_on_a_cpu: None) -> Iterator[Any]:
    from vllm import EngineArgs
    from vllm.renderers import renderer_from_config

    told = settings(1, "float32", 49_152) | {"enforce_eager": True}
    renderer = renderer_from_config(EngineArgs(model=str(folder), **told).create_engine_config())
    yield renderer
    renderer.shutdown()


def rendered(renderer: Any, scene: MultimodalPrompt, text: AuraText) -> Any:
    """By vLLM, of pixels: one id stands for each clip."""
    ids: list[int] = []
    shown: dict[str, list[Any]] = {}
    names: dict[str, list[str]] = {}
    metadata = {"fps": float(FPS), "total_num_frames": FPS, "frames_indices": [0, 1], "do_sample_frames": False}
    for chunk in scene.parts:
        if isinstance(chunk, str):
            ids += text.ids(chunk)
            continue
        kind = "video" if chunk.moves else "image"
        ids.append(IDS[f"<|{kind}_pad|>"])
        shown.setdefault(kind, []).append((np.asarray(chunk.frames), metadata) if chunk.moves else chunk.frames[0])
        names.setdefault(kind, []).append(f"{scene.cache_salt}/{chunk.id}")
    prompt: dict[str, Any] = {"prompt_token_ids": ids, "cache_salt": scene.cache_salt}
    if shown:
        prompt |= {"multi_modal_data": shown, "multi_modal_uuids": names}
    (made,) = renderer.render_cmpl([prompt])
    return made


@pytest.mark.parametrize("name", SCENES)
def test_a_prompt_is_what_vllm_itself_makes_of_it(name: str, renderer: Any, folder: Path) -> None:
    from vllm.multimodal.cache import LruKeyReplicatedSenderCache

    from pipeline.engines.vllm.prompt import ready_prompt

    text = AuraText.read(folder)
    scene = MultimodalPrompt(SCENES[name], "salt")
    made = ready_prompt(as_chunk(scene, text), LruKeyReplicatedSenderCache(renderer.model_config))
    theirs = rendered(renderer, scene, text)
    assert set(theirs) - {"arrival_time"} == set(made)
    for kind, places in theirs.get("mm_placeholders", {}).items():
        theirs["mm_placeholders"][kind] = [filled(place) for place in places]
    for key in made:
        assert made[key] == theirs[key]
    for kind, items in theirs.get("mm_kwargs", {}).items():
        for item, other in zip(made["mm_kwargs"][kind], items, strict=True):
            assert item is None or layout(item) == layout(other)


def filled(place: Any) -> Any:
    """The part of a place that is filled with what was encoded, which is all that we tell. vLLM's has a mask."""
    from vllm.multimodal.inputs import PlaceholderRange

    if place.is_embed is None:
        return place
    (at,) = place.extract_embeds_range()
    return PlaceholderRange(at[0], at[1] - at[0] + 1)


def layout(item: Any) -> dict[str, tuple[Any, ...]]:
    """What does not count where vLLM compares: types of numbers, and where the model takes them from."""
    return {
        name: (getattr(each.data, "dtype", None), each.field.keep_on_cpu, getattr(each.field, "dim", None))
        for name, each in item.items()
    }


def test_a_clip_is_sent_once_and_made_only_to_be_sent(renderer: Any, folder: Path) -> None:
    from vllm.multimodal.cache import LruKeyReplicatedSenderCache

    from pipeline.engines.vllm.prompt import items_of, ready_prompt, unsent

    text, cache = AuraText.read(folder), LruKeyReplicatedSenderCache(renderer.model_config)
    first, then = film("first", 64, 64), film("then", 64, 64)
    chunk = as_chunk(MultimodalPrompt((first,), "salt"), text)
    assert [media_item.name for media_item in unsent(chunk, cache)] == ["salt/first"]
    items = items_of(unsent(chunk, cache))
    assert ready_prompt(chunk, cache, items)["mm_kwargs"]["video"] == [items["salt/first"]]
    longer = as_chunk(MultimodalPrompt((first, then), "salt"), text)
    assert [media_item.name for media_item in unsent(longer, cache)] == ["salt/then"]
    known, new = ready_prompt(longer, cache)["mm_kwargs"]["video"]
    assert known is None and new["video_grid_thw"].data.tolist() == [1, 4, 4]
    assert ready_prompt(longer, cache)["mm_kwargs"]["video"] == [None, None]
    cache.invalidate("salt/first")  # as vLLM does when the engine has refused a request
    again, known = ready_prompt(longer, cache)["mm_kwargs"]["video"]
    assert again == items["salt/first"] and known is None
