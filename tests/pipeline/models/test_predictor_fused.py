"""The fused predictor, interpreted on the CPU, writes what the plain one writes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.models.tiny_predictor import TALKER_WIDTHS

pytest.importorskip("triton", reason="the fused predictor is written in Triton, which the embedded profile has not")

GOLDEN = json.loads((Path(__file__).parent / "goldens" / "predictor.json").read_text())


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """Of a process of its own: Triton decides when it is imported whether it interprets."""
    command = [sys.executable, "-m", "tests.pipeline.models.fused_on_cpu"]
    run = subprocess.run(
        command, env={**os.environ, "TRITON_INTERPRET": "1"}, capture_output=True, text=True, check=True, timeout=600
    )
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("talker_width", TALKER_WIDTHS)
def test_greedy_codes_are_those_of_the_official_predictor(answers: dict[str, Any], talker_width: int) -> None:
    found = answers[str(talker_width)]
    assert found["greedy"] == GOLDEN[str(talker_width)]["codes"][: len(found["greedy"])]
    assert found["embed_error"] < 1e-5


@pytest.mark.parametrize("talker_width", TALKER_WIDTHS)
def test_it_draws_what_the_plain_predictor_draws(answers: dict[str, Any], talker_width: int) -> None:
    found = answers[str(talker_width)]
    assert found["drawn"] == found["drawn_plain"]


@pytest.mark.parametrize("talker_width", TALKER_WIDTHS)
def test_a_single_row_draws_as_it_does_among_others(answers: dict[str, Any], talker_width: int) -> None:
    found = answers[str(talker_width)]
    assert found["alone"] == found["drawn"][:1]
