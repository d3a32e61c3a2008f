"""The embedded pipeline with its own recogniser and voice, and a script in place of what thinks and sees.

    python -m infra.bench.turn_taking.scripted_pipeline PORT MODELS ANSWER

Whatever it is asked it answers ANSWER. Its key stands in `AURA_PIPELINE_KEY`.
"""

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pipeline.cli.main import ServeSettings, serve
from pipeline.deployment.loading import StageDeployment, read_deployment
from pipeline.engines.base import Engine
from pipeline.engines.fake import FakeEngine, writes
from pipeline.runtime.checks.gpu_fit import GpuMemory
from pipeline.runtime.engine_registry import Opener
from pipeline.runtime.profiles import EMBEDDED, PROFILES


def scripted(answer: str) -> Mapping[str, Engine[Any, Any]]:
    return {
        "ImageRecognition": FakeEngine(lambda prompt: ()),  # nobody shows anything
        "Qwen2ForCausalLM": writes(answer, first_s=0.1),
    }


def _opens(engine: Engine[Any, Any]) -> Opener:
    async def opened(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
        return engine

    return opened


def _is_there(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    return GpuMemory()


def main(port: int, models: Path, answer: str, key: str) -> None:
    shipped, in_script = PROFILES[EMBEDDED], scripted(answer)
    engines = {
        arch: replace(kind, open=_opens(in_script[arch]), check=_is_there) if arch in in_script else kind
        for arch, kind in shipped.engines.items()
    }
    profile = replace(shipped, engines=engines)
    deployment = read_deployment(profile.deployment, profile.topology, shipped.engine_keys(models))
    asyncio.run(serve(ServeSettings(profile, profile.deployment, deployment, models, "127.0.0.1", port, key)))


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], os.environ["AURA_PIPELINE_KEY"])
