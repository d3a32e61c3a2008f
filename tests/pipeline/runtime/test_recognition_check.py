"""What `aura-pipeline check` finds out about the models of the eyes, without opening one."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.deployment.loading import read_deployment
from pipeline.engines.embedded_models import CLASSIFIER_FILES, DETECTOR_FILES, NO_MODEL, TEXT_READER_FILES
from pipeline.errors import ConfigError
from pipeline.runtime.profiles import PROFILES
from tests.pipeline.engines.model_file_bytes import write_files

FILES: Mapping[str, tuple[str, ...]] = {
    "yolox-nano": DETECTOR_FILES,
    "efficientnet-lite3": CLASSIFIER_FILES,
    "pp-ocrv6-small": TEXT_READER_FILES,
}
SHIPPED = PROFILES["embedded"]


@pytest.fixture
def models(tmp_path: Path) -> Path:
    for name, files in FILES.items():
        write_files(tmp_path / name, files)
    return tmp_path


def check(models: Path, **args: Any) -> None:
    deployment = read_deployment(SHIPPED.deployment, SHIPPED.topology, SHIPPED.engine_keys(models))
    spec = next(each for each in SHIPPED.topology.stages if each.model_arch == "ImageRecognition")
    stage = deployment.stage(spec.stage_id)
    SHIPPED.engines["ImageRecognition"].check(replace(stage, engine_args={**stage.engine_args, **args}), models)


def test_models_that_are_there_are_fine(models: Path) -> None:
    check(models)


@pytest.mark.parametrize(("name", "file"), [(name, file) for name, files in FILES.items() for file in files])
def test_a_file_that_is_missing_is_named_with_its_model_and_who_fetches_it(models: Path, name: str, file: str) -> None:
    (models / name / file).unlink()
    with pytest.raises(ConfigError, match=rf"{name}: {file} missing \(infra/up fetches it\)"):
        check(models)


@pytest.mark.parametrize(("name", "file"), [(name, file) for name, files in FILES.items() for file in files])
def test_a_file_that_is_cut_short_is_named(models: Path, name: str, file: str) -> None:
    whole = (models / name / file).read_bytes()
    (models / name / file).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ConfigError, match=rf"{name}: {file} is cut short or damaged: .* \(infra/up fetches it again"):
        check(models)


def test_who_reads_nothing_needs_no_reader(models: Path) -> None:
    for file in TEXT_READER_FILES:
        (models / "pp-ocrv6-small" / file).unlink()
    check(models, reader=NO_MODEL)


def test_models_that_somebody_has_put_there_may_be_named(models: Path) -> None:
    (models / "pp-ocrv6-small").rename(models / "my-reader")
    (models / "efficientnet-lite3").rename(models / "my-classifier")
    names = SHIPPED.engines["ImageRecognition"].names(models)
    assert {"my-reader", NO_MODEL, "pp-ocrv6-small"} == set(names["reader"])
    assert "my-classifier" in names["classifier"]
    check(models, reader="my-reader", classifier="my-classifier")
