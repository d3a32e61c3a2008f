"""Starts engines of vLLM's, which is imported only then: the seam behind which a test stands in for it."""

import asyncio
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from pipeline.engines.vllm.fork_server import serve_forks
from pipeline.errors import ConfigError
from pipeline.models.shared.engine_io import PromptEngine, StreamingPromptEngine


class VllmBackend(PromptEngine, StreamingPromptEngine, Protocol):
    """An engine for prompts of both kinds: `pipeline.engines.vllm.engine.VllmEngine`, or a fake."""


class StartEngine(Protocol):
    async def __call__(self, stage: str, model: Path, **engine_args: Any) -> VllmBackend:
        """As `VllmEngine.open`."""
        ...


async def start_vllm(stage: str, model: Path, **engine_args: Any) -> VllmBackend:
    from pipeline.engines.vllm.engine import VllmEngine

    return await VllmEngine.open(stage, model, **engine_args)


async def vllm_imported() -> None:
    """Imports vLLM here and in what forks engines, off the loop: it takes 15 s, in which `/health` is to be answered.

    Raises:
        ConfigError: It is not installed.
    """
    serve_forks()
    try:
        await asyncio.to_thread(import_module, "pipeline.engines.vllm.engine")
    except ImportError as error:
        raise ConfigError("stages", [f"they need the extra `vllm`: {error}"]) from error
