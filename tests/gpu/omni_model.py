"""Writes what Qwen3-Omni and the recogniser beside it read: checkpoints without weights, the shipped deployment."""

from pathlib import Path
from typing import Any

from pipeline.models import registry
from pipeline.runtime.profiles import DEPLOY
from tests.contract.vllm import tiny_omni
from tests.gpu.hearing_model import write_recogniser_files
from tests.gpu.shipped_file import MadeUp, shipped_models, write_shipped

SHIPPED = DEPLOY / "qwen3_omni.yaml"
REGISTER = "tests.gpu.omni_model:register"
STAGES = ("thinker", "talker", "asr")  # with engines of vLLM's
TOKENS = {"thinker": 24, "talker": 75, "asr": 12}  # that are written; of the talker, frames of an answer
TINY: dict[str, dict[str, Any]] = {
    "thinker": {
        "dtype": "float32",
        "kv_cache_memory_bytes": 192 << 20,
        "heard_positions": 512,
        "hidden_state_rows": 4_096,
    },
    "talker": {"dtype": "float32", "max_model_len": 2_048, "hidden_state_rows": 4_096},
    "code2wav": {},
    "asr": {"dtype": "float32", "max_model_len": 1_024},
}


def write_models(models_dir: Path, *, tiny: bool) -> None:
    """The folders that the shipped deployment names."""
    folders = shipped_models(SHIPPED)
    write_recogniser_files(models_dir, "1.7b", tiny=tiny).rename(models_dir / folders["asr"])
    tiny_omni.write_files(models_dir / folders["thinker"], full_size=not tiny)


def write_deployment(path: Path, *, tiny: bool) -> None:
    """The shipped file with made-up weights."""
    write_shipped(path, SHIPPED, MadeUp(TOKENS, TINY), tiny=tiny)


def register() -> None:
    """In place of `pipeline.models.registry.register`: models that write words, whatever their weights."""
    from vllm import ModelRegistry

    registry.register()
    ModelRegistry.register_model(registry.ASR, "tests.gpu.chain_words:SteadyRecogniser")
    ModelRegistry.register_model(registry.THINKER, "tests.gpu.chain_words:ThinkerOfWords")
