"""The fused predictor, interpreted on the CPU, writes what the plain one writes."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("triton") is None:  # not imported: in this process vLLM's tests may want it to interpret
    pytest.skip("the fused predictor needs Triton, which the embedded profile has not", allow_module_level=True)

GOLDEN = json.loads((Path(__file__).parent / "goldens" / "predictor.json").read_text())


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """Of a process of its own: Triton decides when it is imported whether it interprets."""
    command = [sys.executable, "-m", "tests.pipeline.models.qwen3_tts.fused_on_cpu"]
    run = subprocess.run(
        command, env={**os.environ, "TRITON_INTERPRET": "1"}, capture_output=True, text=True, check=True, timeout=600
    )
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


def test_a_greedy_row_is_that_of_the_official_predictor(answers: dict[str, Any]) -> None:
    assert answers["codes"][0] == GOLDEN["64"]["codes"][0]


def test_each_row_draws_what_the_plain_predictor_draws(answers: dict[str, Any]) -> None:
    assert answers["codes"] == answers["plain"]
    assert answers["embed_error"] < 1e-5


def test_rows_of_one_block_and_of_several_have_the_codes_of_the_plain_predictor(answers: dict[str, Any]) -> None:
    assert answers["blocks"] == {"5": True, "33": True}


def test_a_block_is_as_large_as_the_shared_memory_of_a_device_allows(answers: dict[str, Any]) -> None:
    assert answers["blocks_of"] == {
        "H100": [1, 1, 16, 16, 32, 32],
        "A100": [1, 1, 16, 16, 16, 16],
        "RTX 4090": [1, 1, 1, 1, 1, 1],
    }
    assert answers["small_device"], "there rows go one by one, and have the same codes"


def test_weights_of_four_bytes_have_no_room_for_a_block(answers: dict[str, Any]) -> None:
    assert answers["float32"] == {name: [1] * 6 for name in ("H100", "A100", "RTX 4090")}


def test_a_single_row_draws_as_it_does_among_others(answers: dict[str, Any]) -> None:
    assert answers["alone"] == answers["codes"][-1:]


def test_a_device_without_room_for_all_programs_keeps_the_plain_predictor(answers: dict[str, Any]) -> None:
    assert answers["predictors"] == {"0": "Predictor", "127": "Predictor", "128": "FusedPredictor"}
    assert answers["log"] == [
        "too few multiprocessors to fuse the predictor: 0, not 128",
        "too few multiprocessors to fuse the predictor: 127, not 128",
    ]


def test_a_cpu_has_no_multiprocessors(answers: dict[str, Any]) -> None:
    assert answers["of_a_cpu"] == 0


@pytest.mark.parametrize("predictor", ["fused", "plain"])
def test_codes_are_in_the_vocabulary_even_if_no_logit_is_a_number(answers: dict[str, Any], predictor: str) -> None:
    rows, ids = answers["of_nan"][predictor], answers["of_nan"]["ids"]
    assert len(rows) == 4 and all(len(row) == 3 for row in rows)
    assert all(0 <= code < ids for row in rows for code in row)
