"""Qwen3-ASR on the real vLLM hears what the official package hears, token by token, whoever is beside it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from pipeline.chunks import Window
from pipeline.models.qwen3_asr.windows import audio_tokens
from tests.contract.vllm.hearing import Asked, Recogniser
from tests.contract.vllm.hearing_cases import CASES, GOLDENS, Heard, sound
from tests.contract.vllm.tiny_asr import write_recogniser

pytestmark = pytest.mark.vllm

PIECE = 32_000  # samples that the official package takes at a time
WHOLE = [case for case in CASES if not case.streamed]
STREAMED = [case for case in CASES if case.streamed]


@pytest.fixture(scope="module")
def recogniser(vllm_on_a_cpu: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recogniser]:
    recogniser = Recogniser(write_recogniser(tmp_path_factory.mktemp("qwen3_asr") / "tiny"))
    yield recogniser
    recogniser.close()


def golden(case: Heard) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(GOLDENS.read_text())[CASES.index(case)]
    return found


def tokens(case: Heard) -> list[int]:
    written: list[int] = golden(case)["passes"][-1]["tokens"]
    return written


def prompt(asked: Asked) -> list[int]:
    return list(asked.part.prompt.spread([audio_tokens(len(window)) for window in asked.part.windows]))


def golden_prompt(case: Heard, number: int, audio_id: int) -> list[int]:
    each = golden(case)["passes"][number]
    return [*each["before"], *[audio_id] * each["pads"], *each["after"]]


def test_there_are_enough_goldens() -> None:
    assert len(CASES) == 20
    lengths = [len(each["tokens"]) for case in CASES for each in golden(case)["passes"]]
    assert sum(length >= 64 for length in lengths) >= 25
    assert sum(length < 64 for length in lengths) >= 5, "some reach their end"
    assert any(case.seconds > 16 for case in CASES), "some have more than two windows of the encoder"


def test_alone(recogniser: Recogniser) -> None:
    asked = [Asked(recogniser.pass_of(case)) for case in WHOLE]
    for each in asked:
        recogniser.hear(each)
    assert [list(each.tokens) for each in asked] == [tokens(case) for case in WHOLE]
    assert [prompt(each) for each in asked] == [golden_prompt(case, 0, recogniser.audio_id) for case in WHOLE]


def test_batched_with_neighbours_that_are_aborted(recogniser: Recogniser) -> None:
    asked = [Asked(recogniser.pass_of(case), begins=3 * i) for i, case in enumerate(WHOLE)]
    dropped = [Asked(recogniser.pass_of(WHOLE[0]), 5, aborted=9), Asked(recogniser.pass_of(WHOLE[-1]), 20, aborted=1)]
    recogniser.hear(*asked, *dropped)
    assert [list(each.tokens) for each in asked] == [tokens(case) for case in WHOLE]
    assert [list(each.tokens) for each in dropped] == [tokens(WHOLE[0])[:9], tokens(WHOLE[-1])[:1]]


@pytest.mark.parametrize("case", STREAMED)
def test_streamed(recogniser: Recogniser, case: Heard) -> None:
    passes = recogniser.passes(case.context)
    expected, pcm = golden(case), case.pcm
    for number, each in enumerate(expected["passes"]):
        window = Window(pcm[: (number + 1) * PIECE], None, False)
        asked, transcript = recogniser.transcribe(passes, window, case.language)
        assert prompt(asked) == golden_prompt(case, number, recogniser.audio_id)
        assert list(asked.tokens) == each["tokens"]
    assert len(window.pcm) == len(pcm)
    assert transcript.text == expected["text"]
    assert transcript.language == expected["language"]
    # Offline, in one pass over all the sound that is forced to begin the same, the same is written.
    offline = Asked(replace(asked.part, windows=recogniser.pass_of(case).windows))
    recogniser.hear(offline)
    assert offline.tokens == asked.tokens


def test_what_has_been_read_is_not_read_again(recogniser: Recogniser) -> None:
    """Windows of the encoder that are full stay in the prefix cache; a pass reads what is new."""
    passes = recogniser.passes()
    pcm = sound(7, 26.0)
    read = []
    for seconds in (7.0, 9.5, 18.0, 26.0):
        asked, _ = recogniser.transcribe(passes, Window(pcm[: int(seconds * 16_000)], None, False), "English")
        read.append(asked.cached)
    block = 32
    assert read == [0, 0, (14 + 104) // block * block, (14 + 208) // block * block]
