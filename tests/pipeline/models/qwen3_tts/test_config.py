"""A checkpoint's configuration is read strictly: every fault names its field."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import ConfigError
from pipeline.models.qwen3_tts.config import GenerationConfig, read_generation, read_voice, voice_config
from pipeline.models.qwen3_tts.weight_names import checkpoint_names, expected_shapes
from tests.contract.vllm.tiny import Kind, tensors, voice


def written(folder: Path, config: Any, name: str = "config.json") -> Path:
    (folder / name).write_text(json.dumps(config), encoding="utf-8")
    return folder


def test_a_voice_is_read(tmp_path: Path) -> None:
    config = read_voice(written(tmp_path, voice("custom_voice")))
    assert config.tts_model_type == "custom_voice"
    assert config.talker.spk_id == {"vivian": 3065, "eric": 2875}
    assert config.talker.spk_is_dialect == {"vivian": False, "eric": "sichuan_dialect"}
    assert (config.talker.hidden_size, config.predictor.hidden_size) == (64, 32)


def test_every_fault_is_named_at_once(tmp_path: Path) -> None:
    config = voice("custom_voice")
    del config["talker_config"]["hidden_size"]
    config["talker_config"]["codec_bos_id"] = "2149"
    config["talker_config"]["code_predictor_config"]["vocab_size"] = None
    with pytest.raises(ConfigError) as error:
        read_voice(written(tmp_path, config))
    assert error.value.faults == [
        "`talker_config.hidden_size` is missing",
        "`talker_config.codec_bos_id` is '2149'",
        "`talker_config.code_predictor_config.vocab_size` is None",
    ]


def test_a_kind_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="`tts_model_type` is 'singing'"):
        read_voice(written(tmp_path, voice("custom_voice") | {"tts_model_type": "singing"}))


@pytest.mark.parametrize(
    ("config", "fault"),
    [
        ({"model_type": "llama"}, "`model_type` is 'llama', not `qwen3_tts`"),
        ([1, 2], "cannot be read: Expected `object`, got `array`"),
        ({"model_type": "qwen3_tts"}, "`talker_config` is missing, or not an object"),
    ],
)
def test_another_models_checkpoint_is_refused(tmp_path: Path, config: Any, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        read_voice(written(tmp_path, config))


def test_a_folder_without_configuration_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"`config\.json` is missing"):
        read_voice(tmp_path)


def test_a_checkpoint_need_not_say_how_it_is_drawn_from(tmp_path: Path) -> None:
    assert read_generation(tmp_path) == GenerationConfig()
    written(tmp_path, {"temperature": 0.7, "max_new_tokens": 8_192}, "generation_config.json")
    assert read_generation(tmp_path) == GenerationConfig(temperature=0.7)


@pytest.mark.parametrize("kind", ["custom_voice", "voice_design", "small"])
def test_the_names_of_all_weights_follow_from_the_configuration(kind: Kind) -> None:
    raw = voice(kind)
    assert {name for name, _ in expected_shapes(voice_config(raw, Path("test")))} == {name for name, *_ in tensors(raw)}


def test_packed_and_renamed_parameters_are_found_under_their_names() -> None:
    parameters = (
        "model.embed_tokens.weight",
        "model.layers.0.self_attn.qkv_proj.weight",
        "code_predictor.x.q_proj.weight",
    )
    assert checkpoint_names(parameters) == {
        "talker.model.codec_embedding.weight": "model.embed_tokens.weight",
        "talker.model.layers.0.self_attn.q_proj.weight": "model.layers.0.self_attn.q_proj.weight",
        "talker.model.layers.0.self_attn.k_proj.weight": "model.layers.0.self_attn.k_proj.weight",
        "talker.model.layers.0.self_attn.v_proj.weight": "model.layers.0.self_attn.v_proj.weight",
        "talker.code_predictor.x.q_proj.weight": "code_predictor.x.q_proj.weight",
    }
