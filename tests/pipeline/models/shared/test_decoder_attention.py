"""Our own attention of a decoder, interpreted on the CPU, sees and keeps what plain torch does."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import pytest

if find_spec("triton") is None:  # not imported: in this process vLLM's tests may want it to interpret
    pytest.skip("the kernel needs Triton, which the embedded profile has not", allow_module_level=True)


@pytest.fixture(scope="module")
def compared() -> dict[str, dict[str, Any]]:
    """Of a process of its own: Triton decides when it is imported whether it interprets."""
    command = [sys.executable, "-m", "tests.pipeline.models.shared.attention_on_cpu"]
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=600)
    found: dict[str, dict[str, Any]] = json.loads(run.stdout.splitlines()[-1])
    return found


def test_tokens_see_what_came_before_them_in_their_request(compared: dict[str, dict[str, Any]]) -> None:
    assert len(compared) == 15
    assert {name: each["output"] for name, each in compared.items() if not each["output"] <= 1e-5} == {}


def test_the_cache_has_their_keys_and_values_and_all_else_as_it_was(compared: dict[str, dict[str, Any]]) -> None:
    assert {name: each["cache"] for name, each in compared.items() if not each["cache"] <= 1e-5} == {}


def test_rows_that_only_fill_up_are_left_alone(compared: dict[str, dict[str, Any]]) -> None:
    assert all(each["left alone"] for each in compared.values())


def test_a_long_past_is_shared_where_a_step_has_few_tokens(compared: dict[str, dict[str, Any]]) -> None:
    """None has left what it found where a past has one program."""
    assert compared["one frame"]["parts"] == [3]
    assert compared["two programs a past, and three"]["parts"] == [2, 3, 0, 0]
    assert compared["as many as may be"]["parts"] == [4, 2, 2, 2, 2, 0, 0], "32 positions are looked at together"
    assert compared["a prompt"]["parts"] == [0] * 16
    assert compared["as many tokens as may share a past"]["parts"] == [3] * 8 + [4] * 8
    assert compared["one more than may"]["parts"] == [0] * 16


def test_programs_that_share_a_past_leave_their_room_as_they_found_it(compared: dict[str, dict[str, Any]]) -> None:
    assert {name: each["arrivals"] for name, each in compared.items()} == dict.fromkeys(compared, 0)
