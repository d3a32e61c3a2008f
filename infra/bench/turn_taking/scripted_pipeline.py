"""The embedded pipeline with its own recogniser and voice, and a script in place of what thinks and sees.

    python -m infra.bench.turn_taking.scripted_pipeline PORT MODELS

Whatever it is asked it tells the story of `story.py`. Its key stands in `AURA_PIPELINE_KEY`.
"""

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from infra.bench.turn_taking.story import STORY
from pipeline.cli.main import ServeSettings, serve
from pipeline.deployment.loading import StageDeployment, read_deployment
from pipeline.engines.base import Engine
from pipeline.engines.fake import FakeEngine, writes
from pipeline.runtime.engine_registry import Opener
from pipeline.runtime.gpu_fit import GpuMemory
from pipeline.runtime.profiles import EMBEDDED, PROFILES

SCRIPTED: Mapping[str, Engine[Any, Any]] = {
    "ImageRecognition": FakeEngine(lambda prompt: ()),  # nobody shows anything
    "Qwen2ForCausalLM": writes(STORY, first_s=0.1),
}


def _opens(engine: Engine[Any, Any]) -> Opener:
    async def opened(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
        return engine

    return opened


def _is_there(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    return GpuMemory()


def main(port: int, models: Path, key: str) -> None:
    shipped = PROFILES[EMBEDDED]
    engines = {
        arch: replace(kind, open=_opens(SCRIPTED[arch]), check=_is_there) if arch in SCRIPTED else kind
        for arch, kind in shipped.engines.items()
    }
    profile = replace(shipped, engines=engines)
    deployment = read_deployment(profile.deployment, profile.topology, shipped.engine_keys(models))
    asyncio.run(serve(ServeSettings(profile, profile.deployment, deployment, models, "127.0.0.1", port, key)))


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), os.environ["AURA_PIPELINE_KEY"])
