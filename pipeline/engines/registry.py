"""Opens the engine of a stage by the architecture that the topology names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.deployment import Keys, Names
from pipeline.engines.base import Engine, Opener
from pipeline.engines.embedded_names import llama_names, whisper_names


async def open_whisper(engine_args: Mapping[str, Any], models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    from pipeline.engines.whisper import Whisper

    return await Whisper.open(
        models_dir,
        model=engine_args.get("model", "whisper-base"),
        fallback=engine_args.get("fallback", "whisper-tiny.en"),
        threads=engine_args.get("threads", 1),
        language=None if (language := engine_args.get("language", "en")) == "auto" else language,
    )


async def open_llama(engine_args: Mapping[str, Any], models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    from pipeline.engines.llama import Llama
    from pipeline.processors.embedded import PREAMBLE

    return await Llama.open(
        models_dir,
        model=engine_args.get("model", "qwen2.5-coder-1.5b-instruct"),
        fallback=engine_args.get("fallback", "smollm2-135m-instruct"),
        threads=engine_args.get("threads", 2),
        prompt_threads=engine_args.get("prompt_threads", 2),
        context=engine_args.get("context", 1_408),
        slots=max_sessions,
        preamble=PREAMBLE,
    )


async def open_hibari(engine_args: Mapping[str, Any], models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    from pipeline.engines.hibari import Hibari

    return await Hibari.open()


def _no_names(models_dir: Path) -> Names:
    return {}


@dataclass(frozen=True, slots=True)
class EngineKind:
    """How the engines of one architecture are opened, and what a deployment may tell them.

    Attributes:
        names: What there is for keys that name something, given the folder of the models.
    """

    open: Opener
    keys: Keys
    names: Callable[[Path], Names] = _no_names


ENGINES: Mapping[str, EngineKind] = {
    "WhisperForConditionalGeneration": EngineKind(
        open_whisper, {"model": str, "fallback": str, "threads": int, "language": str}, whisper_names
    ),
    "Qwen2ForCausalLM": EngineKind(
        open_llama, {"model": str, "fallback": str, "threads": int, "prompt_threads": int, "context": int}, llama_names
    ),
    "HibariTTS": EngineKind(open_hibari, {}),
}
