"""A pipeline whose engines are scripted, so that calls cost little: SIGUSR1 has its next answers fail for a moment.

    python -m infra.bench.soak.scripted_pipeline PORT

Its key stands in `AURA_PIPELINE_KEY`. Voice activity is judged by the real model.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pipeline.cli.main import ServeSettings, serve
from pipeline.deployment.loading import StageDeployment, read_deployment
from pipeline.engines.base import Engine
from pipeline.engines.fake import FakeEngine, Step, hears, speaks, writes
from pipeline.errors import EngineError
from pipeline.runtime.checks.gpu_fit import GpuMemory
from pipeline.runtime.engine_registry import EngineKind, Opener
from pipeline.runtime.profiles import EMBEDDED, PROFILES
from pipeline.types.chunks import ChatPrompt, TextChunk

HEARD = "What is the capital of France?"
ANSWER = "It is Paris, a large town by a river."
FAILS_S = 4.0  # after the signal


class ForgetfulList(list[Any]):
    """Keeps nothing: scripted engines remember every prompt with its sound, and that would look like a leak."""

    def append(self, _: Any) -> None:
        """Forget it."""


class FailingWriter:
    """Writes the answer, unless it was told to fail of late."""

    def __init__(self) -> None:
        self._fails_until = 0.0
        self._writer = writes(ANSWER, first_s=0.05, word_s=0.02)
        self.engine: FakeEngine[ChatPrompt, TextChunk] = FakeEngine(self._script)

    def fail(self) -> None:
        self._fails_until = asyncio.get_running_loop().time() + FAILS_S

    def _script(self, prompt: ChatPrompt) -> Iterable[Step[TextChunk]]:
        if asyncio.get_running_loop().time() < self._fails_until:
            yield 0.05, EngineError("aura", "it was told to fail")
        yield from self._writer.script(prompt)


def _scripted(arch: str, kind: EngineKind, engines: Mapping[str, FakeEngine[Any, Any]]) -> EngineKind:
    forgetful = replace(engines[arch], prompts=ForgetfulList(), aborted=ForgetfulList())
    return replace(kind, open=_opens(forgetful), check=_is_there)


def _opens(engine: Engine[Any, Any]) -> Opener:
    async def opened(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
        return engine

    return opened


def _is_there(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    return GpuMemory()


async def _serve(settings: ServeSettings, writer: FailingWriter) -> None:
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, writer.fail)
    await serve(settings)


def main(port: int, key: str) -> None:
    writer = FailingWriter()
    engines: dict[str, FakeEngine[Any, Any]] = {
        "WhisperForConditionalGeneration": hears(HEARD, pass_s=0.02),
        "ImageRecognition": FakeEngine(lambda prompt: ()),  # nobody shows anything
        "Qwen2ForCausalLM": writer.engine,
        "HibariTTS": speaks(200),
    }
    shipped, nowhere = PROFILES[EMBEDDED], Path(os.devnull)
    profile = replace(shipped, engines={arch: _scripted(arch, kind, engines) for arch, kind in shipped.engines.items()})
    deployment = read_deployment(profile.deployment, profile.topology, shipped.engine_keys(nowhere))
    deployment = replace(deployment, max_sessions=16)
    asyncio.run(_serve(ServeSettings(profile, profile.deployment, deployment, nowhere, "127.0.0.1", port, key), writer))


if __name__ == "__main__":
    main(int(sys.argv[1]), os.environ["AURA_PIPELINE_KEY"])
