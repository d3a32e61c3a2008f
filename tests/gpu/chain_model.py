"""Writes what the four stages read: checkpoints without weights, the shipped deployment with fixed lengths."""

from pathlib import Path
from typing import Any

from pipeline.models import registry
from pipeline.runtime.profiles import DEPLOY
from tests.contract.vllm.tiny_aura import write_aura
from tests.gpu.hearing_model import write_recogniser_files
from tests.gpu.shipped_file import SESSIONS_TINY, MadeUp, shipped_models, write_shipped
from tests.gpu.voice_model import NAME, write_voice

WORDS = {"steady": "tests.gpu.chain_model:steady", "changing": "tests.gpu.chain_model:changing"}  # see `chain_words`
SHIPPED = DEPLOY / "aura_80gb.yaml"
TOKENS = {
    "asr": 12,
    "aura": 16,
    "qwen3_tts": 25,
}  # that are written: of a question, an answer, and codec frames a sentence
TINY: dict[str, dict[str, Any]] = {
    "asr": {"dtype": "float32", "max_model_len": 1024},
    "aura": {"dtype": "float32", "kv_cache_memory_bytes": 128 << 20},
    "qwen3_tts": {"dtype": "float32", "max_model_len": 512},
    "code2wav": {},
}


def write_models(models_dir: Path, *, tiny: bool) -> None:
    """The folders that the shipped deployment names."""
    folders = shipped_models(SHIPPED)
    write_recogniser_files(models_dir, "1.7b", tiny=tiny).rename(models_dir / folders["asr"])
    write_aura(models_dir / folders["aura"], weights=False, full_size=not tiny)
    write_voice(models_dir, tiny=tiny)
    (models_dir / NAME).rename(models_dir / folders["qwen3_tts"])


def write_deployment(path: Path, shipped: Path = SHIPPED, *, tiny: bool, heard: int = TOKENS["asr"]) -> None:
    """A shipped file with made-up weights.

    Args:
        heard: Tokens that each pass of the recogniser writes, with those of its draft.
    """
    write_shipped(path, shipped, MadeUp(TOKENS | {"asr": heard}, TINY, 2 * SESSIONS_TINY), tiny=tiny)


def steady() -> None:
    """In place of `pipeline.models.registry.register`."""
    _register("SteadyRecogniser")


def changing() -> None:
    """The same, with a recogniser that writes other words at every pass."""
    _register("ChangingRecogniser")


def _register(recogniser: str) -> None:
    from vllm import ModelRegistry

    registry.register()
    ModelRegistry.register_model(registry.ASR, f"tests.gpu.chain_words:{recogniser}")
    ModelRegistry.register_model(registry.AURA, "tests.gpu.chain_words:AuraOfWords")
