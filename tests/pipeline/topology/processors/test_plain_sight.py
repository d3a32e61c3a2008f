"""What a model says of what is seen that is too small to find words for it."""

from dataclasses import replace

import numpy as np
import pytest

from pipeline.media.video_chunk import VideoChunk
from pipeline.topology.processors.plain_sight import plain_answer
from pipeline.types.history import History, Item
from pipeline.types.observation import Observation, SeenThing

PICTURE = VideoChunk("p", tuple(np.zeros((1, 32, 32, 3), np.uint8)))
CAT = Observation((SeenThing("cat"), SeenThing("book", 2)), "Moby Dick")


def asked(text: str, *, is_live: bool = True) -> History:
    return replace(History((Item("q", "user", text),)).with_video_turn(PICTURE), is_live=is_live)


@pytest.mark.parametrize(
    ("seen", "question", "answer"),
    [
        ([CAT], "What do you see?", "I see a cat and 2 books."),
        ([CAT], "What's this?", "I see a cat and 2 books."),
        ([CAT], "Who am I?", "I see a cat and 2 books."),
        ([CAT], "How many books are there?", "I see a cat and 2 books."),
        ([CAT], "What does it say?", "It says: Moby Dick"),
        ([Observation((SeenThing("owl"),))], "What is written here?", "I cannot read anything there."),
        ([Observation((SeenThing("owl"),))], "What kind of bird is that?", "I see an owl."),
        ([Observation(is_blank=True)], "What am I holding?", "I see nothing, the picture is empty."),
        ([Observation()], "What am I wearing?", "I cannot make out what it is."),
        ([Observation((), "Exit")], "Describe the picture.", "I see something written."),
        ([], "What do you see?", "I cannot look at the picture just now."),
        ([CAT], "What is the capital of France?", ""),
        ([CAT], "Please count to ten.", ""),
        ([CAT], "What time is it?", ""),
    ],
)
def test_what_is_seen_is_said_and_no_more(seen: list[Observation], question: str, answer: str) -> None:
    assert plain_answer(asked(question), seen) == answer


def test_a_camera_that_has_stopped_is_said_to_be_off() -> None:
    assert plain_answer(asked("What do you see?", is_live=False), []) == "I cannot see anything now, the camera is off."


def test_where_nothing_was_ever_shown_the_model_answers_as_it_does() -> None:
    assert plain_answer(History((Item("q", "user", "What do you see?"),)), []) == ""
