"""Deployment files: typed, strict, and every error at once."""

from pathlib import Path

import pytest

from pipeline.deployment import Keys, read_deployment
from pipeline.errors import ConfigError
from pipeline.topology import PipelineConfig
from tests.scenario import ASR, AURA, TTS

ENGINE_KEYS: dict[str, Keys] = {"Scripted": {"model": str, "threads": int}}
TOPOLOGY = PipelineConfig("scripted", "Scripted", (ASR, AURA, TTS))


def written(folder: Path, text: str) -> Path:
    path = folder / "deployment.yaml"
    path.write_text(text)
    return path


def faults(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        read_deployment(written(folder, text), TOPOLOGY, ENGINE_KEYS)
    return refused.value.faults


def test_a_deployment_says_what_each_engine_is_told(tmp_path: Path) -> None:
    text = (
        "max_sessions: 3\nstage_args:\n  - {stage_id: 1, engine_args: {model_stage: aura, model: small, threads: 2}}\n"
    )
    deployment = read_deployment(written(tmp_path, text), TOPOLOGY, ENGINE_KEYS)
    assert deployment.max_sessions == 3
    assert deployment.engine_args(1) == {"model": "small", "threads": 2}
    assert deployment.engine_args(2) == {}


def test_every_error_is_listed_at_once(tmp_path: Path) -> None:
    text = """
max_session: 3
stage_args:
  - {stage_id: 1, engine_args: {thread: 2, model: 7}}
  - {stage_id: 1, runtimes: {}}
  - {stage_id: 9}
  - {engine_args: {}}
"""
    assert faults(tmp_path, text) == [
        "unknown key `max_session` (did you mean `max_sessions`?)",
        "`max_sessions` is needed, a whole number of at least 1",
        "stage 1: engine_args: unknown key `thread` (did you mean `threads`?)",
        "stage 1: engine_args: `model` is 7, not a text",
        "stage 1: configured twice",
        "stage 1: unknown key `runtimes` (known: stage_id, engine_args)",
        "stage 9: scripted has no such stage",
        "stage_args[3]: `stage_id` is needed, a whole number",
    ]


def test_a_key_of_the_topology_must_agree_with_it(tmp_path: Path) -> None:
    text = "max_sessions: 1\nstage_args: [{stage_id: 2, engine_args: {model_stage: talker}}]"
    assert faults(tmp_path, text) == ["stage 2: `model_stage` is 'talker', but the topology says 'tts'"]


@pytest.mark.parametrize("text", ["", "- 1", "max_sessions: [", "max_sessions: yes", "max_sessions: 0"])
def test_a_file_that_is_no_deployment_is_refused(tmp_path: Path, text: str) -> None:
    assert len(faults(tmp_path, text)) >= 1


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.yaml: cannot be read"):
        read_deployment(tmp_path / "nowhere.yaml", TOPOLOGY, ENGINE_KEYS)


def test_numbers_of_an_engine_are_at_least_one(tmp_path: Path) -> None:
    text = "max_sessions: 3\nstage_args:\n  - stage_id: 1\n    engine_args: {threads: 0}\n"
    with pytest.raises(ConfigError, match="stage 1: engine_args: `threads` is 0, at least 1 is needed"):
        read_deployment(written(tmp_path, text), TOPOLOGY, ENGINE_KEYS)


def test_names_that_do_not_exist_are_listed_with_those_that_do(tmp_path: Path) -> None:
    text = """
max_sessions: 3
stage_args:
  - {stage_id: 0, engine_args: {model: larg}}
  - {stage_id: 1, engine_args: {model: gigantic, thread: 1}}
  - {stage_id: 2, engine_args: {model: small}}
"""
    names = {"Scripted": {"model": ("small", "large")}}
    with pytest.raises(ConfigError) as refused:
        read_deployment(written(tmp_path, text), TOPOLOGY, ENGINE_KEYS, names)
    assert refused.value.faults == [
        "stage 0: engine_args: `model` is 'larg', which is not known (did you mean `large`?)",
        "stage 1: engine_args: unknown key `thread` (did you mean `threads`?)",
        "stage 1: engine_args: `model` is 'gigantic', which is not known (known: small, large)",
    ]


def test_a_number_that_is_none_is_told_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        read_deployment(written(tmp_path, "max_sessions: many"), TOPOLOGY, ENGINE_KEYS)
    assert str(refused.value).count("max_sessions") == 1
