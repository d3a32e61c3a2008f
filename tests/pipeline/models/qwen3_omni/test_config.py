"""A checkpoint of Qwen3-Omni is read as published and as transformers writes it; what is wrong is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import ConfigError
from pipeline.models.qwen3_omni.config import read_omni
from tests.contract.vllm import tiny_omni


def write(folder: Path, config: dict[str, Any]) -> Path:
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def test_sizes_and_ids_are_those_of_the_file(tmp_path: Path) -> None:
    config = read_omni(write(tmp_path, tiny_omni.full_config()))
    assert config.talker.decoder.num_experts == 128
    assert config.talker.accept_hidden_layer == 24
    assert config.talker.speaker_id == tiny_omni.SPEAKERS
    assert config.code2wav.codec.head_dim == 64
    assert config.code2wav.rope_theta == 10_000


def test_transformers_names_some_fields_otherwise(tmp_path: Path) -> None:
    raw = tiny_omni.config()
    text = raw["talker_config"]["text_config"]
    text["num_local_experts"], text["rope_parameters"] = text.pop("num_experts"), {"rope_theta": text.pop("rope_theta")}
    config = read_omni(write(tmp_path, raw))
    assert (config.talker.decoder.num_experts, config.talker.decoder.rope_theta) == (8, 1e6)


def test_parts_that_do_not_fit_together_are_named_all_at_once(tmp_path: Path) -> None:
    raw = tiny_omni.config()
    raw["talker_config"] |= {"thinker_hidden_size": 65, "accept_hidden_layer": 4}
    raw["talker_config"]["code_predictor_config"]["hidden_size"] = 32
    raw["code2wav_config"]["num_quantizers"] = 8
    with pytest.raises(ConfigError) as refused:
        read_omni(write(tmp_path, raw))
    for field in (
        "talker_config.thinker_hidden_size",
        "talker_config.accept_hidden_layer",
        "talker_config.code_predictor_config.hidden_size",
        "code2wav_config.num_quantizers",
    ):
        assert f"`{field}`" in str(refused.value)


def test_a_checkpoint_of_another_model_or_without_a_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="`model_type` is 'qwen2_5_omni', not `qwen3_omni_moe`"):
        read_omni(write(tmp_path, tiny_omni.config() | {"model_type": "qwen2_5_omni"}))
    raw = tiny_omni.config()
    del raw["code2wav_config"], raw["talker_config"]["codec_bos_id"]
    with pytest.raises(ConfigError, match=r"talker_config.codec_bos_id` is missing(.|\n)*`code2wav_config` is missing"):
        read_omni(write(tmp_path, raw))
