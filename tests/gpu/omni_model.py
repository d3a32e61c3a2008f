"""Writes what Qwen3-Omni and the recogniser beside it read: checkpoints without weights, the shipped deployment."""

from pathlib import Path
from typing import Any

import yaml

from pipeline.models import registry
from pipeline.runtime.profiles import DEPLOY
from tests.contract.vllm import tiny_omni
from tests.gpu.hearing_model import write_recogniser_files

SHIPPED = DEPLOY / "qwen3_omni.yaml"
REGISTER = "tests.gpu.omni_model:register"
STAGES = ("thinker", "talker", "asr")  # with engines of vLLM's, in the order in which they start
TOKENS = {"thinker": 24, "talker": 75, "asr": 12}  # that are written; of the talker, frames of an answer
SESSIONS_TINY = 4
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
    folders = {stage["engine_args"]["model_stage"]: stage["engine_args"]["model"] for stage in _shipped()["stage_args"]}
    write_recogniser_files(models_dir, "1.7b", tiny=tiny).rename(models_dir / folders["asr"])
    tiny_omni.write_files(models_dir / folders["thinker"], full_size=not tiny)


def write_deployment(path: Path, *, tiny: bool) -> None:
    """The shipped file; what differs are `load_format` and `max_tokens`, and with `tiny` what has no room on a CPU."""
    told = _shipped()
    for stage in told["stage_args"]:
        args = stage["engine_args"]
        name = args["model_stage"]
        args["load_format"] = "dummy"
        if name in TOKENS:
            stage["default_sampling_params"]["max_tokens"] = TOKENS[name]
        if tiny:
            args |= TINY[name]
            if name in TOKENS:
                stage["default_sampling_params"] |= {"temperature": 0.0, "top_k": -1, "top_p": 1.0}
    if tiny:
        told["max_sessions"] = SESSIONS_TINY
    path.write_text(yaml.safe_dump(told, sort_keys=False))


def register() -> None:
    """In place of `pipeline.models.registry.register`: models that write words, whatever their weights."""
    from vllm import ModelRegistry

    registry.register()
    ModelRegistry.register_model(registry.ASR, "tests.gpu.chain_words:SteadyRecogniser")
    ModelRegistry.register_model(registry.THINKER, "tests.gpu.chain_words:ThinkerOfWords")


def _shipped() -> dict[str, Any]:
    told: dict[str, Any] = yaml.safe_load(SHIPPED.read_text())
    return told
