"""Qwen3-Omni: the thinker hears, sees and writes, the talker speaks as it writes, and Code2Wav makes the sound.

A recogniser writes down beside them what people say: nobody waits for it.
"""

from pipeline.models.registry import OMNI_TALKER, THINKER
from pipeline.topology.config import PipelineConfig, StageExecutionType, StagePipelineConfig
from pipeline.topology.processors.handover import (
    talker2code2wav_async_chunk,
    talker2code2wav_full_payload,
    talker2code2wav_token_only,
)
from pipeline.topology.processors.qwen3_omni import asked2thinker, thinker2talker

CODE2WAV = "Qwen3OmniMoeCode2Wav"

QWEN3_OMNI_PIPELINE = PipelineConfig(
    model_type="qwen3_omni_moe",
    model_arch=THINKER,
    stages=(
        StagePipelineConfig(
            stage_id=0,
            model_stage="thinker",
            execution_type=StageExecutionType.LLM_AR,
            input_sources=(),
            final_output=True,
            final_output_type="text",
            owns_tokenizer=True,
            requires_multimodal_data=True,
            hears=True,
            engine_output_type="latent",
            model_arch=THINKER,
            custom_process_input_func=asked2thinker,
            sampling_constraints={"detokenize": True},
        ),
        StagePipelineConfig(
            stage_id=1,
            model_stage="talker",
            execution_type=StageExecutionType.LLM_AR,
            input_sources=(0,),
            engine_output_type="latent",
            model_arch=OMNI_TALKER,
            custom_process_input_func=thinker2talker,
            custom_process_next_stage_input_func=talker2code2wav_full_payload,
            async_chunk_process_next_stage_input_func=talker2code2wav_async_chunk,
            sampling_constraints={"detokenize": False, "stop_token_ids": [2150]},
        ),
        StagePipelineConfig(
            stage_id=2,
            model_stage="code2wav",
            execution_type=StageExecutionType.LLM_GENERATION,
            input_sources=(1,),
            final_output=True,
            final_output_type="audio",
            engine_output_type="audio",
            model_arch=CODE2WAV,
            sync_process_input_func=talker2code2wav_token_only,
        ),
        StagePipelineConfig(
            stage_id=3,
            model_stage="asr",
            execution_type=StageExecutionType.LLM_AR,
            input_sources=(),
            owns_tokenizer=True,
            requires_multimodal_data=True,
            engine_output_type="text",
            model_arch="Qwen3ASRForConditionalGeneration",
            sampling_constraints={"detokenize": True},
        ),
    ),
)
