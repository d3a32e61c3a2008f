"""Tells vLLM of our models: the entry point of `vllm.general_plugins`, called in every process of an engine."""

from collections.abc import Iterable
from importlib import import_module

# As a topology names them.
ASR = "GraphedQwen3ASRForConditionalGeneration"
TALKER = "Qwen3TTSTalkerForConditionalGeneration"
AURA = "AuraQwen3VLForConditionalGeneration"
THINKER = "Qwen3OmniThinkerForConditionalGeneration"
OMNI_TALKER = "Qwen3OmniTalkerForConditionalGeneration"


PLACES = {
    ASR: f"pipeline.models.qwen3_asr.model:{ASR}",
    TALKER: "pipeline.models.qwen3_tts.talker:Talker",
    AURA: f"pipeline.models.aura.model:{AURA}",
    THINKER: "pipeline.models.qwen3_omni.thinker:Qwen3OmniThinker",
    OMNI_TALKER: "pipeline.models.qwen3_omni.talker:OmniTalker",
}


def register() -> None:
    """Registers configurations and architectures; models are imported only when one is loaded."""
    from transformers import AutoConfig
    from vllm import ModelRegistry

    from pipeline.models.qwen3_tts.hf_config import Qwen3TTSConfig

    AutoConfig.register(Qwen3TTSConfig.model_type, Qwen3TTSConfig, exist_ok=True)
    known = ModelRegistry.get_supported_archs()
    for name, place in PLACES.items():
        if name not in known:
            ModelRegistry.register_model(name, place)


def import_models(architectures: Iterable[str]) -> None:
    """Imports those of the architectures that are ours, and registers their classes.

    Of one whose place alone it knows vLLM looks at the class in a Python of its own, which imports all of vLLM for it:
    27 s for each engine, until it remembers what it found. Importing ours takes a second or two, and no GPU.
    """
    from vllm import ModelRegistry

    for name in architectures:
        if place := PLACES.get(name):
            module, _, class_name = place.partition(":")
            ModelRegistry.register_model(name, getattr(import_module(module), class_name))
