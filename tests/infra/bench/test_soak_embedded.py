"""An embedded soak serves the shipped profile, names the model that answers, and finds the process that writes."""

import importlib.util
from pathlib import Path

import pytest

from infra.bench.base.process_tree import LiveProcess
from infra.bench.soak.cli import asked_for
from infra.bench.soak.embedded import WRITER, embedded_command, language_model, writers
from pipeline.errors import ConfigError


def test_the_shipped_profile_is_served_with_places_for_callers_who_come_again(tmp_path: Path) -> None:
    for callers, places in ((1, "4"), (2, "4"), (3, "6")):
        _, *command = embedded_command(tmp_path, 8100, callers)
        assert command == [
            *("-m", "pipeline.cli.main", "serve", "--profile", "embedded", "--port", "8100"),
            *("--model-dir", str(tmp_path), "--max-sessions", places),
        ]


def test_the_model_that_answers_is_the_profiles_own_or_takes_its_place(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        language_model(tmp_path)
    for name in ("smollm2-135m-instruct", "qwen2.5-coder-1.5b-instruct"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.gguf").touch()
        assert language_model(tmp_path) == name


def test_the_process_that_writes_is_found_by_its_module() -> None:
    assert importlib.util.find_spec(WRITER)
    family = [
        LiveProcess(1, 0, 0, "python -m pipeline.cli.main serve"),
        LiveProcess(2, 1, 1, f"python -m {WRITER} "),
        LiveProcess(3, 1, 1, "python -m pipeline.engines.image_recognition.child"),
    ]
    assert writers(family) == [2]


def test_two_callers_soak_real_models_and_nothing_fails_unless_asked_for() -> None:
    embedded, scripted = asked_for(["--embedded"]), asked_for([])
    assert (embedded.callers, embedded.minutes, embedded.fault_minutes) == (2, 30, 0)
    assert (scripted.callers, scripted.minutes, scripted.fault_minutes) == (8, 30, 30)
    faults = asked_for(["--embedded", "--callers", "1", "--fault-minutes", "4"])
    assert (faults.callers, faults.fault_minutes) == (1, 4)
