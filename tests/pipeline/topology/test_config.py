"""A topology checks itself, and names every fault at once: what could not run, and what would have no effect."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import ConfigError
from pipeline.runtime.engine_registry import EngineKind
from pipeline.runtime.profiles import PROFILES, Profile
from pipeline.topology.config import PipelineConfig, StageExecutionType, StagePipelineConfig
from pipeline.topology.processors.aura import asr2aura, aura2tts

AR = StageExecutionType.LLM_AR


def prompts() -> None:
    """Stands for what makes a stage's prompts."""


ASR = StagePipelineConfig(0, "asr", AR, (), "text", "Whisper", requires_multimodal_data=True)
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
TALKER = StagePipelineConfig(2, "talker", AR, (1,), "latent", "Talker", custom_process_input_func=prompts)
CODE2WAV = replace(TTS, stage_id=3, input_sources=(2,))


def test_a_chain_of_stages_is_a_pipeline_whose_stages_have_names() -> None:
    pipeline = PipelineConfig("embedded", "Whisper", (ASR, AURA, TTS))
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
        "stage 0 (asr): input source 2 is not an earlier stage",
        "stage 0 (asr): requires_multimodal_data, and only stages that hear, see or answer questions are given any",
        "stage 0 (asr): stage_id 0 is used twice",
        "stage 0 (asr): model_stage `asr` is used twice",
        "stage 3 (more): input source 1 is not an earlier stage",
        "stage 3 (more): final_output_type without final_output",
        "stage 3 (more): no stage reads it, and it has no final output",
        "stage 4 (most): input source 4 is not an earlier stage",
        "stage 4 (most): input source 9 is not an earlier stage",
        "stage 4 (most): final_output without final_output_type",
        "stage 5 (last): input source 2 is there twice",
        "stage 5 (last): final audio comes from `tts` already",
        "there is no recogniser, and no stage hears the question itself: what is said would not be answered",
    ]


@pytest.mark.parametrize("name", ["", "a:b\n c", "Ears", "1st"])
def test_a_name_that_cannot_stand_in_ids_and_metrics_is_refused(name: str) -> None:
    assert f"stage 2 ({name}): model_stage is {name!r}: small letters, digits and `_` make a name" in faults(
        ASR, AURA, replace(TTS, model_stage=name)
    )
    assert "stage -1 (tts): stage_id is less than 0" in faults(ASR, AURA, replace(TTS, stage_id=-1))


def test_the_message_holds_each_fault_on_a_line_of_its_own_with_its_source() -> None:
    with pytest.raises(ConfigError) as refused:
        PipelineConfig("empty", "Empty", ())
    assert str(refused.value) == "topology empty: there are no stages"


def test_a_recogniser_alone_is_refused_since_it_answers_nothing() -> None:
    assert faults(ASR) == [
        "no stage has final text or audio: nothing would be answered",
        "no stage reads `asr`, and no stage hears the question itself: what is said would not be answered",
    ]


HEARS = replace(TTS, stage_id=0, input_sources=(), hears=True)


def test_one_stage_that_hears_and_speaks_is_a_pipeline_with_or_without_a_recogniser_beside_it() -> None:
    alone = PipelineConfig("test", "Voice", (HEARS,))
    assert (alone.recogniser, alone.answers_sound, alone.modalities) == (None, True, ("audio",))
    beside = PipelineConfig("test", "Voice", (replace(ASR, stage_id=7), HEARS))
    assert beside.recogniser and beside.answers_sound
    words = PipelineConfig("test", "Voice", (ASR, AURA, TTS))
    assert not words.answers_sound and words.modalities == ("audio", "text")


def test_what_is_said_has_to_be_heard_by_somebody() -> None:
    (fault,) = faults(replace(HEARS, hears=False))
    assert fault.startswith("there is no recogniser, and no stage hears the question itself")
    (fault,) = faults(ASR, replace(AURA, input_sources=()), TTS)
    assert fault.startswith("no stage reads `asr`, and no stage hears the question itself")


def test_stages_branch_and_join() -> None:
    drafts = replace(AURA, final_output=False, final_output_type=None)
    checks = replace(drafts, stage_id=2, model_stage="checks", input_sources=(1,))
    writes = replace(AURA, stage_id=3, model_stage="writes", input_sources=(0, 1, 2))
    topology = PipelineConfig(
        "test", "Voice", (ASR, drafts, checks, writes, replace(TTS, stage_id=4, input_sources=(3,)))
    )
    edges = [(source.stage_id, stage.stage_id) for source, stage in topology.edges]
    assert edges == [(0, 1), (1, 2), (0, 3), (1, 3), (2, 3), (3, 4)]
    (fault,) = faults(ASR, AURA, TALKER, replace(CODE2WAV, input_sources=(1, 2), custom_process_input_func=None))
    assert fault.startswith("stage 3 (tts): it has several input_sources: custom_process_input_func is needed")


def test_a_stage_that_would_be_computed_for_nobody_is_refused() -> None:
    unread = faults(ASR, AURA, TALKER, replace(CODE2WAV, input_sources=(1,)))
    assert unread == ["stage 2 (talker): no stage reads it, and it has no final output"]


def test_words_with_the_hidden_states_of_them_are_a_latent_output_with_final_text() -> None:
    thinker = replace(AURA, engine_output_type="latent", input_sources=(), stage_id=1, hears=True)
    PipelineConfig("test", "Voice", (thinker, TTS))
    fault = "stage 1 (aura): final_output_type is audio, but engine_output_type is latent"
    assert fault in faults(replace(thinker, final_output_type="audio"))


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ({"engine_output_type": "audio"}, "it is the recogniser, and its engine_output_type is audio, not"),
        ({"requires_multimodal_data": False}, "it is the recogniser, which hears: requires_multimodal_data"),
        (
            {"final_output": True, "final_output_type": "text"},
            "it reads no stage and is asked by the session: custom_process_input_func is needed",
        ),
        (
            {"custom_process_next_stage_input_func": prompts},
            "custom_process_next_stage_input_func would never be called: the session reads what the recogniser",
        ),
    ],
)
def test_a_recogniser_that_could_not_be_one_is_refused(keys: Mapping[str, Any], fault: str) -> None:
    told = faults(replace(ASR, **keys), AURA, TTS)
    assert told[0].startswith(f"stage 0 (asr): {fault}")


def test_a_pipeline_that_would_never_answer_is_refused() -> None:
    silent = replace(AURA, final_output=False, final_output_type=None)
    deaf = replace(TTS, final_output=False, final_output_type=None)
    PipelineConfig("test", "Voice", (ASR, silent, TTS))
    PipelineConfig("test", "Llama", (ASR, AURA))
    assert faults(ASR, AURA, deaf) == ["stage 2 (tts): no stage reads it, and it has no final output"]
    assert "no stage has final text or audio: nothing would be answered" in faults(ASR, silent, deaf)


def test_each_kind_of_output_leaves_once_and_as_what_its_engine_makes() -> None:
    again = replace(TTS, model_stage="again", engine_output_type="text", final_output_type="text")
    assert "stage 2 (again): final text comes from `aura` already" in faults(ASR, AURA, again)
    other = "stage 1 (aura): final_output_type is text, but engine_output_type is audio"
    assert faults(ASR, replace(AURA, engine_output_type="audio"), TTS) == [other]
    codes = replace(TALKER, final_output=True, final_output_type="latent")
    nothing = (
        "stage 2 (talker): final_output_type is latent: codec frames and hidden states are nothing to read or to hear"
    )
    assert faults(ASR, AURA, codes, CODE2WAV) == [nothing]


def test_only_who_hears_and_who_writes_are_given_sound_or_pictures() -> None:
    PipelineConfig("test", "Voice", (ASR, replace(AURA, requires_multimodal_data=True), TTS))
    (fault,) = faults(ASR, AURA, replace(TTS, requires_multimodal_data=True))
    assert fault.startswith("stage 2 (tts): requires_multimodal_data, and only stages that hear, see or answer")


def test_who_looks_stands_behind_the_recogniser_is_shown_pictures_and_may_be_missing() -> None:
    eyes = replace(TALKER, stage_id=4, model_stage="vision", input_sources=(0,), engine_output_type="observation")
    sees = replace(eyes, requires_multimodal_data=True)
    told = replace(sees, final_output=True, final_output_type="observation")
    writes = replace(AURA, input_sources=(4,))
    assert [stage.is_optional for stage in PipelineConfig("test", "Voice", (ASR, told, writes, TTS)).stages] == [
        False,
        True,
        False,
        False,
    ]
    (fault,) = faults(ASR, eyes, writes, TTS)
    assert fault == "stage 4 (vision): it makes observations of pictures: requires_multimodal_data is needed"
    late = faults(ASR, AURA, replace(sees, input_sources=(1,)), replace(TTS, input_sources=(4,)))
    assert late == [
        "stage 4 (vision): it makes observations, and only a stage that the session asks is shown the pictures of a "
        "question"
    ]


def test_a_cycle_cannot_be_written() -> None:
    cycle = "stage 1 (aura): input source 2 is not an earlier stage"
    assert cycle in faults(ASR, replace(AURA, input_sources=(2,)), TTS)


def test_every_stage_but_the_first_has_prompts_of_its_own_making_or_of_the_one_before() -> None:
    alone = replace(TTS, custom_process_input_func=None)
    assert faults(ASR, AURA, alone) == ["stage 2 (tts): nothing makes its prompts of what stage 1 says"]
    PipelineConfig("test", "Voice", (ASR, replace(AURA, custom_process_next_stage_input_func=prompts), alone))
    plain = replace(CODE2WAV, custom_process_input_func=None)
    PipelineConfig("test", "Voice", (ASR, AURA, TALKER, replace(plain, sync_process_input_func=prompts)))
    cutting = replace(TALKER, async_chunk_process_next_stage_input_func=prompts)
    PipelineConfig("test", "Voice", (ASR, AURA, cutting, plain))
    (fault,) = faults(ASR, replace(AURA, custom_process_input_func=None), TTS)
    assert fault.startswith("stage 1 (aura): it is asked by the session: custom_process_input_func is needed")


def test_functions_that_nothing_would_call_or_that_cut_no_frames_are_refused() -> None:
    tokens: dict[str, Any] = {"sync_process_input_func": prompts}
    (fault,) = faults(ASR, AURA, TALKER, replace(CODE2WAV, **tokens))
    assert fault.startswith("stage 3 (tts): sync_process_input_func of tts would never be called: custom_process_input")
    (fault,) = faults(ASR, AURA, replace(TTS, custom_process_next_stage_input_func=prompts))
    assert fault == "stage 2 (tts): custom_process_next_stage_input_func would never be called: no stage reads it"
    (fault,) = faults(ASR, AURA, replace(TTS, custom_process_input_func=None, **tokens))
    assert fault == "stage 2 (tts): sync_process_input_func of tts hands on codec frames, and aura makes text"


@pytest.mark.parametrize(
    ("extras", "fault"),
    [
        ({"tts_arg": {}}, "extras: there is no `tts_arg` (known: tts_args)"),
        ({"tts_args": {"length": 5}}, "extras: tts_args: it says max_instructions_length, and nothing else"),
        ({"tts_args": {}}, "extras: tts_args: it says max_instructions_length, and nothing else"),
        (
            {"tts_args": {"max_instructions_length": 0}},
            "extras: tts_args: max_instructions_length is 0, not a whole number of at least 1",
        ),
    ],
)
def test_extras_that_mean_nothing_are_refused(extras: Mapping[str, Any], fault: str) -> None:
    assert faults(ASR, AURA, replace(TTS, extras=extras)) == [f"stage 2 (tts): {fault}"]


def test_how_long_a_callers_wishes_for_the_voice_may_be_is_told_once() -> None:
    told = {"tts_args": {"max_instructions_length": 80}}
    assert PipelineConfig("test", "Voice", (ASR, AURA, TTS)).max_instructions_length == 500
    assert PipelineConfig("test", "Voice", (ASR, AURA, replace(TTS, extras=told))).max_instructions_length == 80
    twice = faults(ASR, AURA, replace(TALKER, extras=told), replace(CODE2WAV, extras=told))
    assert twice == ["stage 3 (tts): extras: `talker` has them already"]


def test_the_architecture_of_a_pipeline_is_that_of_one_of_its_stages() -> None:
    with pytest.raises(ConfigError, match="topology test: model_arch `Other` is that of no stage"):
        PipelineConfig("test", "Other", (ASR, AURA, TTS))


class TestAProfile:
    """A topology together with the engines that are to serve it."""

    @staticmethod
    def faults(topology: PipelineConfig, engines: Mapping[str, EngineKind]) -> list[str]:
        with pytest.raises(ConfigError) as refused:
            Profile(topology, Path("none"), engines, PROFILES["embedded"].detector)
        return refused.value.faults

    def test_a_stage_that_no_engine_serves_is_refused(self) -> None:
        topology, engines = PROFILES["embedded"].topology, dict(PROFILES["embedded"].engines)
        del engines["HibariTTS"]
        known = "WhisperForConditionalGeneration, ImageRecognition, Qwen2ForCausalLM"
        assert self.faults(topology, engines) == [f"stage 3 (tts): no engine serves `HibariTTS` (known: {known})"]

    @pytest.mark.parametrize("name", ["embedded", "vllm"])
    def test_a_stage_whose_engine_computes_in_another_way_is_refused(self, name: str) -> None:
        profile = PROFILES[name]
        *others, last = profile.topology.stages
        wrong = replace(last, execution_type=AR)
        told = self.faults(replace(profile.topology, stages=(*others, wrong)), profile.engines)
        here = f"stage {last.stage_id} ({last.model_stage}): "
        assert told == [f"{here}execution_type is llm_ar, and the engine of {last.model_arch} is llm_generation"]

    def test_constraints_that_no_engine_could_keep_are_refused(self) -> None:
        asr = replace(PROFILES["embedded"].topology.stages[0], sampling_constraints={"temprature": 1, "top_k": 0})
        topology = replace(PROFILES["embedded"].topology, stages=(asr, *PROFILES["embedded"].topology.stages[1:]))
        assert self.faults(topology, PROFILES["embedded"].engines) == [
            "stage 0 (asr): sampling_constraints: unknown key `temprature` (did you mean `temperature`?)",
            "stage 0 (asr): sampling_constraints: `top_k` is 0: -1 (all) or at least 1 is needed",
        ]

    @pytest.mark.parametrize(
        ("stage", "keys", "told"),
        [
            (0, {"model_arch": "Qwen2ForCausalLM"}, "the engine of Qwen2ForCausalLM makes TextChunk, not Transcript"),
            (
                0,
                {"model_arch": "Qwen2ForCausalLM"},
                "the engine of Qwen2ForCausalLM reads ChatPrompt, and is no recogniser",
            ),
            (3, {"engine_output_type": "audio"}, "the engine of Qwen2ForCausalLM makes TextChunk, not AudioChunk"),
            (
                2,
                {"custom_process_input_func": asr2aura},
                "asr2aura makes MultimodalPrompt, and the engine of Qwen2",
            ),
            (1, {"custom_process_input_func": aura2tts}, "aura2tts takes TextChunk, and is given TurnRequest"),
            (2, {"custom_process_input_func": aura2tts}, "aura2tts takes TextChunk, and is given Observation"),
        ],
    )
    def test_an_engine_that_reads_or_makes_something_else_is_refused(
        self, stage: int, keys: Mapping[str, Any], told: str
    ) -> None:
        profile = PROFILES["embedded"]
        stages = list(profile.topology.stages)
        if stage == 3:
            keys = {**keys, "model_arch": "Qwen2ForCausalLM", "execution_type": AR}
        stages[stage] = replace(stages[stage], **keys)
        topology = replace(profile.topology, model_arch=stages[0].model_arch, stages=tuple(stages))
        assert any(f": {told}" in fault for fault in self.faults(topology, profile.engines))


def faults(*stages: StagePipelineConfig) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        PipelineConfig("test", stages[-1].model_arch, stages)
    return refused.value.faults
