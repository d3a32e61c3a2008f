"""The pipeline for GPUs: every field of the published topology, and what must agree with the checkpoint."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import pytest

from pipeline.deployment.loading import read_deployment
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults, check_stops
from pipeline.errors import ConfigError
from pipeline.runtime.profiles import PROFILES
from pipeline.topology.aura_omni import AURA_OMNI_PIPELINE
from pipeline.topology.config import PipelineConfig, StageExecutionType
from pipeline.topology.processors import aura, handover
from pipeline.types.chunks import TextChunk
from pipeline.types.turn_request import ResponseOptions, TurnRequest

FIELDS: dict[str, tuple[Any, ...]] = {
    "stage_id": (0, 1, 2, 3),
    "model_stage": ("asr", "aura", "qwen3_tts", "code2wav"),
    "execution_type": (*[StageExecutionType.LLM_AR] * 3, StageExecutionType.LLM_GENERATION),
    "input_sources": ((), (0,), (1,), (2,)),
    "final_output": (False, True, False, True),
    "final_output_type": (None, "text", None, "audio"),
    "owns_tokenizer": (True, True, True, False),
    "requires_multimodal_data": (True, True, False, False),
    "engine_output_type": ("text", "text", "latent", "audio"),
    "model_arch": (
        "Qwen3ASRForConditionalGeneration",
        "AuraQwen3VLForConditionalGeneration",
        "Qwen3TTSTalkerForConditionalGeneration",
        "Qwen3TTSCode2Wav",
    ),
    "custom_process_input_func": (None, aura.asr2aura, aura.aura2tts, None),
    "custom_process_next_stage_input_func": (None, None, handover.talker2code2wav_full_payload, None),
    "async_chunk_process_next_stage_input_func": (None, None, handover.talker2code2wav_async_chunk, None),
    "sync_process_input_func": (None, None, None, handover.talker2code2wav_token_only),
    "sampling_constraints": (
        {"detokenize": True},
        {"detokenize": True},
        {"detokenize": False, "stop_token_ids": [2150]},
        {"detokenize": True},
    ),
    "extras": ({}, {}, {}, {"tts_args": {"max_instructions_length": 500}}),
}


@pytest.mark.parametrize("field", FIELDS)
def test_each_field_is_that_of_the_published_topology(field: str) -> None:
    assert tuple(getattr(stage, field) for stage in AURA_OMNI_PIPELINE.stages) == FIELDS[field]
    assert AURA_OMNI_PIPELINE.model_type == "aura_omni"
    assert AURA_OMNI_PIPELINE.model_arch == AURA_OMNI_PIPELINE.stages[0].model_arch


def test_it_checks_itself() -> None:
    asr, talks, talker, code2wav = AURA_OMNI_PIPELINE.stages
    with pytest.raises(ConfigError, match=r"stage 1 \(aura\): input source 3 is not an earlier stage"):
        PipelineConfig("cycle", "x", (asr, replace(talks, input_sources=(3,)), talker, code2wav))


def test_the_stops_of_the_topology_must_be_those_of_the_checkpoint() -> None:
    (constraint,) = (s.sampling_constraints for s in AURA_OMNI_PIPELINE.stages if s.model_stage == "qwen3_tts")
    check_stops("stage qwen3_tts", constraint["stop_token_ids"], (2_150,))
    check_stops("stage asr", None, (1, 2))
    with pytest.raises(ConfigError, match=r"qwen3_tts: `stop_token_ids` are \[2150\], but the checkpoint's are \[99\]"):
        check_stops("stage qwen3_tts", constraint["stop_token_ids"], (99,))


def test_what_a_deployment_draws_with_is_what_the_engine_is_told() -> None:
    profile = PROFILES["vllm"]
    deployment = read_deployment(profile.deployment, profile.topology, profile.engine_keys(profile.deployment.parent))
    asr, talks, talker = (SamplingDefaults.told(deployment.stage(id).sampling) for id in (0, 1, 2))
    assert asr == SamplingDefaults(max_tokens=2_048)
    assert talks == SamplingDefaults(temperature=0.5, max_tokens=256)
    assert talker == SamplingDefaults(0.9, 50, 1.0, 1.05, None, 2_048)
    assert (talks.most(300), talks.most(3), SamplingDefaults().most(300)) == (256, 3, 300)
    sampled = talker.sampling((2_150,), 16)
    assert (sampled.top_k, sampled.stop_token_ids, sampled.logprobs) == (50, (2_150,), 16)


@pytest.mark.parametrize(
    ("heard", "spoken"), [(None, "auto"), ("en", "en"), ("de-AT", "de"), ("ZH_tw", "zh"), ("cs", "auto"), ("", "auto")]
)
async def test_the_voice_speaks_the_language_that_was_heard_if_it_has_it(heard: str | None, spoken: str) -> None:
    async def words() -> AsyncGenerator[TextChunk, None]:
        yield TextChunk("Yes.")

    clauses = [
        clause async for clause in aura.aura2tts(words(), TurnRequest(response_options=ResponseOptions(language=heard)))
    ]
    assert [clause.language for clause in clauses] == [spoken]


async def told(*pieces: str) -> list[tuple[str, bool, int]]:
    """The clauses of an answer, whether each is only begun, and with how many pieces it came."""

    async def written() -> AsyncGenerator[TextChunk, None]:
        for piece in pieces:
            came.append(piece)
            yield TextChunk(piece)

    came: list[str] = []
    return [(clause.text, clause.is_begun, len(came)) async for clause in aura.aura2tts(written(), TurnRequest())]


async def test_the_voice_is_told_each_word_once_it_is_whole_and_the_first_one_once_it_is_begun() -> None:
    assert await told("A", " sp", "ider", " has", " eight", " legs", ".") == [
        ("A", True, 1),
        ("A", False, 2),
        (" spider", False, 4),
        (" has", False, 5),
        (" eight", False, 6),
        (" legs.", False, 7),
    ]


@pytest.mark.parametrize(
    ("pieces", "begun"),
    [
        (("Yes.",), []),
        (("- ", "no", " way"), ["- no"]),
        (("Sp", "id", "ers ", "bite"), ["Sp"]),
        (("...", " A", " b"), [" A"]),
        (("Oh no, a",), []),
    ],
)
async def test_a_word_is_begun_with_its_first_letter_unless_it_is_whole(
    pieces: tuple[str, ...], begun: list[str]
) -> None:
    assert [text for text, is_begun, _ in await told(*pieces) if is_begun] == begun


async def test_silence_tells_the_voice_nothing() -> None:
    async def silent() -> AsyncGenerator[TextChunk, None]:
        yield TextChunk("")

    assert [clause async for clause in aura.aura2tts(silent(), TurnRequest())] == []


def test_what_has_no_room_in_a_prompt_is_known_before_it_would_be_cut() -> None:
    for text, most in (("x" * 8_000, aura.ROOM.instructions), ("x" * 6_000, aura.ROOM.items["user"])):
        assert aura.ROOM.tokens(text) == most
        assert aura.ROOM.tokens(text + "x") > most
