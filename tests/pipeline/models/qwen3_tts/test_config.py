"""A checkpoint's configuration is read strictly: every fault names its field."""

import json
import random
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import ConfigError
from pipeline.models.aura.config import read_aura
from pipeline.models.aura.weight_names import expected_shapes as aura_shapes
from pipeline.models.qwen3_asr.config import read_recogniser
from pipeline.models.qwen3_asr.weight_names import expected_shapes as asr_shapes
from pipeline.models.qwen3_tts.config import GenerationConfig, read_generation, read_voice, voice_config
from pipeline.models.qwen3_tts.weight_names import checkpoint_names, expected_shapes
from pipeline.models.shared.weight_shapes import Named
from tests.contract.vllm import tiny_asr, tiny_aura
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


def test_a_field_is_named_by_its_place_in_the_file(tmp_path: Path) -> None:
    thinker = tiny_asr.recogniser()["thinker_config"]
    for told, faults in (
        ({}, ["`thinker_config` is missing, or not an object"]),
        ({"thinker_config": 3}, ["`thinker_config` is missing, or not an object"]),
        (
            {"thinker_config": {"audio_config": thinker["audio_config"], "text_config": []}},
            [
                "`thinker_config.text_config` is missing, or not an object",
                "`thinker_config.audio_token_id` is missing",
            ],
        ),
    ):
        with pytest.raises(ConfigError) as refused:
            read_recogniser(written(tmp_path, {"model_type": "qwen3_asr", "support_languages": [], **told}))
        assert refused.value.faults == faults


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


CONFIGS: Mapping[str, tuple[Callable[[], dict[str, Any]], Callable[[Path], Any], Callable[[Any], Named]]] = {
    "asr": (tiny_asr.recogniser, read_recogniser, asr_shapes),
    "aura": (tiny_aura.config, read_aura, aura_shapes),
    "talker": (lambda: voice("custom_voice"), read_voice, expected_shapes),
}
ODD: tuple[Any, ...] = (
    [],
    {},
    None,
    True,
    -1,
    0,
    1,
    3,
    0.5,
    "x",
    [[]],
    [0],
    {"a": []},
    10**400,
    -(10**30),
    1e300,
    "y" * 500,
)


@pytest.mark.parametrize("model", CONFIGS)
def test_no_value_in_a_configuration_raises_anything_else(tmp_path: Path, model: str) -> None:
    sampling_defaults = random.Random(0)
    written_by, read, shapes = CONFIGS[model]
    for _ in range(400):
        config = deepcopy(written_by())
        for _ in range(sampling_defaults.choice((1, 1, 2))):
            place = config
            while inner := [value for value in place.values() if isinstance(value, dict) and value]:
                if sampling_defaults.random() < 0.2:
                    break
                place = sampling_defaults.choice(inner)
            key, odd = sampling_defaults.choice(list(place)), deepcopy(sampling_defaults.choice(ODD))
            if isinstance(listed := place[key], list) and listed and sampling_defaults.random() < 0.5:
                listed[sampling_defaults.randrange(len(listed))] = odd
            else:
                place[key] = odd
        try:
            assert len(list(shapes(read(written(tmp_path, config))))) > 10
        except ConfigError as error:
            assert all(len(line) < 600 and line.isprintable() for line in str(error).splitlines())
