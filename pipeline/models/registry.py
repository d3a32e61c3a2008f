"""Tells vLLM of our models: the entry point of `vllm.general_plugins`, called in every process of an engine."""

TALKER = "Qwen3TTSTalkerForConditionalGeneration"  # as a topology names it


def register() -> None:
    """Registers configurations and architectures; models are imported only when one is loaded."""
    from transformers import AutoConfig
    from vllm import ModelRegistry

    from pipeline.models.qwen3_tts.hf_config import Qwen3TTSConfig

    AutoConfig.register(Qwen3TTSConfig.model_type, Qwen3TTSConfig, exist_ok=True)
    if TALKER not in ModelRegistry.get_supported_archs():
        ModelRegistry.register_model(TALKER, "pipeline.models.qwen3_tts.talker:Talker")
