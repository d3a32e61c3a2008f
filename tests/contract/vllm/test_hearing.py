"""Qwen3-ASR on the real vLLM hears what the official package hears, token by token, whoever is beside it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pipeline.models.qwen3_asr.windows import audio_tokens
from tests.contract.vllm.hearing import Asked, Recogniser
from tests.contract.vllm.hearing_cases import CASES, GOLDENS, Heard
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
