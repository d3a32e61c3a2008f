"""How early answers begin in the pipelines that are shipped, and that a running one does as its deployment says."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.deployment.loading import Deployment, StageDeployment, read_deployment
from pipeline.deployment.schema import EngineKeys
from pipeline.engines.base import Engine
from pipeline.runtime.engine_registry import EngineKind
from pipeline.runtime.metrics import Metrics
from pipeline.runtime.orchestrator import running
from pipeline.runtime.profiles import DEPLOY, PROFILES, Profile
from pipeline.topology.config import PipelineConfig
from pipeline.types.events.input_events import EarlyAnswersEnded
from tests.scenario import ASR, AURA, TTS, Line, Loudness


@pytest.mark.parametrize("file", ["aura_24gb.yaml", "aura_2gpu.yaml", "aura_80gb.yaml"])
def test_answers_begin_early_on_gpus(file: str) -> None:
    profile = PROFILES["vllm"]
    assert read_deployment(DEPLOY / file, profile.topology, profile.engine_keys(DEPLOY)).early_answer_ms == 400


@pytest.mark.parametrize("name", ["embedded", "embedded-chat"])
def test_no_answer_begins_early_where_it_takes_the_cores_from_the_pass_that_would_confirm_it(name: str) -> None:
    profile = PROFILES[name]
    assert read_deployment(profile.deployment, profile.topology, profile.engine_keys(DEPLOY)).early_answer_ms == 0


@pytest.mark.parametrize("early_ms", [0, 400])
async def test_a_running_pipeline_begins_answers_as_early_as_its_deployment_says(early_ms: int) -> None:
    line = Line()
    engines: tuple[Engine[Any, Any], ...] = (line.asr, line.aura, line.tts)

    async def open_(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
        return engines[stage.stage_id]

    topology = PipelineConfig("scripted", "Scripted", (ASR, replace(AURA, model_arch="Writer"), TTS))
    kinds = {name: EngineKind(open_, EngineKeys()) for name in ("Scripted", "Writer")}
    profile = Profile(topology, Path("none"), kinds, lambda: Loudness)
    deployment = Deployment(1, tuple(StageDeployment(at) for at in range(3)), early_ms)
    async with running(profile, deployment, Path("none")) as pipeline:
        assert pipeline.stages.early_answer_ms == early_ms


def test_what_became_of_early_answers_is_counted() -> None:
    metrics = Metrics()
    for adopted, discarded in ((1, 0), (1, 3)):
        metrics.happened(EarlyAnswersEnded("item", adopted, discarded))
    page = metrics.page().decode()
    assert 'aura_early_answers_total{outcome="adopted"} 2.0' in page
    assert 'aura_early_answers_total{outcome="discarded"} 3.0' in page
