"""The names that come with AURA, and where what they name stands: entry points that need no installed package."""

from collections.abc import Mapping

# A stale installation of this checkout would lack what `pyproject.toml` declares since: so these stand here.
PIPELINES: Mapping[str, str] = {
    "embedded": "pipeline.shipped.embedded:EMBEDDED",
    "embedded-chat": "pipeline.shipped.embedded:EMBEDDED_CHAT",
    "vllm": "pipeline.shipped.vllm:VLLM",
    "qwen3_omni": "pipeline.shipped.qwen3_omni:QWEN3_OMNI",
}
ENGINES: Mapping[str, str] = {
    "WhisperForConditionalGeneration": "pipeline.runtime.engine_registry:WHISPER_KIND",
    "Qwen2ForCausalLM": "pipeline.runtime.engine_registry:LLAMA_KIND",
    "OpenAIChatCompletions": "pipeline.runtime.engine_registry:CHAT_KIND",
    "ImageRecognition": "pipeline.runtime.engine_registry:RECOGNITION_KIND",
    "HibariTTS": "pipeline.runtime.engine_registry:HIBARI_KIND",
    "Qwen3ASRForConditionalGeneration": "pipeline.runtime.vllm_engine_registry:ASR_KIND",
    "AuraQwen3VLForConditionalGeneration": "pipeline.runtime.vllm_engine_registry:AURA_KIND",
    "Qwen3TTSTalkerForConditionalGeneration": "pipeline.runtime.vllm_engine_registry:TALKER_KIND",
    "Qwen3TTSCode2Wav": "pipeline.runtime.vllm_engine_registry:CODE2WAV_KIND",
    "Qwen3OmniThinkerForConditionalGeneration": "pipeline.shipped.qwen3_omni:THINKER_KIND",
    "Qwen3OmniTalkerForConditionalGeneration": "pipeline.shipped.qwen3_omni:TALKER_KIND",
    "Qwen3OmniMoeCode2Wav": "pipeline.shipped.qwen3_omni:CODE2WAV_KIND",
}
