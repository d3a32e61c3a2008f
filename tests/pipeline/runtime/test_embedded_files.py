"""What `aura-pipeline check` says of files of the embedded profile that are there and are rubbish."""

from pathlib import Path

import pytest

from pipeline.engines.embedded_models import DETECTOR_FILES, LLAMA_FILES, WHISPER_FILES
from pipeline.runtime.checks.preflight import WITHOUT
from pipeline.runtime.profiles import PROFILES
from tests.pipeline.engines.model_file_bytes import write_files
from tests.pipeline.runtime.shipped import check, faults


@pytest.mark.parametrize(
    ("stage", "name", "file", "fault"),
    [
        (0, "whisper-base", "model.bin", "is no model of Whisper for CTranslate2"),
        (0, "whisper-base", "tokenizer.json", "cannot be read: JSON is malformed"),
        (2, "smollm2-135m-instruct", "model.gguf", "is no GGUF file of version 2 or 3"),
    ],
)
def test_a_file_of_an_embedded_model_that_is_rubbish_is_named_with_what_to_do(
    tmp_path: Path, stage: int, name: str, file: str, fault: str
) -> None:
    write_files(tmp_path / "whisper-base", WHISPER_FILES)
    write_files(tmp_path / "whisper-tiny.en", WHISPER_FILES)
    write_files(tmp_path / "smollm2-135m-instruct", LLAMA_FILES)
    (tmp_path / name / file).write_bytes(b"hello")
    (told,) = faults(PROFILES["embedded"].deployment, tmp_path, profile="embedded")
    assert told.startswith(f"stage {stage}: {tmp_path}: {name}: {file} {fault}")
    assert told.endswith(" (infra/up fetches it again if it is one of AURA's; else put a whole one there)")


def test_a_folder_that_lacks_files_is_not_said_to_be_missing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_files(tmp_path / "whisper-base", LLAMA_FILES)
    write_files(tmp_path / "whisper-tiny.en", WHISPER_FILES)
    write_files(tmp_path / "smollm2-135m-instruct", LLAMA_FILES)
    check(PROFILES["embedded"].deployment, tmp_path, profile="embedded")
    assert [record.getMessage() for record in caplog.records] == [
        "model whisper-base: model.bin, config.json, tokenizer.json, vocabulary.txt missing: whisper-tiny.en takes its "
        "place",
        "model qwen2.5-coder-1.5b-instruct: there is no such folder: smollm2-135m-instruct takes its place",
    ]


def test_eyes_that_are_rubbish_are_noted_and_not_needed(tmp_path: Path) -> None:
    for name, files in (
        ("whisper-base", WHISPER_FILES),
        ("smollm2-135m-instruct", LLAMA_FILES),
        ("yolox-nano", DETECTOR_FILES),
    ):
        write_files(tmp_path / name, files)
    (tmp_path / "yolox-nano" / "model.onnx").write_bytes(b"junk")
    told = check(PROFILES["embedded"].deployment, tmp_path, profile="embedded")
    (note,) = (line for line in told if line.startswith(f"{WITHOUT} vision"))
    assert "yolox-nano: model.onnx is no ONNX model (infra/up fetches it again" in note
