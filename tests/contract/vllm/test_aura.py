"""AURA in the real vLLM answers token for token as transformers' Qwen3-VL does, however its prompts come."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.media.video_chunk import VideoChunk
from tests.contract.vllm.seeing import Eyes, Look
from tests.contract.vllm.seeing_cases import GOLDENS, TOKENS, prompts
from tests.contract.vllm.tiny_aura import write_aura

pytestmark = pytest.mark.vllm

CASES: dict[int, dict[str, Any]] = {int(seed): case for seed, case in json.loads(GOLDENS.read_text()).items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, vllm_on_a_cpu: None) -> Path:
    return write_aura(tmp_path_factory.mktemp("aura"))


@pytest.fixture(scope="module")
def eyes(folder: Path) -> Iterator[Eyes]:
    eyes = Eyes(folder)
    yield eyes
    eyes.close()


def look(eyes: Eyes, seed: int, salt: str = "", **more: Any) -> Look:
    """The last prompt of a conversation. Another salt is another session: nothing is known of it yet."""
    return Look(replace(prompts(seed)[-1], cache_salt=salt), **more)


def right(looks: list[Look], seeds: list[int]) -> bool:
    """Whether each has answered what the official model does."""
    return all(each.tokens == CASES[seed]["answer"] for each, seed in zip(looks, seeds, strict=True))


def test_there_are_enough_goldens() -> None:
    assert len(CASES) == 20
    assert {len(case["answer"]) for case in CASES.values()} == {TOKENS}
    assert min(case["margin"] for case in CASES.values()) > 1e-3
    assert min(len(set(case["answer"])) for case in CASES.values()) > 10, "no answer runs in a circle"
    clips = [[chunk for chunk in prompts(seed)[-1].parts if isinstance(chunk, VideoChunk)] for seed in CASES]
    assert sum(any(clip.moves for clip in each) for each in clips) >= 8
    assert sum(any(not clip.moves for clip in each) for each in clips) >= 3
    assert sum(not each for each in clips) >= 4


def test_prompts_are_those_of_the_official_processor_and_answers_alone(eyes: Eyes) -> None:
    seeds = list(CASES)[:4]
    looks = [look(eyes, seed, "alone") for seed in seeds]
    for each in looks:
        eyes.look(each)
    assert right(looks, seeds)


def test_batched(eyes: Eyes) -> None:
    seeds = list(CASES)
    looks = [look(eyes, seed, "batched") for seed in seeds]
    for at in range(0, len(looks), 8):
        eyes.look(*looks[at : at + 8])
    assert right(looks, seeds)
    assert [each.prompt for each in looks] == [CASES[seed]["prompt"] for seed in seeds]


def test_staggered_with_neighbours_that_are_aborted(eyes: Eyes) -> None:
    seeds = list(CASES)[4:9]
    looks = [look(eyes, seed, "staggered", begins=5 * at) for at, seed in enumerate(seeds)]
    dropped = [look(eyes, 0, "dropped", begins=3, aborted=9), look(eyes, 1, "dropped", begins=12, aborted=1)]
    eyes.look(*looks, *dropped)
    assert right(looks, seeds)


def test_round_by_round_only_what_is_new_is_read(eyes: Eyes) -> None:
    """The rounds of a conversation are read one after the other, with its cuts."""
    grown = 0
    for seed in (seed for seed in list(CASES)[:8] if seed % 4 < 2):
        *ahead, last = [Look(replace(each, cache_salt="grows"), most=1) for each in prompts(seed)]
        for each in ahead:
            eyes.look(each)
        last.most = TOKENS
        eyes.look(last)
        assert last.tokens == CASES[seed]["answer"]
        read = ahead[-1].scene.parts[:-1]
        if last.scene.parts[: len(read)] == read:  # nothing was cut since
            grown += 1
            shared = shared_by(ahead[-1].prompt, last.prompt)
            assert last.cached > shared - 32, "but for a block that was not full"
    assert grown >= 2


def test_seconds_that_are_known_are_named_and_not_sent(eyes: Eyes) -> None:
    first, again = look(eyes, 1, "named", most=2), look(eyes, 1, "named", most=2)
    eyes.look(first)
    for chunk in again.scene.parts:
        if isinstance(chunk, VideoChunk):
            object.__setattr__(chunk, "frames", tuple(frame // 2 for frame in chunk.frames))
    eyes.look(again)
    assert again.tokens == first.tokens


def test_of_two_sessions_neither_reads_what_the_other_has_seen(eyes: Eyes) -> None:
    mine, theirs = look(eyes, 4, "mine", most=1), look(eyes, 4, "theirs", most=1)
    eyes.look(mine)
    eyes.look(theirs)
    assert theirs.cached == 0


def test_a_step_does_not_see_what_the_one_before_it_saw(eyes: Eyes) -> None:
    """Of a step that is one CUDA graph nothing but kernels runs: none of vLLM's own code clears what it has seen."""
    (seen,) = eyes.engine.apply_model(seen_by_two_steps)
    assert seen == (True, False)


def seen_by_two_steps(model: Any) -> tuple[bool, bool]:
    """Whether there is anything to be seen by a step with a picture, and by one after it without."""
    import torch

    ids, shows = torch.zeros(4, dtype=torch.long), torch.tensor([False, True, True, False])
    picture = torch.ones(2, model.visual_dim + model.multiscale_dim)
    with torch.inference_mode():
        model.embed_input_ids(ids, [picture], is_multimodal=shows)
        before = any(bool(level.any()) for level in model.deepstack_input_embeds)
        model.embed_input_ids(ids)
    return before, any(bool(level.any()) for level in model.deepstack_input_embeds)


def shared_by(one: list[int], other: list[int]) -> int:
    """How many ids they have in common from the beginning."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
