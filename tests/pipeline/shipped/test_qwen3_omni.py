"""`aura-pipeline check --profile qwen3_omni` names what is wrong with a checkpoint, part by part."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.deployment.loading import read_deployment
from pipeline.errors import ConfigError
from pipeline.models.qwen3_omni.config import read_omni
from pipeline.models.qwen3_omni.weight_names import code2wav_shapes, talker_shapes, thinker_shapes
from pipeline.models.shared.weight_files import stored
from pipeline.runtime.checks.gpus import GIB
from pipeline.runtime.checks.preflight import preflight
from pipeline.runtime.profiles import PROFILES
from tests.contract.vllm import tiny_omni
from tests.pipeline.runtime.checkpoints import ASR, write_all, write_weights

OMNI = PROFILES["qwen3_omni"]
H200 = 140 * GIB
MODEL = "Qwen3-Omni-30B-A3B-Instruct"
WHOLE = (thinker_shapes, talker_shapes, code2wav_shapes)
LAYERS = "code2wav.pre_transformer.layers.0."


@pytest.fixture
def models(tmp_path: Path) -> Path:
    write_all(tmp_path)
    folder = tiny_omni.write_files(tmp_path / MODEL, full_size=False)
    config = read_omni(folder)
    write_weights(folder, {name: shape for shapes in WHOLE for name, shape in shapes(config)})
    return tmp_path


def faults(models: Path, change: Callable[[list[dict[str, Any]]], None] = lambda stages: None) -> list[str]:
    """What is wrong, without where: once the stages of the shipped file are changed."""
    told = yaml.safe_load(OMNI.deployment.read_text())
    change(told["stage_args"])
    (models / "file.yaml").write_text(yaml.safe_dump(told))
    deployment = read_deployment(models / "file.yaml", OMNI.topology, OMNI.engine_keys(models))
    try:
        preflight("file", OMNI, deployment, models, [H200])
    except ConfigError as error:
        return [fault.replace(f"{models / MODEL}", "MODEL") for fault in error.faults]
    return []


def rewritten(models: Path, **changed: tuple[int, ...] | None) -> None:
    """The weights with some of another shape, or without some."""
    there: dict[str, tuple[int, ...] | None] = {each.name: each.shape for each in stored(models / MODEL)}
    kept = {name: shape for name, shape in (there | changed).items() if shape is not None}
    write_weights(models / MODEL, kept)


def test_a_whole_checkpoint_passes(models: Path) -> None:
    assert faults(models) == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"thinker.ear": (1,)}, "stage 0: MODEL: weights that nothing uses: thinker.ear"),
        ({"thinker.lm_head.weight": None}, "stage 0: MODEL: weights missing: thinker.lm_head.weight"),
        (
            {"thinker.audio_tower.proj1.weight": (1, 64)},
            "stage 0: MODEL: weights of another shape: thinker.audio_tower.proj1.weight is (1, 64), not (64, 64)",
        ),
        (
            {"thinker.visual.merger_list.1.ln_q.bias": None},
            "stage 0: MODEL: weights missing: thinker.visual.merger_list.1.ln_q.bias",
        ),
        (
            {"thinker.model.layers.3.mlp.experts.7.up_proj.weight": None},
            "stage 0: MODEL: weights missing: thinker.model.layers.3.mlp.experts.7.up_proj.weight",
        ),
        ({"code2wav.ear": (1,)}, "stage 2: MODEL: weights that nothing uses: code2wav.ear"),
        ({f"{LAYERS}mlp_layer_scale.scale": None}, f"stage 2: MODEL: weights missing: {LAYERS}mlp_layer_scale.scale"),
        (
            {"code2wav.decoder.1.block.1.conv.weight": (1, 32, 16)},
            "stage 2: MODEL: weights of another shape: code2wav.decoder.1.block.1.conv.weight is (1, 32, 16), not",
        ),
        ({"ear.weight": (1,)}, "stage 1: MODEL: weights that nothing uses: ear.weight"),
        ({"talker.ear": (1,)}, "stage 1: MODEL: weights that nothing uses: talker.ear"),
        ({"talker.codec_head.weight": None}, "stage 1: MODEL: weights missing: talker.codec_head.weight"),
        (
            {"talker.codec_head.weight": (1, 64)},
            "stage 1: MODEL: weights of another shape: talker.codec_head.weight is",
        ),
    ],
)
def test_each_weight_belongs_to_a_part_and_each_part_has_its_own(
    models: Path, changed: dict[str, tuple[int, ...] | None], told: str
) -> None:
    rewritten(models, **changed)
    assert any(fault.startswith(told) for fault in faults(models)), faults(models)


@pytest.mark.parametrize(("stage_id", "part"), [(0, "thinker."), (1, "talker."), (2, "code2wav.")])
def test_a_part_that_is_not_there_at_all_is_told_in_one_line(models: Path, stage_id: int, part: str) -> None:
    there = {each.name: each.shape for each in stored(models / MODEL) if not each.name.startswith(part)}
    write_weights(models / MODEL, there)
    own = [fault for fault in faults(models) if fault.startswith(f"stage {stage_id}: ")]
    assert own == [f"stage {stage_id}: MODEL: no weights `{part}*` in its files `*.safetensors`"]


@pytest.mark.parametrize(
    ("stage_id", "args", "told"),
    [
        (0, {"max_model_len": 40_000}, "`max_model_len` is 40000, at least 45925 is needed"),
        (0, {"max_model_len": 80_000}, "`max_model_len` is 80000, and the checkpoint has 65536 positions"),
        (
            0,
            {"kv_cache_memory_bytes": 9},
            "`kv_cache_memory_bytes` is 9, and one request of `max_model_len` 49152 takes",
        ),
        (1, {"voice": "Bob"}, "unknown voice `Bob`; this checkpoint has chelsie, ethan"),
    ],
)
def test_what_a_stage_is_told_is_held_against_the_checkpoint(
    models: Path, stage_id: int, args: dict[str, Any], told: str
) -> None:
    (fault,) = faults(models, lambda stages: stages[stage_id]["engine_args"].update(args))
    assert told in fault and fault.startswith(f"stage {stage_id}: ")


def test_a_mark_that_the_tokenizer_lacks_and_a_configuration_that_is_another_models_are_named(models: Path) -> None:
    file = models / MODEL / "tokenizer_config.json"
    told = json.loads(file.read_text())
    told["added_tokens_decoder"] = {
        number: each for number, each in told["added_tokens_decoder"].items() if each["content"] != "<|audio_start|>"
    }
    file.write_text(json.dumps(told))
    assert faults(models) == ["stage 0: MODEL: the tokenizer has no <|audio_start|>"]
    (models / MODEL / "config.json").write_text((models / ASR / "config.json").read_text())
    assert all("`model_type` is" in fault for fault in faults(models) if "tokenizer" not in fault)
    assert len(faults(models)) >= 3, "each of its stages says so"
