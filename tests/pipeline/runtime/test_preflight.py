"""`aura-pipeline check` says what a person would otherwise learn from `serve`, all of it at once."""

import json
import shutil
import subprocess
import sys
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest
import yaml

from pipeline.deployment.schema import PLACE_KEYS
from pipeline.engines.aura.setup import STEP_TOKENS
from pipeline.engines.embedded_models import LLAMA_FILES, WHISPER_FILES
from pipeline.runtime.checks.preflight import NO_GPU, NO_MODELS
from pipeline.runtime.profiles import PROFILES
from tests.contract.vllm.tiny import voice
from tests.pipeline.engines.model_file_bytes import write_files
from tests.pipeline.runtime.checkpoints import ASR, AURA, VOICE, as_transformers_5_writes, write_all
from tests.pipeline.runtime.shipped import H100, SHIPPED, changed, check, faults

COUNTS = """
import sys
from pathlib import Path
from tests.pipeline.runtime.shipped import SHIPPED, check
models = sys.argv[1]
sys.addaudithook(lambda event, told: event == "open" and str(told[0]).startswith(models) and print(told[0]))
check(SHIPPED, Path(models))
"""  # safetensors opens its files unseen


@pytest.fixture
def models(tmp_path: Path) -> Path:
    write_all(tmp_path / "models")
    return tmp_path / "models"


def embedded(folder: Path, stage_id: int, **keys: object) -> Path:
    """The embedded profile's file, in which a stage says something else."""
    raw = yaml.safe_load(PROFILES["embedded"].deployment.read_text())
    raw["stage_args"][stage_id]["engine_args"] |= keys
    path = folder / "embedded.yaml"
    path.write_text(yaml.safe_dump(raw))
    return path


def changed_config(folder: Path, place: str, value: object) -> Path:
    path = folder / "config.json"
    config = json.loads(path.read_text())
    *outer, key = place.split(".")
    reduce(getitem, outer, config)[key] = value
    path.write_text(json.dumps(config))
    return path


def test_what_could_not_be_looked_at_is_noted(models: Path) -> None:
    assert check(SHIPPED, models)[-1] == NO_GPU
    assert check(SHIPPED, None)[-2:] == [NO_MODELS, NO_GPU]
    assert check(SHIPPED, models, H100)[-1] == "in all: 93 % of GPU 0 (74.4 of 80 GiB)"


def test_every_model_that_is_not_there_is_named_at_once(tmp_path: Path) -> None:
    voice_folder = tmp_path / VOICE
    assert faults(SHIPPED, tmp_path) == [
        f"stage 0: {tmp_path}/{ASR}: there is no such folder",
        f"stage 1: {tmp_path}/{AURA}: there is no such folder",
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
        f"stage 0: {models}/{ASR}: `vocab.json` is missing",
        f"stage 1: {models}/{AURA}/config.json: `model_type` is 'qwen3_asr', not `qwen3_vl`",
        f"stage 2: {models}/{VOICE}: `merges.txt` is missing",
        f"stage 3: {models}/{VOICE}/speech_tokenizer/config.json: `model_type` is 'mimi', not "
        "`qwen3_tts_tokenizer_12hz`",
    ]


@pytest.mark.parametrize(
    ("stage_id", "key", "value", "fault"),
    [
        (0, "language", "klingon", "`language` is 'klingon', not one of Cantonese, Chinese, English, German or `auto`"),
        (0, "max_model_len", 1, "`max_model_len` is 1, at least 878 is needed"),
        (1, "max_model_len", 512, "`max_model_len` is 512, at least 45781 is needed"),
        (2, "max_model_len", 1, "`max_model_len` is 1, at least 506 is needed"),
        (0, "max_model_len", 65_537, "`max_model_len` is 65537, and the checkpoint has 65536 positions"),
        (1, "max_model_len", 262_145, "`max_model_len` is 262145, and the checkpoint has 262144 positions"),
        (2, "max_model_len", 32_769, "`max_model_len` is 32769, and the checkpoint has 32768 positions"),
        (2, "voice", "bob", "unknown voice `bob`; this checkpoint has eric, vivian"),
    ],
)
def test_what_a_checkpoint_lacks_is_named(
    models: Path, tmp_path: Path, stage_id: int, key: str, value: object, fault: str
) -> None:
    assert faults(changed(tmp_path, stage_id, "engine_args", **{key: value}), models) == [f"stage {stage_id}: {fault}"]


def test_all_that_is_wrong_with_one_model_is_named_at_once(models: Path, tmp_path: Path) -> None:
    for name in (ASR, AURA, VOICE):
        (models / name / "model.safetensors").write_bytes(b"no weights")
    vad = faults(changed(tmp_path, 0, "engine_args", language="klingon", max_model_len=65_537), models)
    weights, language, positions = vad[:3]
    assert weights.startswith(f"stage 0: {models}/{ASR}/model.safetensors: cannot be read: ")
    assert language.startswith("stage 0: `language` is 'klingon', not one of ")
    assert positions == "stage 0: `max_model_len` is 65537, and the checkpoint has 65536 positions"
    assert [line[:8] for line in vad[3:]] == ["stage 1:", "stage 2:"], "the weights of the others"
    mouth = faults(changed(tmp_path, 2, "engine_args", voice="bob", max_model_len=1), models)
    assert mouth[2] == "stage 2: `max_model_len` is 1, at least 506 is needed"
    assert mouth[4] == "stage 2: unknown voice `bob`; this checkpoint has eric, vivian"
    assert len(mouth) == 5


@pytest.mark.parametrize(("stage_id", "folder", "media"), [(0, ASR, 1), (1, AURA, 2), (2, VOICE, 0)])
def test_a_damaged_configuration_hides_no_other_fault(
    models: Path, tmp_path: Path, stage_id: int, folder: str, media: int
) -> None:
    files = ("config.json", "preprocessor_config.json", "video_preprocessor_config.json", "generation_config.json")
    damaged = [models / folder / file for file in (files[0], *files[1 : 1 + media], files[3], "merges.txt")]
    for path in damaged:
        path.write_text("{")
    weights = models / folder / "model.safetensors"
    weights.write_bytes(b"no weights")
    told = faults(changed(tmp_path, stage_id, "engine_args", max_model_len=1), models)
    assert told[0].startswith(f"stage {stage_id}: `max_model_len` is 1, at least ")
    assert sorted(line.split(": ")[1] for line in told[1:]) == sorted(map(str, (*damaged, weights)))


@pytest.mark.parametrize(("stage_id", "folder"), [(0, ASR), (1, AURA), (2, VOICE)])
def test_all_files_that_are_missing_are_named(models: Path, stage_id: int, folder: str) -> None:
    missing = [*("config.json", "vocab.json", "merges.txt", "tokenizer_config.json"), "preprocessor_config.json"]
    missing = [name for name in missing if (models / folder / name).is_file()]
    for name in missing:
        (models / folder / name).unlink()
    told = faults(SHIPPED, models)
    assert sorted(told[: len(missing)]) == sorted(
        f"stage {stage_id}: {models / folder}: `{name}` is missing" for name in missing
    )


def test_checkpoints_that_transformers_5_wrote_are_taken(models: Path) -> None:
    for folder in (ASR, AURA, VOICE):
        as_transformers_5_writes(models / folder)
        assert not list((models / folder).glob("vocab.json")) and not list((models / folder).glob("*preprocessor*"))
    assert check(SHIPPED, models)


@pytest.mark.parametrize(
    ("stage_id", "folder", "part", "key", "fault"),
    [
        (0, ASR, "feature_extractor", "hop_length", "it asks for another spectrum: "),
        (1, AURA, "image_processor", "patch_size", "`image_processor.patch_size` is 80, not that of `vision_config."),
        (1, AURA, "video_processor", "merge_size", "`video_processor.merge_size` is 80, not that of `vision_config."),
    ],
)
def test_what_transformers_5_wrote_of_media_is_held_against_the_model(
    models: Path, stage_id: int, folder: str, part: str, key: str, fault: str
) -> None:
    as_transformers_5_writes(models / folder)
    path = models / folder / "processor_config.json"
    parts = json.loads(path.read_text())
    parts[part][key] = 80
    path.write_text(json.dumps(parts))
    (told,) = faults(SHIPPED, models)
    assert told.startswith(f"stage {stage_id}: {path}: {fault}")


@pytest.mark.parametrize(("stage_id", "folder", "stops"), [(0, ASR, "[282, 284]"), (1, AURA, "[282, 284, 289]")])
def test_stops_are_found_in_what_transformers_5_wrote(
    models: Path, tmp_path: Path, stage_id: int, folder: str, stops: str
) -> None:
    as_transformers_5_writes(models / folder)
    file = changed(tmp_path, stage_id, "default_sampling_params", stop_token_ids=[99_999])
    assert faults(file, models) == [f"stage {stage_id}: `stop_token_ids` are [99999], but the checkpoint's are {stops}"]


def test_a_voice_with_other_stops_than_the_topologys_is_refused(models: Path) -> None:
    config = voice("custom_voice")
    config["talker_config"]["codec_eos_token_id"] = 2_151
    (models / VOICE / "config.json").write_text(json.dumps(config))
    assert faults(SHIPPED, models) == ["stage 2: `stop_token_ids` are [2150], but the checkpoint's are [2151]"]


@pytest.mark.parametrize(
    ("stage_id", "folder", "place", "value"),
    [
        (0, ASR, "thinker_config.text_config.num_hidden_layers", 10**30),
        (0, ASR, "thinker_config.audio_config.encoder_layers", 0),
        (1, AURA, "vision_config.depth", 10**9),
        (1, AURA, "text_config.num_hidden_layers", "x"),
        (2, VOICE, "talker_config.code_predictor_config.num_code_groups", -1),
        (2, VOICE, "talker_config.num_hidden_layers", [3]),
    ],
)
def test_a_number_of_layers_that_cannot_be_is_named(
    models: Path, stage_id: int, folder: str, place: str, value: object
) -> None:
    path = changed_config(models / folder, place, value)
    (fault,) = faults(SHIPPED, models)
    assert fault.startswith(f"stage {stage_id}: {path}: `{place}` is ")


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


@pytest.mark.parametrize("stage_id", [0, 1, 2])
@pytest.mark.parametrize(("file", "text"), [("vocab.json", "{}"), ("merges.txt", ""), ("merges.txt", "abc")])
def test_a_tokenizer_that_is_empty_or_no_tokenizer_is_named_with_its_file(
    models: Path, stage_id: int, file: str, text: str
) -> None:
    path = models / (ASR, AURA, VOICE)[stage_id] / file
    path.write_text(text)
    (fault,) = faults(SHIPPED, models)
    assert fault.startswith(f"stage {stage_id}: {path}: ")


SHARES = "rope_scaling.mrope_section"


@pytest.mark.parametrize(
    ("shares", "fault"),
    [
        ([6, 5, 4], "[6, 5, 4], in all 15, and not half of `{}head_dim`, 16"),
        ([6, 10], "[6, 10], not 3 whole numbers of at least 1"),
        ([4, 4, 4, 4], "[4, 4, 4, 4], not 3 whole numbers of at least 1"),
        ([-6, 11, 11], "[-6, 11, 11], not 3 whole numbers of at least 1"),
        ([True, 10, 5], "[True, 10, 5], not 3 whole numbers of at least 1"),
        ("6, 5, 5", "'6, 5, 5', not 3 whole numbers of at least 1"),
    ],
)
@pytest.mark.parametrize(
    ("stage_id", "folder", "part"), [(0, ASR, "thinker_config.text_config."), (1, AURA, "text_config.")]
)
def test_a_head_whose_shares_are_not_its_half_is_named(
    models: Path, stage_id: int, folder: str, part: str, shares: object, fault: str
) -> None:
    path = changed_config(models / folder, f"{part}{SHARES}", shares)
    assert faults(SHIPPED, models) == [f"stage {stage_id}: {path}: `{part}{SHARES}` is {fault.format(part)}"]


def test_only_aura_needs_shares_and_a_newer_configuration_has_them_elsewhere(models: Path) -> None:
    changed_config(models / ASR, "thinker_config.text_config.rope_scaling", None)
    path = changed_config(models / AURA, "text_config.rope_scaling", None)
    assert faults(SHIPPED, models) == [
        f"stage 1: {path}: `text_config.{SHARES}` is None, not 3 whole numbers of at least 1"
    ]
    changed_config(models / AURA, "text_config.rope_parameters", {"mrope_section": [6, 5, 5]})
    assert check(SHIPPED, models)
    changed_config(models / AURA, "text_config.rope_parameters", {"mrope_section": [6, 5]})
    (fault,) = faults(SHIPPED, models)
    assert "`text_config.rope_parameters.mrope_section` is [6, 5], " in fault


@pytest.mark.parametrize(
    ("stage_id", "folder", "place", "value", "said"),
    [
        (1, AURA, "vision_config.deepstack_visual_indexes", [0, 99], "[0, 99], not blocks of 0 to 2, each once"),
        (1, AURA, "vision_config.deepstack_visual_indexes", [0, -1], "[0, -1], not blocks of 0 to 2, each once"),
        (1, AURA, "vision_config.deepstack_visual_indexes", [0, 0], "[0, 0], not blocks of 0 to 2, each once"),
        (1, AURA, "vision_config.num_heads", 3, "3, which does not divide `vision_config.hidden_size`, 64"),
        (1, AURA, "vision_config.num_heads", 0, "0"),
        (1, AURA, "vision_config.out_hidden_size", 32, "32, not that of `text_config.hidden_size`, 64"),
        (
            *(0, ASR, "thinker_config.audio_config.encoder_attention_heads", 5),
            "5, which does not divide `thinker_config.audio_config.d_model`, 32",
        ),
        (
            *(0, ASR, "thinker_config.audio_config.output_dim", 64),
            "64, not that of `thinker_config.text_config.hidden_size`, 32",
        ),
    ],
)
def test_sizes_that_do_not_agree_are_named(
    models: Path, stage_id: int, folder: str, place: str, value: object, said: str
) -> None:
    path = changed_config(models / folder, place, value)
    assert faults(SHIPPED, models) == [f"stage {stage_id}: {path}: `{place}` is {said}"]


def test_sizes_that_are_left_to_a_default_agree(models: Path) -> None:
    for folder, place, keys in (
        (AURA, "vision_config", ("num_heads", "out_hidden_size")),
        (ASR, "thinker_config.audio_config", ("encoder_attention_heads", "output_dim")),
    ):
        path = models / folder / "config.json"
        config = json.loads(path.read_text())
        told = reduce(getitem, place.split("."), config)
        for key in keys:
            del told[key]
        path.write_text(json.dumps(config))
    assert check(SHIPPED, models)


@pytest.mark.parametrize(
    ("stage_id", "folder", "file"),
    [
        *((0, ASR, f"{name}.json") for name in ("preprocessor_config", "generation_config", "chat_template")),
        *((1, AURA, f"{name}.json") for name in ("preprocessor_config", "generation_config", "chat_template")),
        (1, AURA, "video_preprocessor_config.json"),
        (2, VOICE, "generation_config.json"),
    ],
)
def test_a_file_of_a_checkpoint_that_is_damaged_is_named(models: Path, stage_id: int, folder: str, file: str) -> None:
    path = models / folder / file
    path.write_text("{")
    (fault,) = faults(SHIPPED, models)
    assert fault.startswith(f"stage {stage_id}: {path}: cannot be read: ")


def test_files_that_a_checkpoint_need_not_have_are_not_missed(models: Path) -> None:
    for folder in (ASR, AURA):
        for file in ("generation_config.json", "chat_template.json"):
            (models / folder / file).unlink()
    assert check(SHIPPED, models)


@pytest.mark.parametrize("file", ["preprocessor_config.json", "video_preprocessor_config.json"])
@pytest.mark.parametrize(
    ("key", "value", "other", "size"),
    [
        ("patch_size", 14, "patch_size", 16),
        ("merge_size", 4, "spatial_merge_size", 2),
        ("temporal_patch_size", 1, "temporal_patch_size", 2),
    ],
)
def test_patches_are_those_of_the_model(models: Path, file: str, key: str, value: int, other: str, size: int) -> None:
    path = models / AURA / file
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    assert faults(SHIPPED, models) == [
        f"stage 1: {path}: `{key}` is {value}, not that of `vision_config.{other}`, {size}"
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{}", "Object missing required field `model`"),
        ('{"model": {}}', "Object missing required field `vocab` - at `$.model`"),
    ],
)
def test_one_fault_of_a_tokenizer_is_told_once(models: Path, text: str, fault: str) -> None:
    path = models / AURA / "tokenizer.json"
    path.write_text(text)
    assert faults(SHIPPED, models) == [f"stage 1: {path}: cannot be read: {fault}"]


@pytest.mark.parametrize("stage_id", [2, 3])
def test_a_stage_that_computes_on_one_gpu_is_given_no_more(tmp_path: Path, stage_id: int) -> None:
    name = ("asr", "aura", "qwen3_tts", "code2wav")[stage_id]
    wanted = f"stage {stage_id}: runtime: `devices` is '0,1': {name} computes on one GPU"
    assert wanted in faults(changed(tmp_path, stage_id, "runtime", devices="0,1"), None)


def test_a_step_may_be_longer_than_all_that_is_asked_at_once(tmp_path: Path) -> None:
    assert check(changed(tmp_path, 0, "engine_args", max_num_batched_tokens=131_072, max_model_len=4_096), None)


def test_a_number_that_no_engine_could_use_is_refused_with_its_bound(tmp_path: Path) -> None:
    said = "stage {}: engine_args: `{}` is 1000000000: it lies between 1 and {}"
    assert faults(changed(tmp_path, 3, "engine_args", threads=10**9), None) == [said.format(3, "threads", 512)]
    file = tmp_path / "embedded.yaml"
    raw = yaml.safe_load(PROFILES["embedded"].deployment.read_text())
    for stage_id, keys in ((0, ("threads",)), (2, ("threads", "prompt_threads", "context"))):
        raw["stage_args"][stage_id]["engine_args"] |= dict.fromkeys(keys, 10**9)
    file.write_text(yaml.safe_dump(raw))
    told = (0, "threads", 512), (2, "threads", 512), (2, "prompt_threads", 512)
    context = "stage 2: engine_args: `context` is 1000000000: it lies between 2112 and 32768"
    wanted = [*(said.format(*each) for each in told), context]
    assert sorted(faults(file, None, profile="embedded")) == sorted(wanted)


@pytest.mark.parametrize("context", [1, 300, 2_111])
def test_less_context_than_is_promised_to_callers_is_refused(tmp_path: Path, context: int) -> None:
    file = embedded(tmp_path, 2, context=context)
    (fault,) = faults(file, None, profile="embedded")
    assert fault.startswith(f"stage 2: engine_args: `context` is {context}: at least 2112 is needed")
    assert check(embedded(tmp_path, 2, context=2_112), None, profile="embedded")


def test_instructions_that_no_caller_could_send_are_refused(tmp_path: Path) -> None:
    fits, longer = "a" * 780, "a" * 781
    assert check(embedded(tmp_path, 2, instructions=[fits]), None, profile="embedded")
    (fault,) = faults(embedded(tmp_path, 2, instructions=[fits, longer]), None, profile="embedded")
    assert fault.startswith("stage 2: engine_args: `instructions` is ['aaa")
    assert fault.endswith(": no caller could send 781 letters")


@pytest.mark.parametrize(
    ("tools", "wrong"),
    [
        ([{"name": "wave"}], "Expected `array`, got `object` - at `$[0]`"),
        ([[{"names": "wave"}]], "at `$[0][0]`"),
        (
            [[], [{"name": "wave", "parameters": {"type": "string"}}]],
            "`parameters` of wave of caller 1: it must",
        ),
        ([[{"name": "wave", "description": "w" * 2_760}]], "caller 0: about 7"),
        ([[{"name": "wave to"}]], "`name` of wave to of caller 0: it is not 1 to 64"),
    ],
)
def test_functions_that_no_caller_could_offer_are_refused(tmp_path: Path, tools: list[object], wrong: str) -> None:
    (fault,) = faults(embedded(tmp_path, 2, tools=tools), None, profile="embedded")
    assert fault.startswith("stage 2: engine_args: `tools` is [")
    assert wrong in fault


def test_as_many_requests_are_computed_at_once_as_a_step_of_auras_has_tokens() -> None:
    refusal = PLACE_KEYS["max_batch_size"].refusal
    assert (refusal(STEP_TOKENS), refusal(STEP_TOKENS + 1)) == ("", "it lies between 1 and 1024")


def test_the_embedded_models_are_looked_for_too(tmp_path: Path) -> None:
    file = PROFILES["embedded"].deployment
    assert len(faults(file, tmp_path, profile="embedded")) == 4, "two, and what would take their places"
    for name, files in (("whisper-base", WHISPER_FILES), ("smollm2-135m-instruct", LLAMA_FILES)):
        write_files(tmp_path / name, files)
    assert NO_GPU not in check(file, tmp_path, profile="embedded")


def test_no_file_of_a_checkpoint_is_read_twice(models: Path) -> None:
    said = subprocess.run([sys.executable, "-c", COUNTS, models], capture_output=True, text=True, check=True).stdout
    opened = [Path(line) for line in said.splitlines()]
    named = {(each.parent.name, each.name) for each in opened}
    assert {(ASR, "merges.txt"), (AURA, "config.json"), (VOICE, "vocab.json")} <= named
    assert len(opened) == len(set(opened))
