"""The exactness is sharp: with one constant of the rotary embedding a little wrong, other frames are written."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.contract.vllm.cases import CASES, GOLDENS
from tests.contract.vllm.speaking import Speaker, Speech
from tests.contract.vllm.tiny import Kind

pytestmark = pytest.mark.vllm

SPOKEN = CASES[:8]


@pytest.mark.parametrize("chunk", ["talker", "predictor"])
def test_a_base_that_is_wrong_by_one_percent_is_seen(
    vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path], tmp_path: Path, chunk: str
) -> None:
    folder = tmp_path / "custom_voice"
    shutil.copytree(checkpoint("custom_voice"), folder)
    config = json.loads((folder / "config.json").read_text())
    talker = config["talker_config"]
    wrong = talker if chunk == "talker" else talker["code_predictor_config"]
    wrong["rope_theta"] *= 1.01
    (folder / "config.json").write_text(json.dumps(config))
    speaker = Speaker(folder)
    speeches = [Speech(case) for case in SPOKEN]
    speaker.speak(*speeches)
    speaker.close()
    equal = [np.array_equal(each.codes, np.load(GOLDENS)[f"case_{i}"]) for i, each in enumerate(speeches)]
    assert equal.count(False) >= 2
