"""AURA's positions are those that vLLM's Qwen3-VL computes of the whole prompt, from wherever they are asked for."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from pipeline.models.shared.positions import Grid, positions

MERGE, VIDEO, BEGIN, END, WORD = 2, 7, 8, 9, 1


def test_words_alone_stand_one_after_the_other() -> None:
    placed, ahead = positions((), 3, 6)
    assert placed.tolist() == [[3, 4, 5]] * 3 and ahead == 0


def test_a_picture_is_as_long_as_its_longer_side_to_what_follows() -> None:
    placed, ahead = positions([Grid(1, 2, 3)], 0, 9)
    assert placed.tolist() == [
        [0, 1, 1, 1, 1, 1, 1, 4, 5],
        [0, 1, 1, 1, 2, 2, 2, 4, 5],
        [0, 1, 2, 3, 1, 2, 3, 4, 5],
    ]
    assert ahead == -3


@pytest.mark.parametrize("seed", range(5))
def test_they_are_vllms(seed: int) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed (extra `vllm`)")
    pytest.importorskip("vllm", reason="vllm is not installed (extra `vllm`)")
    from vllm.model_executor.models.qwen3_vl import Qwen3VLForConditionalGeneration
    from vllm.multimodal.inputs import (
        MultiModalBatchedField,
        MultiModalFeatureSpec,
        MultiModalFieldElem,
        MultiModalKwargsItem,
        PlaceholderRange,
    )

    from pipeline.models.aura.state import grids

    chance = random.Random(seed)
    ids: list[int] = []
    features, ours_of = [], []
    for _ in range(chance.randrange(1, 6)):
        ids += [WORD] * chance.randrange(4)
        height, width = chance.randrange(1, 5), chance.randrange(1, 5)
        tokens, modality = height * width, chance.choice(("video", "image"))
        grid = torch.tensor([1, height * MERGE, width * MERGE])
        data = {f"{modality}_grid_thw": MultiModalFieldElem(grid, MultiModalBatchedField())}
        place = ours = PlaceholderRange(len(ids), tokens)
        inside = [VIDEO] * tokens
        if modality == "video":  # in front of it is its time, which is part of vLLM's place and not of ours
            inside = [WORD] * chance.randrange(3) + [BEGIN, *inside, END]
            place = PlaceholderRange(len(ids), len(inside), torch.tensor([each == VIDEO for each in inside]))
            ours = PlaceholderRange(len(ids) + inside.index(VIDEO), tokens)
        ids += inside
        features.append(MultiModalFeatureSpec(MultiModalKwargsItem(data), modality, "", place))
        ours_of.append(MultiModalFeatureSpec(MultiModalKwargsItem(data), modality, "", ours))
    ids += [WORD] * chance.randrange(3)
    config = SimpleNamespace(
        video_token_id=VIDEO,
        vision_start_token_id=BEGIN,
        vision_end_token_id=END,
        vision_config=SimpleNamespace(spatial_merge_size=MERGE),
    )
    whole, ahead = Qwen3VLForConditionalGeneration._get_mrope_input_positions(ids, features, config)  # type: ignore[arg-type]
    chance.shuffle(ours_of)
    found = list(grids(ours_of, MERGE))
    for begin in range(len(ids)):
        ours, our_ahead = positions(found, begin, len(ids))
        assert np.array_equal(ours, whole[:, begin:].numpy()) and our_ahead == ahead, begin
