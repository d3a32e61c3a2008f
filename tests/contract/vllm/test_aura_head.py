"""A head that stands in a checkpoint of AURA whose configuration says that it is tied is used: vLLM wants it then."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.engines.aura.setup import check_own_weights
from pipeline.models.aura.config import read_aura
from pipeline.models.shared.weight_files import stored
from tests.contract.vllm.seeing import Eyes, Look
from tests.contract.vllm.seeing_cases import GOLDENS, prompts
from tests.contract.vllm.tiny_aura import config, write_aura

pytestmark = pytest.mark.vllm


def test_a_head_beside_a_tied_one_answers_as_it_does_alone(vllm_on_a_cpu: None, tmp_path: Path) -> None:
    folder = write_aura(tmp_path / "aura")
    (folder / "config.json").write_text(json.dumps(config() | {"tie_word_embeddings": True}))
    check_own_weights(read_aura(folder), stored(folder), str(folder))
    seed, case = next(iter(json.loads(GOLDENS.read_text()).items()))
    look = Look(replace(prompts(int(seed))[-1], cache_salt="tied"))
    with closing(Eyes(folder)) as eyes:
        eyes.look(look)
    assert look.tokens == case["answer"]
