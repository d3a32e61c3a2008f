"""The pipeline for GPUs: Qwen3-ASR hears, AURA sees and writes, Qwen3-TTS speaks in two stages."""

from pipeline.models.registry import AURA, TALKER
from pipeline.topology.config import PipelineConfig, StageExecutionType, StagePipelineConfig
from pipeline.topology.processors.aura import asr2aura, aura2tts
from pipeline.topology.processors.handover import (
    talker2code2wav_async_chunk,
    talker2code2wav_full_payload,
    talker2code2wav_token_only,
)

AURA_OMNI_PIPELINE = PipelineConfig(
    model_type="aura_omni",
    model_arch="Qwen3ASRForConditionalGeneration",
    stages=(
        StagePipelineConfig(
            stage_id=0,
            model_stage="asr",
            execution_type=StageExecutionType.LLM_AR,
            input_sources=(),
            owns_tokenizer=True,
            requires_multimodal_data=True,
            engine_output_type="text",
            model_arch="Qwen3ASRForConditionalGeneration",
            sampling_constraints={"detokenize": True},
        ),
        StagePipelineConfig(
            stage_id=1,
            model_stage="aura",
            execution_type=StageExecutionType.LLM_AR,
            input_sources=(0,),
            final_output=True,
            final_output_type="text",
            owns_tokenizer=True,
            requires_multimodal_data=True,
            engine_output_type="text",
            model_arch=AURA,
            custom_process_input_func=asr2aura,
            sampling_constraints={"detokenize": True},
        ),
        StagePipelineConfig(
            stage_id=2,
            model_stage="qwen3_tts",
            execution_type=StageExecutionType.LLM_AR,
            input_sources=(1,),
            owns_tokenizer=True,
            engine_output_type="latent",
            model_arch=TALKER,
            custom_process_input_func=aura2tts,
            custom_process_next_stage_input_func=talker2code2wav_full_payload,
            async_chunk_process_next_stage_input_func=talker2code2wav_async_chunk,
            sampling_constraints={"detokenize": False, "stop_token_ids": [2150]},
        ),
        StagePipelineConfig(
            stage_id=3,
            model_stage="code2wav",
            execution_type=StageExecutionType.LLM_GENERATION,
            input_sources=(2,),
            final_output=True,
            final_output_type="audio",
            engine_output_type="audio",
            model_arch="Qwen3TTSCode2Wav",
            sync_process_input_func=talker2code2wav_token_only,
            sampling_constraints={"detokenize": True},
            extras={"tts_args": {"max_instructions_length": 500}},
        ),
    ),
)
