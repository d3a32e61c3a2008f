"""Tells vLLM of our models: the entry point of `vllm.general_plugins`, called in every process of an engine."""

# As a topology names them.
ASR = "GraphedQwen3ASRForConditionalGeneration"
TALKER = "Qwen3TTSTalkerForConditionalGeneration"
AURA = "AuraQwen3VLForConditionalGeneration"
THINKER = "Qwen3OmniThinkerForConditionalGeneration"
OMNI_TALKER = "Qwen3OmniTalkerForConditionalGeneration"


def register() -> None:
    """Registers configurations and architectures; models are imported only when one is loaded."""
    from transformers import AutoConfig
    from vllm import ModelRegistry

    from pipeline.models.qwen3_tts.hf_config import Qwen3TTSConfig

    AutoConfig.register(Qwen3TTSConfig.model_type, Qwen3TTSConfig, exist_ok=True)
    known = ModelRegistry.get_supported_archs()
    places = {
        ASR: f"pipeline.models.qwen3_asr.model:{ASR}",
        TALKER: "pipeline.models.qwen3_tts.talker:Talker",
        AURA: f"pipeline.models.aura.model:{AURA}",
        THINKER: "pipeline.models.qwen3_omni.thinker:Qwen3OmniThinker",
        OMNI_TALKER: "pipeline.models.qwen3_omni.talker:OmniTalker",
    }
    for name, place in places.items():
        if name not in known:
            ModelRegistry.register_model(name, place)
