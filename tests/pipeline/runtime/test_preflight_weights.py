"""`aura-pipeline check` looks at the headers of weights: which there are, of what shapes, and if they have room."""

import json
from pathlib import Path

import pytest
import yaml

from pipeline.models.aura.config import AuraConfig
from pipeline.models.aura.weight_names import expected_shapes as aura_shapes
from pipeline.models.qwen3_asr.config import AsrConfig
from pipeline.models.qwen3_asr.weight_names import expected_shapes as asr_shapes
from pipeline.models.qwen3_tts.config import voice_config
from pipeline.models.qwen3_tts.weight_names import expected_shapes as talker_shapes
from pipeline.models.shared.fields import made_of
from pipeline.models.shared.weight_files import stored, weight_bytes
from pipeline.runtime.checks.gpus import GIB
from pipeline.runtime.profiles import DEPLOY
from tests.contract.vllm import tiny, tiny_asr, tiny_aura
from tests.pipeline.runtime.checkpoints import ASR, AURA, VOICE, shapes, write_all, write_weights
from tests.pipeline.runtime.shipped import H100, SHIPPED, changed, check, faults


def write_full_size(folder: Path) -> None:
    """AURA's configuration, and files as large as its weights."""
    config = tiny_aura.full_config()
    (folder / "config.json").write_text(json.dumps(config))
    write_weights(folder, shapes(tiny_aura.tensors(config)))


@pytest.fixture
def models(tmp_path: Path) -> Path:
    write_all(tmp_path / "models")
    return tmp_path / "models"


def test_weights_that_are_not_there_or_not_whole_are_named(models: Path) -> None:
    names = [tensor.name for tensor in stored(models / VOICE)]
    others = shapes(tiny.tensors(tiny.voice("custom_voice"))) | {"talker.more": (1,)}
    write_weights(models / VOICE, {name: shape for name, shape in others.items() if name != names[0]})
    file = models / ASR / "model.safetensors"
    size = file.stat().st_size
    with file.open("ab") as whole:
        whole.truncate(size - 1)
    (models / AURA / "model.safetensors").unlink()
    write_weights(models / VOICE / "speech_tokenizer", {"encoder.other": (1,)})
    asr, aura, missing, unused, decoder = faults(SHIPPED, models)
    assert asr.startswith(f"stage 0: {file}: cannot be read: ") and asr.endswith(f"it has {size - 1:,} bytes")
    assert aura.startswith(f"stage 1: {models}/{AURA}: weights missing: lm_head.weight, ") and aura.endswith(" more")
    assert missing == f"stage 2: {models}/{VOICE}: weights missing: {names[0]}"
    assert unused == f"stage 2: {models}/{VOICE}: weights that nothing uses: talker.more"
    assert decoder == f"stage 3: {models}/{VOICE}/speech_tokenizer: no weights `decoder.*` in its files `*.safetensors`"


@pytest.mark.parametrize(
    ("stage_id", "folder", "name", "shape"),
    [
        (0, ASR, "thinker.model.layers.2.mlp.down_proj.weight", (32, 96)),
        (0, ASR, "thinker.model.embed_tokens.weight", (289, 32)),
        (0, ASR, "thinker.audio_tower.conv2d2.weight", (8, 8, 3, 3)),
        (0, ASR, "thinker.audio_tower.conv_out.weight", (32, 128)),
        (0, ASR, "thinker.audio_tower.layers.1.fc1.weight", (64, 32)),
        (1, AURA, "model.language_model.layers.0.self_attn.q_proj.weight", (128, 64)),
        (1, AURA, "lm_head.weight", (300, 64)),
        (1, AURA, "model.visual.patch_embed.proj.weight", (64, 3, 2, 16, 16)),
        (1, AURA, "model.visual.blocks.2.attn.qkv.weight", (192, 64)),
        (1, AURA, "model.visual.deepstack_merger_list.1.linear_fc2.weight", (64, 256)),
        (2, VOICE, "talker.model.layers.0.self_attn.o_proj.weight", (64, 128)),
        (2, VOICE, "talker.code_predictor.lm_head.14.weight", (2048, 32)),
        (2, VOICE, "talker.code_predictor.small_to_mtp_projection.weight", (32, 64)),
    ],
)
def test_a_weight_of_another_shape_is_named(
    models: Path, stage_id: int, folder: str, name: str, shape: tuple[int, ...]
) -> None:
    there = {tensor.name: tensor.shape for tensor in stored(models / folder)}
    assert there[name] == shape
    write_weights(models / folder, {**there, name: shape[::-1]})
    assert faults(SHIPPED, models) == [
        f"stage {stage_id}: {models / folder}: weights of another shape: {name} is {shape[::-1]}, not {shape}"
    ]


@pytest.mark.parametrize(("stage_id", "folder"), [(0, ASR), (1, AURA), (2, VOICE)])
@pytest.mark.parametrize("kind", ["I8", "I32", "F8_E4M3"])
def test_weights_that_are_no_numbers_that_an_engine_computes_with_are_named(
    models: Path, stage_id: int, folder: str, kind: str
) -> None:
    there = {tensor.name: tensor.shape for tensor in stored(models / folder)}
    write_weights(models / folder, there, kind)
    (fault,) = faults(SHIPPED, models)
    said = f"weights of another kind than BF16, F16, F32, F64: {sorted(there)[0]} is '{kind}', "
    assert fault.startswith(f"stage {stage_id}: {models / folder}: {said}")
    assert fault.endswith(f" and {len(there) - 8} more")


@pytest.mark.parametrize("kind", ["BF16", "F16", "F32", "F64"])
def test_weights_of_every_kind_that_an_engine_computes_with_are_taken(models: Path, kind: str) -> None:
    for folder in (ASR, AURA, VOICE):
        write_weights(models / folder, {tensor.name: tensor.shape for tensor in stored(models / folder)}, kind)
    assert check(SHIPPED, models)


def test_a_head_that_is_tied_may_be_there(models: Path) -> None:
    (models / AURA / "config.json").write_text(json.dumps(tiny_aura.config() | {"tie_word_embeddings": True}))
    there = {tensor.name: tensor.shape for tensor in stored(models / AURA)}
    assert "lm_head.weight" in there and check(SHIPPED, models)
    del there["lm_head.weight"]
    write_weights(models / AURA, there)
    assert check(SHIPPED, models)


def test_the_shapes_of_all_weights_follow_from_the_configurations() -> None:
    thinker, aura, talker = tiny_asr.recogniser(), tiny_aura.config(), tiny.voice("custom_voice")
    heard = dict(asr_shapes(made_of(AsrConfig, thinker, Path("test"))))
    assert heard.pop("thinker.lm_head.weight") == (289, 32), "it is tied, and may be there"
    assert heard == shapes(tiny_asr.tensors(thinker))
    assert dict(aura_shapes(made_of(AuraConfig, aura, Path("test")))) == shapes(tiny_aura.tensors(aura))
    assert dict(talker_shapes(voice_config(talker, Path("test")))) == shapes(tiny.tensors(talker))


@pytest.mark.parametrize(
    ("part", "key", "name", "shape"),
    [
        ("vision_config", "patch_size", "model.visual.patch_embed.proj.weight", (64, 3, 2, 14, 14)),
        ("text_config", "head_dim", "model.language_model.layers.0.self_attn.q_norm.weight", (48,)),
    ],
)
def test_a_size_that_is_left_to_a_default_may_be_any(
    models: Path, part: str, key: str, name: str, shape: tuple[int, ...]
) -> None:
    there = {tensor.name: tensor.shape for tensor in stored(models / AURA)}
    write_weights(models / AURA, there | {name: shape})
    (fault,) = faults(SHIPPED, models)
    assert fault.endswith(f"weights of another shape: {name} is {shape}, not {there[name]}")
    config = tiny_aura.config()
    del config[part][key]
    (models / AURA / "config.json").write_text(json.dumps(config))
    assert check(SHIPPED, models)
    write_weights(models / AURA, there | {name: (1, *shape)})
    (fault,) = faults(SHIPPED, models)
    assert f"{name} is {(1, *shape)}, not (" in fault


@pytest.mark.parametrize(("stage_id", "folder"), [(0, ASR), (1, AURA), (2, VOICE), (3, f"{VOICE}/speech_tokenizer")])
def test_an_index_of_weights_that_are_not_there_is_named(models: Path, stage_id: int, folder: str) -> None:
    index = models / folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "model.safetensors"}}))
    assert check(SHIPPED, models)
    index.write_text(json.dumps({"weight_map": {"a": f"../{folder}/model.safetensors"}}))
    assert faults(SHIPPED, models) == [
        f"stage {stage_id}: {index}: `weight_map` names '../{folder}/model.safetensors', which is no file "
        "`*.safetensors` of this folder"
    ]


def test_of_quantised_weights_something_of_each_matrix_is_there(models: Path) -> None:
    folder, there = models / AURA, shapes(tiny_aura.tensors(tiny_aura.config()))
    (folder / "config.json").write_text(json.dumps(tiny_aura.config() | {"quantization_config": {"bits": 4}}))
    packed = {name.replace("proj.weight", "proj.qweight"): shape for name, shape in there.items()}
    write_weights(folder, packed | {"model.language_model.layers.0.self_attn.k_scale": (1,)})
    assert check(SHIPPED, models)
    taken = "model.language_model.layers.2.mlp.up_proj"
    write_weights(folder, {name: shape for name, shape in packed.items() if not name.startswith(taken)})
    assert faults(SHIPPED, models) == [f"stage 1: {folder}: weights missing: {taken}"]
    (folder / "model.safetensors").unlink()
    (fault,) = faults(SHIPPED, models)
    assert fault.startswith(f"stage 1: {folder}: weights missing: lm_head, ")


def test_weights_that_will_be_made_up_need_not_be_there(models: Path, tmp_path: Path) -> None:
    (models / AURA / "model.safetensors").unlink()
    assert check(changed(tmp_path, 1, "engine_args", load_format="dummy"), models)


def test_a_gpu_that_is_not_there_is_named_with_those_that_are() -> None:
    assert faults(DEPLOY / "aura_2gpu.yaml", None, 40 * GIB) == [
        f"stage {stage_id}: `devices` names GPU 1, and there is GPU 0 of 40 GiB" for stage_id in (0, 2, 3)
    ]


def test_weights_that_are_larger_than_their_share_of_a_gpu_are_named(models: Path, tmp_path: Path) -> None:
    write_full_size(models / AURA)
    assert check(SHIPPED, models, H100)
    assert faults(SHIPPED, models, 24 * GIB) == [
        "stage 1: `gpu_memory_utilization` 0.62 is 14.9 GiB of GPU 0, "
        "and the weights take 16.3 GiB, the cache at least 6.8 GiB"
    ]
    assert check(changed(tmp_path, 1, "runtime", devices="0,1"), models, 24 * GIB, 24 * GIB), "each takes half"


def test_weights_that_are_rounded_to_8_bits_take_less_of_their_share(models: Path, tmp_path: Path) -> None:
    write_full_size(models / AURA)
    less = changed(tmp_path, 1, "engine_args", quantization="fp8_per_channel", gpu_memory_utilization=0.2)
    assert faults(less, models, H100) == [
        "stage 1: `gpu_memory_utilization` 0.2 is 16.0 GiB of GPU 0, "
        "and the weights take 9.9 GiB, the cache at least 6.8 GiB"
    ]


@pytest.mark.parametrize("stage_id", [0, 1])
def test_weights_that_cannot_be_rounded_are_told_by_the_key(models: Path, tmp_path: Path, stage_id: int) -> None:
    wide = changed(tmp_path, stage_id, "engine_args", quantization="fp8_per_channel", dtype="float32")
    (fault,) = faults(wide, models)
    assert fault.startswith(f"stage {stage_id}: `quantization` fp8_per_channel needs `dtype` bfloat16 or float16")
    (fault,) = faults(changed(tmp_path, stage_id, "engine_args", quantization="fp8"), models)
    assert fault.startswith(f"stage {stage_id}: `quantization` fp8 is of checkpoints that are quantised already")


def test_the_weights_of_codec_frames_are_not_rounded(models: Path, tmp_path: Path) -> None:
    (fault,) = faults(changed(tmp_path, 2, "engine_args", quantization="fp8_per_channel"), models)
    assert fault.endswith(": the kernels of a codec frame read its weights as they are")


@pytest.mark.parametrize(
    ("stage_id", "keys", "least"),
    [
        (1, {"max_model_len": 262_144}, "36.1 GiB"),
        (1, {"kv_cache_memory_bytes": 60 * GIB}, "60.0 GiB"),
        (0, {"kv_cache_memory_bytes": 9 * GIB + (3 << 28)}, "9.8 GiB"),
        (2, {"kv_cache_memory_bytes": 12 * GIB}, "12.0 GiB"),
    ],
)
def test_a_cache_that_has_no_room_beside_the_weights_is_named(
    models: Path, tmp_path: Path, stage_id: int, keys: dict[str, int], least: str
) -> None:
    write_full_size(models / AURA)
    (fault,) = faults(changed(tmp_path, stage_id, "engine_args", **keys), models, H100)
    assert fault.startswith(f"stage {stage_id}: `gpu_memory_utilization` 0.")
    assert fault.endswith(f", the cache at least {least}")


@pytest.mark.parametrize(("stage_id", "a_position", "positions"), [(0, 768, 4_096), (1, 768, 49_152), (2, 768, 2_048)])
def test_a_cache_with_no_room_for_one_request_is_named_with_what_that_takes(
    models: Path, tmp_path: Path, stage_id: int, a_position: int, positions: int
) -> None:
    least = a_position * positions
    for told in (1, 1_000, least - 1):
        assert faults(changed(tmp_path, stage_id, "engine_args", kv_cache_memory_bytes=told), models) == [
            f"stage {stage_id}: `kv_cache_memory_bytes` is {told}, and one request of `max_model_len` {positions} "
            f"takes {least}"
        ]
    assert check(changed(tmp_path, stage_id, "engine_args", kv_cache_memory_bytes=least), models)


def test_of_several_gpus_each_holds_a_part_of_a_request(models: Path, tmp_path: Path) -> None:
    file = changed(tmp_path, 1, "engine_args", kv_cache_memory_bytes=384 * 49_152)
    raw = yaml.safe_load(file.read_text())
    raw["stage_args"][1]["runtime"]["devices"] = "0,1"
    file.write_text(yaml.safe_dump(raw))
    assert check(file, models)


def test_the_talker_needs_a_cache_for_all_whom_it_speaks_to(models: Path, tmp_path: Path) -> None:
    file = changed(tmp_path, 2, "engine_args", max_model_len=16_384)
    raw = yaml.safe_load(file.read_text())
    raw["stage_args"][2]["runtime"]["max_batch_size"] = 1_024
    file.write_text(yaml.safe_dump(raw))
    (fault,) = faults(file, models, H100)
    assert fault.startswith("stage 2: ") and fault.endswith(", the cache at least 12.0 GiB")


@pytest.mark.parametrize(
    ("kind", "dtype", "size"),
    [("F32", "bfloat16", 20), ("F64", "bfloat16", 20), ("BF16", "float32", 40), ("I32", "bfloat16", 40)],
)
def test_numbers_are_counted_as_they_are_loaded(tmp_path: Path, kind: str, dtype: str, size: int) -> None:
    write_weights(tmp_path, {"one": (2, 5)}, kind)
    assert weight_bytes(stored(tmp_path), dtype) == size
