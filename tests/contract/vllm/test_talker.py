"""The Talker on the real vLLM writes the frames of the official package, in all 16 codebooks, whoever is beside it."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pipeline.models.qwen3_tts.sentence import FramePace
from tests.contract.vllm.cases import CASES, GOLDENS, Case
from tests.contract.vllm.speaking import Speaker, Speech
from tests.contract.vllm.tiny import Kind

pytestmark = pytest.mark.vllm

KINDS: tuple[Kind, ...] = ("custom_voice", "voice_design", "small")
STEP_TOKENS = 24  # of a step: what is longer is prefilled in chunks


@pytest.fixture(scope="module", params=KINDS)
def speaker(
    request: pytest.FixtureRequest, vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path]
) -> Iterator[Speaker]:
    speaker = Speaker(checkpoint(request.param), max_num_batched_tokens=STEP_TOKENS)
    yield speaker
    speaker.close()


def of(speaker: Speaker, *layouts: str) -> list[Case]:
    return [case for case in CASES if case.kind == speaker.kind and case.layout in (layouts or (case.layout,))]


def golden(case: Case) -> NDArray[np.int16]:
    with np.load(GOLDENS) as goldens:
        codes: NDArray[np.int16] = goldens[f"case_{CASES.index(case)}"]
    return codes


def equal(speeches: Sequence[Speech]) -> bool:
    """Whether each has written what the official package does."""
    return all(np.array_equal(speech.codes, golden(speech.case)) for speech in speeches)


def test_there_are_enough_goldens() -> None:
    codes = [golden(case) for case in CASES]
    assert len(codes) == 20
    assert {case.layout for case in CASES} == {"streaming", "whole"}
    assert min(map(len, codes)) >= 40
    assert sum(len(each) < 72 for each in codes) >= 5, "some reach their end of speech"


def test_alone(speaker: Speaker) -> None:
    speeches = [Speech(case) for case in of(speaker)[:3]]
    for speech in speeches:
        speaker.speak(speech)
    assert equal(speeches)


def test_batched(speaker: Speaker) -> None:
    speeches = [Speech(case) for case in of(speaker)]
    speaker.speak(*speeches)
    assert equal(speeches)


def test_with_chunked_prefill(speaker: Speaker) -> None:
    """Instructions, or a text that is read whole, make prompts that no step has room for."""
    told = speaker.engine.vllm_config.scheduler_config
    assert told.enable_chunked_prefill and told.max_num_batched_tokens == STEP_TOKENS
    speeches = [Speech(case) for case in of(speaker) if prompt_tokens(speaker, case) > STEP_TOKENS]
    assert len(speeches) >= {"custom_voice": 5, "voice_design": 5, "small": 0}[speaker.kind]
    speaker.speak(*speeches)
    assert equal(speeches)


def prompt_tokens(speaker: Speaker, case: Case) -> int:
    return len(speaker.writer.write(speaker.tokenize(case.text), case.voice, case.layout).text)


def test_staggered_with_neighbours_that_are_aborted(speaker: Speaker) -> None:
    cases = of(speaker)[:5]
    speeches = [Speech(case, begins=7 * i) for i, case in enumerate(cases)]
    dropped = [Speech(cases[0], begins=3, aborted=11), Speech(cases[-1], begins=20, aborted=1)]
    speaker.speak(*speeches, *dropped)
    assert equal(speeches)
    assert all(np.array_equal(each.codes, golden(each.case)[: len(each.codes)]) for each in dropped)


def test_text_streamed_one_id_at_a_time(speaker: Speaker) -> None:
    speeches = [Speech(case, splits=[1] * 200, pace=FramePace()) for case in of(speaker, "streaming")[:6]]
    speaker.speak(*speeches)
    assert equal(speeches)


def test_text_streamed_in_random_splits(speaker: Speaker) -> None:
    chance = np.random.default_rng(5)
    speeches = [
        Speech(
            case, splits=[*chance.integers(1, 9, 5).tolist(), 200], pace=FramePace(), begins=int(chance.integers(0, 9))
        )
        for case in of(speaker, "streaming")
    ]
    speaker.speak(*speeches)
    assert equal(speeches)


def test_whole_text_in_granted_parts(speaker: Speaker) -> None:
    speeches = [Speech(case, pace=FramePace()) for case in of(speaker)]
    speaker.speak(*speeches)
    assert equal(speeches)
