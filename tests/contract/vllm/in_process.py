"""vLLM's engines in this process: begun, and ended so that the next one can begin."""

import gc
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def begun(folder: Path, settings: Mapping[str, Any]) -> Any:
    """An `LLMEngine` of a checkpoint."""
    from vllm import EngineArgs, LLMEngine

    gc.freeze()  # as it begins, it looks for garbage again and again: among all of vLLM's objects that takes seconds
    return LLMEngine.from_engine_args(EngineArgs(model=str(folder), **settings))


def ended(engine: Any) -> None:
    """Frees what the next engine of this process needs."""
    engine.engine_core.shutdown()
