"""Qwen3-ASR on the real vLLM hears what the official package hears, token by token, whoever is beside it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from pipeline.engines.qwen3_asr.decode_passes import DecodePasses
from pipeline.models.qwen3_asr.media import engine_prompt
from pipeline.models.qwen3_asr.windows import audio_tokens
from pipeline.models.shared.engine_io import PromptChunk
from pipeline.types.chunks import AsrInput, Transcript
from tests.contract.vllm.hearing import Asked, Recogniser
from tests.contract.vllm.hearing_cases import CASES, GOLDENS, Heard, sound
from tests.contract.vllm.tiny_asr import write_recogniser

pytestmark = pytest.mark.vllm

PIECE = 32_000  # samples that the official package takes at a time
WHOLE = [case for case in CASES if not case.streamed]
STREAMED = [case for case in CASES if case.streamed]


@pytest.fixture(scope="module")
def recogniser(vllm_on_a_cpu: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recogniser]:
    recogniser = Recogniser(write_recogniser(tmp_path_factory.mktemp("qwen3_asr") / "tiny"))
    yield recogniser
    recogniser.close()


@dataclass
class Stream:
    case: Heard
    passes: DecodePasses
    expected: dict[str, Any]
    request: Asked = field(init=False)
    heard: Transcript = field(init=False)


def golden(case: Heard) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(GOLDENS.read_text())[CASES.index(case)]
    return found


def tokens(case: Heard) -> list[int]:
    written: list[int] = golden(case)["passes"][-1]["tokens"]
    return written


def prompt(request: Asked) -> list[int]:
    return list(request.chunk.prompt.spread([audio_tokens(len(window)) for window in request.chunk.windows]))


def golden_prompt(case: Heard, number: int, audio_id: int) -> list[int]:
    each = golden(case)["passes"][number]
    return [*each["before"], *[audio_id] * each["pads"], *each["after"]]


def test_there_are_enough_goldens() -> None:
    assert len(CASES) == 20
    lengths = [len(each["tokens"]) for case in CASES for each in golden(case)["passes"]]
    assert sum(length >= 64 for length in lengths) >= 25
    assert sum(length < 64 for length in lengths) >= 5, "some reach their end"
    assert any(case.seconds > 16 for case in CASES), "some have more than two windows of the encoder"


def test_alone(recogniser: Recogniser) -> None:
    cases = [case for case in WHOLE if case.seconds in (1.0, 8.4, 17.3)]
    request = [Asked(recogniser.pass_of(case)) for case in cases]
    for each in request:
        recogniser.hear(each)
    assert [list(each.tokens) for each in request] == [tokens(case) for case in cases]
    assert len(cases) == 5


def test_batched_with_neighbours_that_are_aborted(recogniser: Recogniser) -> None:
    request = [Asked(recogniser.pass_of(case), begins=3 * i) for i, case in enumerate(WHOLE)]
    dropped = [Asked(recogniser.pass_of(WHOLE[0]), 5, aborted=9), Asked(recogniser.pass_of(WHOLE[-1]), 20, aborted=1)]
    recogniser.hear(*request, *dropped)
    assert [list(each.tokens) for each in request] == [tokens(case) for case in WHOLE]
    assert [list(each.tokens) for each in dropped] == [tokens(WHOLE[0])[:9], tokens(WHOLE[-1])[:1]]
    assert [prompt(each) for each in request] == [golden_prompt(case, 0, recogniser.audio_id) for case in WHOLE]


def test_streamed_side_by_side(recogniser: Recogniser) -> None:
    """Each pass as the official package makes it; then all sound in one, forced to begin as the last one was."""
    streams = [Stream(case, recogniser.passes(case.context), golden(case)) for case in STREAMED]
    for number in range(max(len(stream.expected["passes"]) for stream in streams)):
        going = [stream for stream in streams if number < len(stream.expected["passes"])]
        for stream in going:
            window = AsrInput(stream.case.pcm[: (number + 1) * PIECE], None, False)
            stream.request = Asked(stream.passes.ask(window, stream.case.language))
        recogniser.hear(*(stream.request for stream in going))
        for stream in going:
            stream.heard = stream.passes.note(stream.request.chunk, stream.request.tokens)
            assert prompt(stream.request) == golden_prompt(stream.case, number, recogniser.audio_id)
            assert list(stream.request.tokens) == stream.expected["passes"][number]["tokens"]
    for stream in streams:
        assert (stream.heard.text, stream.heard.language) == (stream.expected["text"], stream.expected["language"])
    offline = [replace(stream.request.chunk, windows=recogniser.pass_of(stream.case).windows) for stream in streams]
    recogniser.hear(*(again := [Asked(each) for each in offline]))
    assert [each.tokens for each in again] == [stream.request.tokens for stream in streams]


def test_what_is_given_ready_made_is_what_the_renderer_makes(recogniser: Recogniser) -> None:
    """Positions and tensors: the renderer is given the same spectra, each of them as one audio."""
    import torch

    from pipeline.engines.vllm.prompt import ready_prompt

    request = recogniser.pass_of(next(case for case in WHOLE if case.seconds > 16))
    token_ids, media = engine_prompt(request.prompt, request.windows)
    ready = ready_prompt(PromptChunk(token_ids, 1, media=media, cache_salt="salt"))
    spectra = {
        "input_audio_features": torch.from_numpy(np.concatenate([each.mel for each in request.windows]).T),
        "audio_feature_lengths": torch.tensor([len(each) for each in request.windows]),
        "feature_attention_mask": [torch.ones(len(each), dtype=torch.int64) for each in request.windows],
    }
    ids = list(request.prompt.spread([1] * len(request.windows)))
    prompt = {"prompt_token_ids": ids, "multi_modal_data": {"audio": spectra}, "cache_salt": "salt"}
    (made,) = recogniser.engine.renderer.render_cmpl([prompt])
    assert len(request.windows) == 3
    for key in ("type", "prompt_token_ids", "mm_placeholders", "mm_kwargs", "cache_salt"):
        assert ready[key] == made[key]


def test_what_has_been_read_is_not_read_again(recogniser: Recogniser) -> None:
    """Windows of the encoder that are full stay in the prefix cache; a pass reads what is new.

    All is read anew when a sound is louder than any before: the loudest sets the spectrum's floor.
    """
    passes = recogniser.passes()
    pcm = sound(7, 26.0)
    pcm[:16_000] *= 3
    pcm[24 * 16_000 :] *= 9
    read = []
    for seconds in (7.0, 9.5, 18.0, 24.0, 26.0):
        window = AsrInput(pcm[: int(seconds * 16_000)], None, False)
        recogniser.hear(request := Asked(passes.ask(window, "English"), aborted=1))
        read.append(request.cached)
    block = 32
    assert read == [0, 0, (14 + 104) // block * block, (14 + 208) // block * block, 0]
