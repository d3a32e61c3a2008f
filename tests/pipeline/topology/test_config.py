"""A topology checks itself, and names every fault at once."""

from dataclasses import replace

import pytest

from pipeline.errors import ConfigError
from pipeline.topology.config import PipelineConfig, StageExecutionType, StagePipelineConfig

AR = StageExecutionType.LLM_AR


def prompts() -> None:
    """Stands for what makes a stage's prompts."""


ASR = StagePipelineConfig(0, "asr", AR, (), "text", "Whisper")
AURA = StagePipelineConfig(
    1, "aura", AR, (0,), "text", "Llama", final_output=True, final_output_type="text", custom_process_input_func=prompts
)
TTS = StagePipelineConfig(
    2,
    "tts",
    AR,
    (1,),
    "audio",
    "Voice",
    final_output=True,
    final_output_type="audio",
    custom_process_input_func=prompts,
)


def test_a_chain_of_stages_is_a_pipeline_whose_stages_have_names() -> None:
    pipeline = PipelineConfig("embedded", "Embedded", (ASR, AURA, TTS))
    assert pipeline.stage("aura") is AURA
    with pytest.raises(KeyError):
        pipeline.stage("code2wav")


def test_all_faults_are_told_at_once_with_the_stage_that_has_them() -> None:
    stages = (
        replace(ASR, input_sources=(2,)),
        replace(AURA, stage_id=0, model_stage="asr"),
        replace(TTS, input_sources=()),
        replace(TTS, stage_id=3, model_stage="more", final_output=False),
        replace(TTS, stage_id=4, model_stage="most", input_sources=(4, 9), final_output_type=None),
        replace(TTS, stage_id=5, model_stage="last", input_sources=(2, 2)),
    )
    assert faults(*stages) == [
        "stage 0 (asr): the first stage has no input_sources",
        "stage 0 (asr): input source 2 is not an earlier stage",
        "stage 0 (asr): stage_id 0 is used twice",
        "stage 0 (asr): model_stage `asr` is used twice",
        "stage 2 (tts): input_sources is empty, only the first stage reads nothing",
        "stage 3 (more): input source 1 is not an earlier stage",
        "stage 3 (more): final_output_type without final_output",
        "stage 4 (most): input source 4 is not an earlier stage",
        "stage 4 (most): input source 9 is not an earlier stage",
        "stage 4 (most): final_output without final_output_type",
        "stage 5 (last): input source 2 is there twice",
    ]


def test_the_message_holds_each_fault_on_a_line_of_its_own_with_its_source() -> None:
    with pytest.raises(ConfigError) as refused:
        PipelineConfig("empty", "Empty", ())
    assert str(refused.value) == "topology empty: there are no stages"


def test_a_pipeline_that_would_never_answer_is_refused() -> None:
    assert faults(ASR) == ["no stage has final_output, so nothing would ever be answered"]


def test_a_cycle_cannot_be_written() -> None:
    cycle = ["stage 1 (aura): input source 2 is not an earlier stage"]
    assert faults(ASR, replace(AURA, input_sources=(2,)), TTS) == cycle


def test_every_stage_but_the_first_has_prompts_of_its_own_making_or_of_the_one_before() -> None:
    alone = replace(TTS, custom_process_input_func=None)
    assert faults(ASR, AURA, alone) == ["stage 2 (tts): nothing makes its prompts of what stage 1 says"]
    PipelineConfig("test", "Test", (ASR, AURA, replace(alone, sync_process_input_func=prompts)))
    PipelineConfig("test", "Test", (ASR, replace(AURA, custom_process_next_stage_input_func=prompts), alone))
    PipelineConfig("test", "Test", (ASR, replace(AURA, async_chunk_process_next_stage_input_func=prompts), alone))


def test_what_a_stage_says_has_one_tokenizer_owner_behind_it() -> None:
    owner, other = replace(AURA, owns_tokenizer=True), replace(TTS, input_sources=(0,), owns_tokenizer=True)
    assert faults(ASR, owner, other) == ["stage 2 (tts): owns_tokenizer, as does `aura`, which reads stage 0 too"]
    PipelineConfig("test", "Test", (ASR, owner, replace(TTS, owns_tokenizer=True)))


def faults(*stages: StagePipelineConfig) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        PipelineConfig("test", "Test", stages)
    return refused.value.faults
