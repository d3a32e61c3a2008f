"""The talker reads what people said, what they sound like through the thinker, and the answer's words."""

import json
from pathlib import Path

import pytest

from pipeline.errors import RequestError
from pipeline.models.qwen3_omni.config import OmniConfig, read_omni
from pipeline.models.qwen3_omni.prompt import HeardPrompt, OmniPromptWriter, heard_prompt
from pipeline.models.qwen3_tts.prompt import NO_CODEC, VoiceChoice
from pipeline.models.shared.positions import Grid
from tests.contract.vllm import tiny_omni
from tests.contract.vllm.tiny_omni import ASSISTANT, IDS, NEWLINE, SYSTEM, USER

BEGIN, END = IDS["<|im_start|>"], IDS["<|im_end|>"]
SOUND, PICTURE, FILM = IDS["<|audio_pad|>"], IDS["<|image_pad|>"], IDS["<|video_pad|>"]
PAD, BOS, EOS = IDS["<tts_pad>"], IDS["<tts_text_bos>"], IDS["<tts_text_eod>"]
ANSWER = (BEGIN, ASSISTANT, NEWLINE)


@pytest.fixture
def config(tmp_path: Path) -> OmniConfig:
    (tmp_path / "config.json").write_text(json.dumps(tiny_omni.config()))
    return read_omni(tmp_path)


def test_of_a_conversation_it_reads_what_people_said(config: OmniConfig) -> None:
    told = (BEGIN, SYSTEM, 1, END, BEGIN, USER, 2, END, BEGIN, ASSISTANT, 3, END, BEGIN, USER, 4, END, *ANSWER)
    assert heard_prompt(config, told) == HeardPrompt((BEGIN, USER, 2, END, BEGIN, USER, 4, END), ANSWER, ())


def test_sound_is_read_by_the_rows_of_its_places(config: OmniConfig) -> None:
    told = (BEGIN, USER, SOUND, SOUND, 1, END, BEGIN, ASSISTANT, SOUND, END, BEGIN, USER, SOUND, *ANSWER)
    heard = heard_prompt(config, told)
    assert heard.text == (BEGIN, USER, -1, -2, 1, END, BEGIN, USER, -3)
    assert heard.spans == ((2, 4), (12, 13))


def test_pictures_are_read_by_their_rows_and_stand_in_grids(config: OmniConfig) -> None:
    told = (BEGIN, SYSTEM, END, BEGIN, USER, *[PICTURE] * 4, 1, *[PICTURE] * 2, *[FILM] * 2, END, *ANSWER)
    heard = heard_prompt(config, told, [(2, 2), (1, 2), (2, 1)])
    assert heard.text == (BEGIN, USER, -1, -2, -3, -4, 1, -5, -6, -7, -8, END)
    assert heard.grids == (Grid(2, 2, 2), Grid(7, 1, 2), Grid(9, 2, 1))
    assert heard.spans == ((5, 9), (10, 14))


@pytest.mark.parametrize(
    ("most", "text", "spans"),
    [
        (99, (BEGIN, USER, -1, 7, END, BEGIN, USER, -2, -3, 8, -4, END), ((2, 3), (10, 12), (13, 14))),
        (11, (BEGIN, USER, -1, -2, 8, -3, END), ((10, 12), (13, 14))),
        (5, (-1, -2, 8, -3, END), ((10, 12), (13, 14))),
        (4, (8, -1, END), ((13, 14),)),
        (1, (END,), ()),
    ],
)
def test_of_what_is_too_long_the_newest_is_read_and_no_picture_in_part(
    config: OmniConfig, most: int, text: tuple[int, ...], spans: tuple[tuple[int, int], ...]
) -> None:
    """Older messages are left out whole, as long as the newest one is not too long by itself."""
    told = (BEGIN, USER, SOUND, 7, END, BEGIN, ASSISTANT, END, BEGIN, USER, *[PICTURE] * 2, 8, SOUND, END, *ANSWER)
    heard = heard_prompt(config, told, [(1, 2)], most)
    assert (heard.text, heard.spans) == (text, spans)
    assert [heard.text[grid.at] for grid in heard.grids] == ([-1 - (most > 11)] if most > 4 else [])


def test_a_prompt_that_begins_no_answer_is_refused(config: OmniConfig) -> None:
    for prompt in ((), (1, 2), (BEGIN, USER, 1), (*ANSWER, BEGIN)):
        with pytest.raises(RequestError, match="does not end by beginning an answer"):
            heard_prompt(config, prompt)


def test_the_answer_begins_beside_the_voice(config: OmniConfig) -> None:
    writer = OmniPromptWriter(config, HeardPrompt((7, -1), ANSWER, ((1, 2),)))
    prompt = writer.write((11, 12, 13), VoiceChoice("Chelsie"), "streaming", ended=False)
    assert prompt.text == (7, -1, *ANSWER, PAD, PAD, PAD, PAD, BOS, 11)
    assert prompt.codec == (*[NO_CODEC] * 5, 2155, 2156, 2157, tiny_omni.SPEAKERS["chelsie"], 2148, 2149)
    assert prompt.trailing == (12, 13)
    assert writer.trailing((14,), ended=True) == (14, EOS)


def test_a_voice_that_the_checkpoint_lacks_is_refused_with_those_it_has(config: OmniConfig) -> None:
    writer = OmniPromptWriter(config, HeardPrompt((), ANSWER, ()))
    with pytest.raises(RequestError, match="unknown voice `Bob`; this checkpoint has chelsie, ethan"):
        writer.write((1,), VoiceChoice("Bob"), "streaming")
