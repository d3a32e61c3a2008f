"""The embedded pipeline: speech and image recognition, a small language model, a small voice. All run on a CPU.

In its second form the language model runs elsewhere, behind OpenAI's chat completions.
"""

from dataclasses import replace

from pipeline.topology.config import PipelineConfig, StageExecutionType, StagePipelineConfig
from pipeline.topology.processors.chat import asked2messages
from pipeline.topology.processors.embedded import asked2chat, text2clauses
from pipeline.topology.processors.seeing import asked2pictures

EMBEDDED_PIPELINE = PipelineConfig(
    model_type="aura_embedded",
    model_arch="WhisperForConditionalGeneration",
    stages=(
        StagePipelineConfig(
            stage_id=0,
            model_stage="asr",
            execution_type=StageExecutionType.LLM_AR,
            input_sources=(),
            engine_output_type="text",
            model_arch="WhisperForConditionalGeneration",
            owns_tokenizer=True,
            requires_multimodal_data=True,
        ),
        StagePipelineConfig(
            stage_id=1,
            model_stage="vision",
            execution_type=StageExecutionType.LLM_GENERATION,
            input_sources=(0,),
            engine_output_type="observation",
            model_arch="ImageRecognition",
            final_output=True,
            final_output_type="observation",
            requires_multimodal_data=True,
            custom_process_input_func=asked2pictures,
        ),
        StagePipelineConfig(
            stage_id=2,
            model_stage="aura",
            execution_type=StageExecutionType.LLM_AR,
            input_sources=(1,),
            engine_output_type="text",
            model_arch="Qwen2ForCausalLM",
            final_output=True,
            final_output_type="text",
            owns_tokenizer=True,
            custom_process_input_func=asked2chat,
        ),
        StagePipelineConfig(
            stage_id=3,
            model_stage="tts",
            execution_type=StageExecutionType.LLM_GENERATION,
            input_sources=(2,),
            engine_output_type="audio",
            model_arch="HibariTTS",
            final_output=True,
            final_output_type="audio",
            custom_process_input_func=text2clauses,
        ),
    ),
)

_HEARS, _SEES, _ANSWERS, _SPEAKS = EMBEDDED_PIPELINE.stages

EMBEDDED_CHAT_PIPELINE = replace(
    EMBEDDED_PIPELINE,
    model_type="aura_embedded_chat",
    stages=(
        _HEARS,
        _SEES,
        replace(
            _ANSWERS,
            model_arch="OpenAIChatCompletions",
            owns_tokenizer=False,
            custom_process_input_func=asked2messages,
        ),
        _SPEAKS,
    ),
)
