"""In the real vLLM a question is computed without patient prompts beside it, and all are answered as they were."""

import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pipeline.engines.vllm.scheduling.prefill_hold import FIRST_TOKENS, LATER_STEPS, MOST_STEPS, SPOKEN_TOKENS
from pipeline.types.chunks import MultimodalPrompt, Priority
from tests.contract.vllm.seeing import Eyes, Look
from tests.contract.vllm.seeing_cases import GOLDENS, prompts
from tests.contract.vllm.tiny_aura import write_aura

pytestmark = pytest.mark.vllm

CASES: dict[str, dict[str, Any]] = json.loads(GOLDENS.read_text())
SEEDS = [int(seed) for seed in list(CASES)[:3]]

PATIENT_TOKENS = 256  # in a step that has room for 512
Step = Mapping[int, int]  # the tokens of each request in one step, by its place among the looks


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, vllm_on_a_cpu: None) -> Path:
    return write_aura(tmp_path_factory.mktemp("aura"))


class Steps:
    """An engine whose steps are written down."""

    def __init__(self, folder: Path, **engine_args: Any) -> None:
        from pipeline.engines.vllm.scheduling.question_first import QuestionFirstScheduler

        taken: list[Mapping[str, int]] = []

        class Recorded(QuestionFirstScheduler):
            def schedule(self, throttle_prefills: bool = False) -> Any:
                output = super().schedule(throttle_prefills)
                taken.append(dict(output.num_scheduled_tokens))
                return output

        self._taken, self._asked = taken, 0
        self.eyes = Eyes(folder, scheduler_cls=Recorded, max_num_scheduled_tokens=PATIENT_TOKENS, **engine_args)

    def of(self, *looks: Look) -> list[Step]:
        self._taken.clear()
        self.eyes.look(*looks)
        first, self._asked = self._asked, self._asked + len(looks)
        return [{int(name.partition("-")[0]) - first: count for name, count in step.items()} for step in self._taken]


@pytest.fixture(scope="module")
def steps(folder: Path) -> Iterator[Steps]:
    steps = Steps(folder)
    yield steps
    steps.eyes.close()


LONG = MultimodalPrompt(("one two three " * 250,), "long")


def patient(salt: str, times: int = 250, **more: Any) -> Look:
    """A long prompt that is only prefilled."""
    return Look(MultimodalPrompt(("one two three " * times,), salt, 0), 1, Priority.PREFILL, **more)


def pruned(salt: str) -> Look:
    """A long prompt that has time."""
    return replace(patient(salt), priority=Priority.PRUNED)


def question(seed: int, salt: str, **more: Any) -> Look:
    return Look(replace(prompts(seed)[-1], cache_salt=salt), **more)


def right(looks: list[Look], seeds: list[int]) -> bool:
    return all(each.tokens == CASES[str(seed)]["answer"][: each.most] for each, seed in zip(looks, seeds, strict=True))


def test_a_question_is_computed_alone_until_its_first_tokens_are_out(steps: Steps) -> None:
    asked = question(SEEDS[0], "alone", begins=2)
    taken = steps.of(patient("alone"), asked)
    first = next(at for at, step in enumerate(taken) if 1 in step)
    assert 0 in taken[first - 1], "the long prompt has begun"
    assert all(0 not in step for step in taken[first : first + FIRST_TOKENS])
    assert taken[first + FIRST_TOKENS] == {0: PATIENT_TOKENS, 1: 1}
    assert right([asked], SEEDS[:1])


def test_an_answer_goes_on_beside_a_long_patient_prompt_that_began_before_it(steps: Steps) -> None:
    asked = question(SEEDS[0], "goes on", begins=1)
    taken = steps.of(patient("goes on"), patient("goes on too"), asked)
    first = next(at for at, step in enumerate(taken) if 2 in step)
    assert all(step[2] == 1 for step in taken[first + 1 : first + asked.most])
    assert right([asked], SEEDS[:1])


def test_a_patient_prompt_that_has_not_begun_steps_back_too_and_is_prefilled_whole(steps: Steps) -> None:
    long, asked = patient("both"), question(SEEDS[0], "both")
    taken = steps.of(long, asked)
    assert all(0 not in step for step in taken[:FIRST_TOKENS]) and 0 in taken[FIRST_TOKENS]
    assert sum(step.get(0, 0) for step in taken) == len(long.prompt)
    assert right([asked], SEEDS[:1])


def test_so_many_tokens_of_patient_prompts_are_in_a_step_beside_one_of_each_answer_and_a_question_fills_one(
    steps: Steps,
) -> None:
    offer, asked = question(SEEDS[1], "told", priority=Priority.OFFER), Look(LONG, begins=12)
    taken = steps.of(offer, patient("told", begins=6), patient("too", begins=6), asked)
    patients = [step.get(1, 0) + step.get(2, 0) for step in taken]
    beside = [each for each, step in zip(patients, taken, strict=True) if each and 0 in step and 3 not in step]
    assert len(beside) > 3 and max(beside) == PATIENT_TOKENS
    assert max(step.get(3, 0) for step in taken) == 512, "the offer waits for a step"
    assert right([offer], [SEEDS[1]])


def test_what_is_decoded_goes_on_beside_a_question(steps: Steps) -> None:
    offer = question(SEEDS[1], "offer", priority=Priority.OFFER)
    asked = question(SEEDS[0], "question", begins=8)
    taken = steps.of(offer, asked)
    first = next(at for at, step in enumerate(taken) if 1 in step)
    assert all(step[0] == 1 for step in taken[first : first + FIRST_TOKENS])
    assert right([offer, asked], [SEEDS[1], SEEDS[0]])


def test_however_many_questions_come_patient_prompts_are_prefilled(steps: Steps) -> None:
    asked = [question(SEEDS[0], f"{at}", most=FIRST_TOKENS, begins=at) for at in range(4 * MOST_STEPS)]
    taken = steps.of(patient("many", begins=1), *asked)
    mine = [at for at, step in enumerate(taken) if 0 in step]
    assert mine[0] <= 2 + MOST_STEPS
    assert mine[1] - mine[0] == 1 + MOST_STEPS
    assert right(asked, [SEEDS[0]] * len(asked))


def test_a_second_of_video_does_not_wait_for_a_long_prompt_that_pruning_will_need(steps: Steps) -> None:
    long, second = pruned("later"), patient("sooner", 30, begins=2)
    taken = steps.of(long, second)
    began = next(at for at, step in enumerate(taken) if 1 in step)
    assert 0 in taken[began - 1], "the long prompt has begun"
    assert taken[began] == {1: PATIENT_TOKENS}
    assert min(taken[began + 1].values()) > 0 and sum(taken[began + 1].values()) == PATIENT_TOKENS, "they share it"
    assert sum(step.get(0, 0) for step in taken) == len(long.prompt)


def test_however_many_seconds_of_video_come_one_step_in_three_is_of_a_long_prompt_that_has_begun(steps: Steps) -> None:
    seconds = [patient(f"{at}", begins=at) for at in range(2, 5)]
    long = pruned("has begun")
    taken = steps.of(long, *seconds)
    came, gone = (pick(at for at, step in enumerate(taken) if max(step, default=0)) for pick in (min, max))
    mine = [at for at, step in enumerate(taken) if step.get(0) == PATIENT_TOKENS and came < at < gone]
    assert {b - a for a, b in pairwise(mine)} == {1 + LATER_STEPS} and len(mine) > 4
    assert sum(step.get(0, 0) for step in taken) == len(long.prompt)


def test_what_is_written_unasked_goes_on_in_each_step_of_a_long_prompt_that_pruning_will_need(steps: Steps) -> None:
    offer = question(SEEDS[1], "written", priority=Priority.OFFER)
    taken = steps.of(pruned("written"), offer, *(patient(f"{at} beside", 60, begins=at) for at in range(2, 8)))
    written = [step.get(1, 0) for step in taken if any(each in step for each in (0, *range(2, 8)))]
    assert set(written[1:]) == {1} and len(written) > 20, "its prompt is over, and each step has one of its tokens"
    assert right([offer], [SEEDS[1]])


def seen(salt: str) -> Look:
    """As long a prompt, of somebody who is silent."""
    return replace(patient(salt), priority=Priority.SEEN)


def begins(taken: list[Step]) -> list[int]:
    """Which prompts have a part in a step, in the order of their first."""
    return list(dict.fromkeys(each for step in taken for each in step))


def test_what_is_seen_by_who_speaks_is_prefilled_before_what_others_see_though_it_came_later(steps: Steps) -> None:
    begun, waits, speaks = seen("silent"), seen("silent, too"), patient("speaks", 30, begins=2)
    taken = steps.of(begun, waits, speaks)
    assert begins(taken) == [0, 2, 1]
    at = next(at for at, step in enumerate(taken) if 2 in step)
    assert 0 in taken[at - 1] and taken[at] == {2: PATIENT_TOKENS}, "one that has begun steps back"
    assert [sum(step.get(each, 0) for step in taken) for each in (0, 1)] == [len(begun.prompt), len(waits.prompt)]


def test_with_a_queue_of_two_steps_none_with_patient_prompts_is_put_behind_another(folder: Path) -> None:
    """As on a GPU, where vLLM schedules a step while the one before it runs; on a CPU it does not by itself."""
    two = Steps(folder)
    try:
        core = two.eyes.engine.engine_core.engine_core
        core.batch_queue, core.batch_queue_size, core.step_fn = deque(maxlen=2), 2, core.step_with_batch_queue
        gone, asked = patient("gone", begins=1, aborted=0), question(SEEDS[0], "beside", begins=9)
        taken = two.of(patient("two deep"), gone, asked)
        patients = [bool({0, 1} & step.keys()) for step in taken]
        assert not any(one and then for one, then in pairwise(patients)) and sum(patients) > 5
        first = next(at for at, step in enumerate(taken) if 2 in step)
        assert not patients[first] and first <= 2 + asked.begins
        assert right([asked], SEEDS[:1])
        asked = question(SEEDS[0], "goes on")
        taken = two.of(asked, patient("beside it", begins=2), patient("and behind", begins=2))
        beside = [bool({1, 2} & step.keys()) for step in taken if 0 in step]
        assert not any(one and then for one, then in pairwise(beside[: SPOKEN_TOKENS - 1])), (
            "its first tokens have their own"
        )
        assert all(beside[SPOKEN_TOKENS + 2 : SPOKEN_TOKENS + 8]), "what follows has none"
        assert right([asked], SEEDS[:1])
    finally:
        two.eyes.close()


def test_a_long_prompt_goes_on_where_there_is_no_place_for_a_second_of_video(folder: Path) -> None:
    one = Steps(folder, max_num_seqs=1)
    try:
        taken = one.of(pruned("only"), patient("waits", begins=1))
        first = next(at for at, step in enumerate(taken) if 1 in step)
        assert sum(not step for step in taken[:first]) <= sum(0 in step for step in taken)
    finally:
        one.eyes.close()


def test_a_question_that_has_no_place_waits_and_the_patient_prompt_that_has_it_ends(folder: Path) -> None:
    one = Steps(folder, max_num_seqs=1)
    try:
        asked = question(SEEDS[0], "place", begins=1)
        taken = one.of(patient("place"), asked)
        first = next(at for at, step in enumerate(taken) if 1 in step)
        assert sum(not step for step in taken[:first]) <= sum(0 in step for step in taken)
        assert right([asked], SEEDS[:1])
    finally:
        one.eyes.close()
