"""`aura-pipeline serve` with scripted engines: `python -m tests.contract.scripted_pipeline PORT`.

When it has ended it prints how many objects the garbage collector has been told to leave alone.
"""

import asyncio
import gc
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from pipeline.cli.main import SERVICE, ServeSettings, serve
from pipeline.deployment.loading import StageDeployment, read_deployment
from pipeline.engines.base import Engine
from pipeline.engines.fake import FakeEngine, hears, speaks, writes
from pipeline.runtime.checks.gpu_fit import GpuMemory
from pipeline.runtime.engine_registry import EngineKind, Opener
from pipeline.runtime.profiles import EMBEDDED, PROFILES
from pipeline.telemetry.span_export import exports_spans, span_export
from pipeline.types.chunks import ChatPrompt


def counted(chat: ChatPrompt) -> str:
    """As far as the person has asked."""
    return " ".join(f"Number {n}." for n in range(1, int(chat.messages[-1].text.split()[-1]) + 1))


ENGINES: dict[str, Engine[Any, Any]] = {
    "WhisperForConditionalGeneration": hears("Count to 6"),
    "ImageRecognition": FakeEngine(lambda prompt: ()),  # nobody shows anything
    "Qwen2ForCausalLM": writes(counted, word_s=0.05),
    "HibariTTS": speaks(),
}


def opens(engine: Engine[Any, Any]) -> Opener:
    async def open_(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
        return engine

    return open_


def is_there(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    return GpuMemory()


def scripted(arch: str, kind: EngineKind) -> EngineKind:
    return replace(kind, open=opens(ENGINES[arch]), check=is_there)


def main(port: int, key: str) -> None:
    shipped = PROFILES[EMBEDDED]
    profile = replace(shipped, engines={arch: scripted(arch, kind) for arch, kind in shipped.engines.items()})
    nowhere = Path(os.devnull)
    spans = span_export(os.environ, SERVICE) if exports_spans(os.environ) else None
    deployment = read_deployment(profile.deployment, profile.topology, shipped.engine_keys(nowhere))
    asyncio.run(serve(ServeSettings(profile, profile.deployment, deployment, nowhere, "127.0.0.1", port, key, spans)))
    print(gc.get_freeze_count())


if __name__ == "__main__":
    main(int(sys.argv[1]), os.environ["AURA_PIPELINE_KEY"])
