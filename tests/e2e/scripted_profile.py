"""A profile as a package brings it, whose engines are scripted: `infra/up --profile scripted` costs next to nothing."""

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.deployment.loading import StageDeployment
from pipeline.engines.base import Engine
from pipeline.engines.fake import FakeEngine, hears, speaks, writes
from pipeline.runtime.checks.gpu_fit import GpuMemory
from pipeline.runtime.engine_registry import EngineKind
from pipeline.runtime.profiles import EMBEDDED, PROFILES, Profile
from tests.e2e.stack import ROOT

NAME = "scripted"
ENGINES: Mapping[str, FakeEngine[Any, Any]] = {
    "WhisperForConditionalGeneration": hears("What is the capital of France?", pass_s=0.02),
    "ImageRecognition": FakeEngine(lambda prompt: ()),  # nobody shows anything
    "Qwen2ForCausalLM": writes("It is Paris.", first_s=0.05, word_s=0.02),
    "HibariTTS": speaks(200),
}


def packaged(folder: Path) -> dict[str, str]:
    """What the environment has to say so that the profile is found, as that of a package that was installed there."""
    info = folder / f"{NAME}-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[aura.pipelines]\n{NAME} = {__name__}:SCRIPTED\n")
    return {"PYTHONPATH": os.pathsep.join((str(folder), str(ROOT)))}


async def _open(arch: str, stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    return ENGINES[arch]


def _check(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    return GpuMemory()


def _scripted(arch: str, kind: EngineKind) -> EngineKind:
    return replace(kind, open=partial(_open, arch), check=_check)


def _profile(shipped: Profile) -> Profile:
    return replace(shipped, engines={arch: _scripted(arch, kind) for arch, kind in shipped.engines.items()}, needs=())


SCRIPTED = _profile(PROFILES[EMBEDDED])
