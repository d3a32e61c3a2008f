"""The checkpoint of AURA that the rooms are tested with writes, in the real vLLM, what its table says."""

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from pipeline.engines.aura.prompt import multimodal_prompt
from pipeline.media.video_chunk import VideoChunk, second
from pipeline.types.history import History, Item
from pipeline.types.turn_request import TurnRequest
from tests.contract.vllm.seeing import Eyes, Look
from tests.e2e.vllm.obedient import (
    BRIGHT,
    DARK,
    HEARS,
    ONE,
    OTHER,
    PLAIN,
    SAYS_ONE,
    SAYS_OTHER,
    SEES_BRIGHT,
    SEES_DARK,
    SILENT,
    UNTIL_SPOKEN_TO,
    WHEN_SPOKEN_TO,
    YES,
    write_models,
)

pytestmark = pytest.mark.vllm

MOST, END, SILENCE = 12, "<|im_end|>", "<|silent|>"
SPOKEN = "".join(HEARS) * 3


@pytest.fixture(scope="module")
def eyes(vllm_on_a_cpu: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Eyes]:
    folder = tmp_path_factory.mktemp("obedient")
    write_models(folder)
    with closing(Eyes(folder / "aura")) as eyes:
        yield eyes


def answers(eyes: Eyes, history: History) -> str:
    """Up to where it ends, or is cut off."""
    look = Look(multimodal_prompt(TurnRequest(history)), MOST)
    eyes.look(look)
    end, silent = eyes.text.ids(END)[0], eyes.text.ids(SILENCE)[0]
    if look.tokens[0] == silent:
        return SILENCE
    ends = look.tokens.index(end) if end in look.tokens else None
    return "".join(eyes.text.decoder().feed(look.tokens[:ends])) + "…" * (ends is None)


def said(*texts: str) -> History:
    """Each of them answered, but for the last."""
    history = History()
    for at, text in enumerate(texts):
        if at:
            history = history.with_item(Item(f"a{at}", "assistant", YES.strip()))
        history = history.with_item(Item(f"q{at}", "user", text))
    return history


AT_LENGTH = YES * (MOST // 3) + "…"
SAID = (
    (("What is that?",), YES),
    ((f"Hush {SILENT}",), SILENCE),
    ((f"Hush {SILENT}", SPOKEN), SILENCE),
    ((f"Hush {SILENT}", f"Enough {PLAIN}"), YES),
    ((f"All {UNTIL_SPOKEN_TO}",), AT_LENGTH),
    ((f"All {UNTIL_SPOKEN_TO}", SPOKEN), SILENCE),
    ((f"Later {WHEN_SPOKEN_TO}",), YES),
    ((f"Later {WHEN_SPOKEN_TO}", SPOKEN), AT_LENGTH),
    ((f"Be {ONE}", SPOKEN), SAYS_ONE),
    ((f"Be {ONE}", f"Be {OTHER}", SPOKEN), SAYS_OTHER),
)


@pytest.mark.parametrize(("texts", "answer"), SAID, ids=[" then ".join(texts) for texts, _ in SAID])
def test_the_newest_mark_decides_and_what_was_spoken_since(eyes: Eyes, texts: tuple[str, ...], answer: str) -> None:
    assert answers(eyes, said(*texts)) == answer


def filmed(history: History, light: int, seconds: int) -> History:
    frame = np.full((256, 320, 3), light, np.uint8)
    for at in range(seconds):
        history = history.with_video_turn(second(f"{light}.{at}", frame, frame))
    return history


def test_the_newest_picture_decides_and_nobody_is_answered_who_has_not_asked(eyes: Eyes) -> None:
    question = Item("question", "user", SPOKEN)
    dark = filmed(said("Hello."), DARK, 5)
    bright = filmed(dark, BRIGHT, 2)
    assert [answers(eyes, seen) for seen in (dark, bright)] == [SILENCE, SILENCE]
    assert answers(eyes, dark.with_item(question)) == SEES_DARK
    assert answers(eyes, bright.with_item(question)) == SEES_BRIGHT
    picture = VideoChunk("photo", tuple(np.full((1, 256, 256, 3), DARK, np.uint8)))
    asked = Item("photo", "user", "And this?", images=1, pictures=(picture,))
    assert answers(eyes, bright.with_item(asked)) == SEES_DARK
