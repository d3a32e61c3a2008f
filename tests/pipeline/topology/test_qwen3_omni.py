"""Qwen3-Omni's pipeline: how it is declared and deployed, and what its processors make of a conversation."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from pipeline.deployment.loading import WHOLE, read_deployment
from pipeline.engines.qwen3_omni.prompt import LIMITS, SYSTEM, UNASKED, OmniPrompt, omni_prompt
from pipeline.engines.qwen3_omni.thought import ThoughtChunk
from pipeline.media.spoken_sound import SpokenSound
from pipeline.media.video_chunk import VideoChunk
from pipeline.runtime.profiles import PROFILES
from pipeline.topology.processors.qwen3_omni import asked2thinker, thinker2talker
from pipeline.types.chunks import Priority, TextChunk
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest

OMNI = PROFILES["qwen3_omni"]
SOUND = SpokenSound("q", 8_000, np.zeros(8_000, np.float32))
SECOND = VideoChunk("v", tuple(np.zeros((2, 64, 64, 3), np.uint8)))
PICTURE = VideoChunk("p", tuple(np.zeros((1, 64, 64, 3), np.uint8)))
HEAD = f"<|im_start|>system\n{SYSTEM}<|im_end|>\n"
ANSWER = "<|im_end|>\n<|im_start|>assistant\n"


async def once(each: Any) -> AsyncIterator[Any]:
    yield each


def test_its_thinker_hears_and_sees_and_nobody_waits_for_the_recogniser() -> None:
    topology = OMNI.topology
    assert [stage.model_stage for stage in topology.stages] == ["thinker", "talker", "code2wav", "asr"]
    assert [(source.stage_id, stage.stage_id) for source, stage in topology.edges] == [(0, 1), (1, 2)]
    assert topology.answers_sound and topology.recogniser is topology.stages[3]


@pytest.mark.parametrize("is_async", [True, False])
def test_its_file_hands_on_in_chunks_or_each_stage_when_the_one_before_has_ended(
    is_async: bool, tmp_path: Path
) -> None:
    told = yaml.safe_load(OMNI.deployment.read_text()) | {"async_chunk": is_async}
    if not is_async:
        del told["runtime"]["connectors"], told["runtime"]["edges"]
    (tmp_path / "file.yaml").write_text(yaml.safe_dump(told))
    deployment = read_deployment(tmp_path / "file.yaml", OMNI.topology, OMNI.engine_keys(tmp_path))
    thoughts, codes = deployment.stage(1).edge, deployment.stage(2).edge
    assert (thoughts.window_size, codes.window_size) == ((1, WHOLE) if is_async else (WHOLE, WHOLE))
    sizes = {"initial_codec_chunk_frames": 4, "codec_chunk_frames": 25}
    assert codes.chunks == (sizes if is_async else {})


def test_a_question_is_its_sound_behind_what_was_seen_and_said_before() -> None:
    history = History(is_live=True).with_item(Item("g", "assistant", "Hello <|im_end|>."))
    history = history.with_video_turn(SECOND).with_item(Item("q", "user", "", sound=SOUND))
    prompt = omni_prompt(TurnRequest(history, ResponseOptions(instructions="Be kind.", cache_salt="s")))
    assert prompt == OmniPrompt(
        (
            f"<|im_start|>system\n{SYSTEM}\n\nBe kind.<|im_end|>\n"
            "<|im_start|>assistant\nHello < |im_end|>.<|im_end|>\n<|im_start|>user\n<|vision_start|>",
            SECOND,
            "<|vision_end|><|audio_start|>",
            SOUND,
            f"<|audio_end|>{ANSWER}",
        ),
        "s",
    )


def test_what_is_still_going_on_is_left_open_and_what_was_written_is_text_with_its_pictures() -> None:
    written = Item("w", "user", "This?", pictures=(PICTURE,), images=1)
    request = TurnRequest(History().with_video_turn(SECOND).with_item(written))
    (*_, end) = omni_prompt(request.unfinished()).parts
    assert end == "<|vision_end|>This?"
    prompt = omni_prompt(request)
    assert [part for part in prompt.parts if not isinstance(part, str)] == [SECOND, PICTURE]
    assert prompt.parts[-1] == f"<|vision_end|>This?{ANSWER}" and prompt.priority == Priority.QUESTION


def test_seconds_in_which_nobody_asked_anything_are_one_message_with_the_question_after_them() -> None:
    clips = [replace(SECOND, id=str(at)) for at in range(3)]
    history = History().with_video_turns(clips[:2]).with_item(Item("a", "assistant", "A dog."))
    history = history.with_video_turn(clips[2]).with_item(Item("q", "user", "And now?"))
    text = "".join(part if isinstance(part, str) else part.id for part in omni_prompt(TurnRequest(history)).parts)
    seen = "<|vision_start|>{}<|vision_end|>"
    assert text == (
        f"{HEAD}<|im_start|>user\n{seen.format(0)}\n{seen.format(1)}{ANSWER}A dog.<|im_end|>\n"
        f"<|im_start|>user\n{seen.format(2)}And now?{ANSWER}"
    )


def test_of_a_long_conversation_the_newest_is_read_and_without_a_question_nothing_is_asked() -> None:
    history = History().with_video_turns([replace(SECOND, id=str(at)) for at in range(99)])
    seen = [part for part in omni_prompt(TurnRequest(history)).parts if isinstance(part, VideoChunk)]
    assert [each.id for each in seen] == [str(at) for at in range(99 - LIMITS.keep_s, 99)]
    assert omni_prompt(TurnRequest()).parts == (f"{HEAD}<|im_start|>user\n{ANSWER}",)


def test_what_nobody_asked_is_told_so_and_waits_for_everybody_else() -> None:
    request = TurnRequest(History().with_video_turn(SECOND), ResponseOptions(unasked=True))
    prompt, ahead = omni_prompt(request), omni_prompt(request.unfinished())
    assert prompt.parts[-1] == f"<|vision_end|>{UNASKED}{ANSWER}" and prompt.priority == Priority.OFFER
    assert ahead.parts == (*prompt.parts[:-1], "<|vision_end|>"), "what is read ahead is how it begins"
    assert ahead.priority == Priority.PREFILL
    assert omni_prompt(request.unfinished(Priority.PRUNED)).priority == Priority.PRUNED


async def test_a_text_to_be_spoken_is_no_question_and_only_thoughts_are_spoken_in_the_callers_voice() -> None:
    request = TurnRequest(response_options=ResponseOptions(say="Hello.", voice="chelsie", cache_salt="s"))
    prompts = [prompt async for prompt in asked2thinker(once(request), request)]
    assert prompts == [OmniPrompt((), "s", say="Hello.")]
    thought = ThoughtChunk((1,), (1,), False, text="a")
    assert [each async for each in thinker2talker(once(TextChunk("a")), request)] == []
    (spoken,) = [each async for each in thinker2talker(once(thought), request)]
    assert (spoken.voice, spoken.spoken, spoken.text) == ("chelsie", (1,), "a")
