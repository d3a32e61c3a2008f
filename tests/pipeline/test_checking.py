"""`aura-pipeline check` says what a person would otherwise learn from `serve`, all of it at once."""

import json
import shutil
from pathlib import Path

import pytest
import yaml

from pipeline.checking import NO_GPU, NO_MODELS, checked
from pipeline.deployment import read_deployment
from pipeline.engines.embedded_names import LLAMA_FILES, WHISPER_FILES
from pipeline.errors import ConfigError
from pipeline.gpus import GIB
from pipeline.models.weight_files import stored, weight_bytes
from pipeline.models.weight_names import weight_names
from pipeline.profiles import DEPLOY, PROFILES
from tests.contract.vllm import tiny, tiny_aura
from tests.contract.vllm.tiny import voice
from tests.pipeline.checkpoints import ASR, AURA, VOICE, shapes, write_all, write_weights

SHIPPED = DEPLOY / "aura_80gb.yaml"
H100 = 80 * GIB


def check(file: Path, models_dir: Path | None, *gpus: int, profile: str = "vllm") -> list[str]:
    served = PROFILES[profile]
    deployment = read_deployment(file, served.topology, served.engine_keys(models_dir or DEPLOY))
    return checked("mine", served, deployment, models_dir, gpus)


def faults(file: Path, models_dir: Path | None, *gpus: int, profile: str = "vllm") -> list[str]:
    with pytest.raises(ConfigError) as refused:
        check(file, models_dir, *gpus, profile=profile)
    return refused.value.faults


def changed(folder: Path, stage_id: int, section: str, **keys: object) -> Path:
    """The shipped file, in which a stage says something else."""
    raw = yaml.safe_load(SHIPPED.read_text())
    raw["stage_args"][stage_id][section] |= keys
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump(raw))
    return path


def write_full_size(folder: Path) -> None:
    """AURA's configuration, and files as large as its weights."""
    config = tiny_aura.full_config()
    (folder / "config.json").write_text(json.dumps(config))
    write_weights(folder, shapes(tiny_aura.tensors(config)))


@pytest.fixture
def models(tmp_path: Path) -> Path:
    write_all(tmp_path / "models")
    return tmp_path / "models"


def test_what_could_not_be_looked_at_is_noted(models: Path) -> None:
    assert check(SHIPPED, models)[-1] == NO_GPU
    assert check(SHIPPED, None)[-2:] == [NO_MODELS, NO_GPU]
    assert check(SHIPPED, models, H100)[-1] == "in all: 93 % of GPU 0 (74.4 of 80 GiB)"


def test_every_model_that_is_not_there_is_named_at_once(tmp_path: Path) -> None:
    voice_folder = tmp_path / VOICE
    assert faults(SHIPPED, tmp_path) == [
        f"stage 0: {tmp_path}: {ASR}: there is no such folder",
        f"stage 1: {tmp_path}: {AURA}: there is no such folder",
        f"stage 2: {voice_folder}: there is no such folder",
        f"stage 3: {voice_folder}: there is no such folder",
    ]


def test_a_folder_with_another_model_is_told_from_one_that_is_incomplete(models: Path) -> None:
    shutil.copy(models / ASR / "config.json", models / AURA / "config.json")
    (models / ASR / "vocab.json").unlink()
    (models / VOICE / "merges.txt").unlink()
    other = {"model_type": "mimi", "decoder_config": {}}
    (models / VOICE / "speech_tokenizer" / "config.json").write_text(json.dumps(other))
    assert faults(SHIPPED, models) == [
        f"stage 0: {models}: {ASR}: vocab.json missing",
        f"stage 1: {models}/{AURA}/config.json: `model_type` is 'qwen3_asr', not `qwen3_vl`",
        f"stage 2: {models}/{VOICE}: `merges.txt` is missing",
        f"stage 3: {models}/{VOICE}/speech_tokenizer/config.json: `model_type` is 'mimi', not "
        "`qwen3_tts_tokenizer_12hz`",
    ]


def test_weights_that_are_not_there_or_not_whole_are_named(models: Path) -> None:
    names = weight_names(models / VOICE)
    others = shapes(tiny.tensors(voice("custom_voice"))) | {"talker.more": (1,)}
    write_weights(models / VOICE, {name: shape for name, shape in others.items() if name != names[0]})
    file = models / ASR / "model.safetensors"
    size = file.stat().st_size
    with file.open("ab") as whole:
        whole.truncate(size - 1)
    (models / AURA / "model.safetensors").unlink()
    write_weights(models / VOICE / "speech_tokenizer", {"encoder.other": (1,)})
    asr, aura, missing, unused, decoder = faults(SHIPPED, models)
    assert asr == f"stage 0: {file}: cannot be read: it has {size - 1} bytes of {size}"
    assert aura.startswith(f"stage 1: {models}/{AURA}: weights missing: lm_head.weight, ") and aura.endswith(" more")
    assert missing == f"stage 2: {models}/{VOICE}: weights missing: {names[0]}"
    assert unused == f"stage 2: {models}/{VOICE}: weights that nothing uses: talker.more"
    assert decoder == f"stage 3: {models}/{VOICE}/speech_tokenizer: no weights `decoder.*` in its files `*.safetensors`"


@pytest.mark.parametrize(
    ("stage_id", "folder", "name", "shape"),
    [
        (0, ASR, "thinker.model.layers.2.mlp.down_proj.weight", (32, 96)),
        (0, ASR, "thinker.model.embed_tokens.weight", (289, 32)),
        (1, AURA, "model.language_model.layers.0.self_attn.q_proj.weight", (128, 64)),
        (1, AURA, "lm_head.weight", (300, 64)),
        (2, VOICE, "talker.model.layers.0.self_attn.o_proj.weight", (64, 128)),
        (2, VOICE, "talker.code_predictor.lm_head.14.weight", (2048, 32)),
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


@pytest.mark.parametrize(
    ("stage_id", "key", "value", "fault"),
    [
        (0, "language", "klingon", "`language` is 'klingon', not one of Cantonese, Chinese, English, German or `auto`"),
        (0, "max_model_len", 1, "`max_model_len` is 1, at least 878 is needed"),
        (1, "max_model_len", 512, "`max_model_len` is 512, at least 45781 is needed"),
        (2, "max_model_len", 1, "`max_model_len` is 1, at least 506 is needed"),
        (2, "voice", "bob", "unknown voice `bob`; this checkpoint has eric, vivian"),
    ],
)
def test_what_a_checkpoint_lacks_is_named(
    models: Path, tmp_path: Path, stage_id: int, key: str, value: object, fault: str
) -> None:
    assert faults(changed(tmp_path, stage_id, "engine_args", **{key: value}), models) == [f"stage {stage_id}: {fault}"]


def test_a_voice_with_other_stops_than_the_topologys_is_refused(models: Path) -> None:
    config = voice("custom_voice")
    config["talker_config"]["codec_eos_token_id"] = 2_151
    (models / VOICE / "config.json").write_text(json.dumps(config))
    assert faults(SHIPPED, models) == ["stage 2: `stop_token_ids` are [2150], but the checkpoint's are [2151]"]


@pytest.mark.parametrize(("stage_id", "stops"), [(0, "[282, 284]"), (1, "[282, 284, 289]")])
def test_stops_of_a_file_are_those_of_the_checkpoint(models: Path, tmp_path: Path, stage_id: int, stops: str) -> None:
    file = changed(tmp_path, stage_id, "default_sampling_params", stop_token_ids=[99_999])
    assert faults(file, models) == [f"stage {stage_id}: `stop_token_ids` are [99999], but the checkpoint's are {stops}"]


@pytest.mark.parametrize("stage_id", [0, 1, 2])
@pytest.mark.parametrize("file", ["vocab.json", "merges.txt", "tokenizer_config.json"])
def test_a_tokenizer_that_is_damaged_is_named_with_its_file(models: Path, stage_id: int, file: str) -> None:
    path = models / (ASR, AURA, VOICE)[stage_id] / file
    path.write_bytes(b'{"a": \xff')
    (fault,) = faults(SHIPPED, models)
    assert fault.startswith(f"stage {stage_id}: {path}: cannot be read: ")


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


@pytest.mark.parametrize(
    ("stage_id", "keys", "least"),
    [
        (1, {"max_model_len": 262_144}, "36.1 GiB"),
        (1, {"kv_cache_memory_bytes": 60 * GIB}, "60.0 GiB"),
        (0, {"kv_cache_memory_bytes": 9 * GIB + (3 << 28)}, "9.8 GiB"),
        (2, {"kv_cache_memory_bytes": 12 * GIB}, "12.0 GiB"),
        (2, {"max_model_len": 1_048_576}, "12.0 GiB"),
    ],
)
def test_a_cache_that_has_no_room_beside_the_weights_is_named(
    models: Path, tmp_path: Path, stage_id: int, keys: dict[str, int], least: str
) -> None:
    write_full_size(models / AURA)
    (fault,) = faults(changed(tmp_path, stage_id, "engine_args", **keys), models, H100)
    assert fault.startswith(f"stage {stage_id}: `gpu_memory_utilization` 0.")
    assert fault.endswith(f", the cache at least {least}")


@pytest.mark.parametrize(
    ("kind", "dtype", "size"), [("F32", "bfloat16", 20), ("BF16", "float32", 40), ("I32", "bfloat16", 40)]
)
def test_numbers_are_counted_as_they_are_loaded(tmp_path: Path, kind: str, dtype: str, size: int) -> None:
    write_weights(tmp_path, {"one": (2, 5)}, kind)
    assert weight_bytes(tmp_path, dtype) == size


@pytest.mark.parametrize("stage_id", [2, 3])
def test_a_stage_that_computes_on_one_gpu_is_given_no_more(tmp_path: Path, stage_id: int) -> None:
    name = ("asr", "aura", "qwen3_tts", "code2wav")[stage_id]
    wanted = f"stage {stage_id}: runtime: `devices` is '0,1': {name} computes on one GPU"
    assert wanted in faults(changed(tmp_path, stage_id, "runtime", devices="0,1"), None)


def test_the_embedded_models_are_looked_for_too(tmp_path: Path) -> None:
    file = PROFILES["embedded"].deployment
    assert len(faults(file, tmp_path, profile="embedded")) == 4, "two, and what would take their places"
    for name, files in (("whisper-base", WHISPER_FILES), ("smollm2-135m-instruct", LLAMA_FILES)):
        (tmp_path / name).mkdir()
        for each in files:
            (tmp_path / name / each).touch()
    assert NO_GPU not in check(file, tmp_path, profile="embedded")
