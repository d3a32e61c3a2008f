"""How one picture is looked at: which judges are asked what, and when text is read."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.engines.image_recognition.recognizer import PictureRecognizer
from pipeline.engines.image_recognition.text.text_boxes import TextBox
from pipeline.engines.image_recognition.text.text_reader import FULL, LIGHT, ReadingEffort, TextLine
from pipeline.engines.image_recognition.things.boxes import Box, Detection
from pipeline.media.video_chunk import Pixels
from pipeline.types.observation import Observation, SeenThing

LABELS = [f"label {number}" for number in range(1000)]
CAT = 281


class ScriptedEyes:
    """All three models; it notes what it was shown.

    Attributes:
        judged: Sizes of what the classifier was shown.
        efforts: How closely text was looked for.
    """

    def __init__(self, *found: Detection, probability: float = 0.9) -> None:
        self.judged: list[tuple[int, ...]] = []
        self.efforts: list[ReadingEffort] = []
        self._found = found
        self._probability = probability

    def found(self, pixels: Pixels) -> Sequence[Detection]:
        return self._found

    def probabilities(self, pixels: Pixels) -> NDArray[np.float32]:
        self.judged.append(pixels.shape[:2])
        values = np.zeros(1000, np.float32)
        values[CAT] = self._probability
        return values

    def lines(self, pixels: Pixels, effort: ReadingEffort) -> Iterator[TextLine | None]:
        self.efforts.append(effort)
        yield None
        yield TextLine(TextBox(10, 10, 50, 10, 0), f"reading {len(self.efforts)}", 0.9)


def scene(seed: int, height: int = 480, width: int = 640) -> Pixels:
    blocks = np.random.default_rng(seed).integers(0, 255, (8, 8, 3), np.uint8)
    return blocks.repeat(height // 8, 0).repeat(width // 8, 1)


def recognizer(eyes: ScriptedEyes, *, reads: bool = True) -> PictureRecognizer:
    return PictureRecognizer(eyes, eyes, LABELS, eyes if reads else None)


def seen(recognizer: PictureRecognizer, pixels: Pixels, *, read: bool = False, owner: str = "anna") -> Observation:
    *steps, last = recognizer.steps(pixels, read, owner)
    assert set(steps) <= {None}
    assert last
    return last


def test_a_blank_picture_costs_no_model() -> None:
    eyes = ScriptedEyes()
    assert seen(recognizer(eyes), np.zeros((480, 640, 3), np.uint8), read=True) == Observation(is_blank=True)
    assert (eyes.judged, eyes.efforts) == ([], [])


def test_the_whole_its_middle_and_the_largest_places_are_judged() -> None:
    boxes = [Box(0, 0, 50, 50), Box(0, 0, 100, 100), Box(300, 100, 500, 300)]
    eyes = ScriptedEyes(*(Detection("cup", 0.9, box) for box in boxes))
    seen(recognizer(eyes), scene(1))
    assert eyes.judged[:2] == [(480, 640), (480, 480)]
    assert len(eyes.judged) == 4


def test_somebody_who_is_certainly_there_is_not_judged_and_neither_is_a_place_that_is_all() -> None:
    eyes = ScriptedEyes(Detection("person", 0.9, Box(0, 0, 300, 400)), Detection("cat", 0.9, Box(0, 0, 640, 470)))
    answer = seen(recognizer(eyes), scene(1, 480, 480))
    assert eyes.judged == [(480, 480)]
    assert set(answer.things) == {SeenThing("cat", 1, True), SeenThing("person", 1, False)}


def test_a_still_picture_is_read_once_and_its_text_stays() -> None:
    eyes = ScriptedEyes()
    eye = recognizer(eyes)
    texts = [seen(eye, scene(1)).text for _ in range(4)]
    assert texts == ["reading 1"] * 4
    assert eyes.efforts == [LIGHT]


def test_while_things_move_nothing_is_read_and_the_old_text_is_gone() -> None:
    eyes = ScriptedEyes()
    eye = recognizer(eyes)
    texts = [seen(eye, scene(seed)).text for seed in (1, 2, 3, 3, 3, 1)]
    assert texts == ["reading 1", "", "", "reading 2", "reading 2", ""]
    assert eyes.efforts == [LIGHT, LIGHT]


def test_who_asks_to_read_gets_all_of_it_whatever_moves() -> None:
    eyes = ScriptedEyes()
    eye = recognizer(eyes)
    texts = [seen(eye, scene(seed), read=read).text for seed, read in ((1, False), (2, True), (2, False), (2, True))]
    assert texts == ["reading 1", "reading 2", "reading 2", "reading 3"]
    assert eyes.efforts == [LIGHT, FULL, FULL]


def test_a_blank_moment_forgets_the_text() -> None:
    eyes = ScriptedEyes()
    eye = recognizer(eyes)
    assert seen(eye, scene(1)).text
    seen(eye, np.zeros((480, 640, 3), np.uint8))
    assert seen(eye, scene(1)).text == ""
    assert seen(eye, scene(1)).text == "reading 2"


def test_callers_have_scenes_of_their_own_and_nobody_has_none() -> None:
    eyes = ScriptedEyes()
    eye = recognizer(eyes)
    assert [seen(eye, scene(seed), owner=owner).text for seed, owner in ((1, "anna"), (2, "ben"), (1, "anna"))] == [
        "reading 1",
        "reading 2",
        "reading 1",
    ]
    assert [seen(eye, scene(seed), owner="").text for seed in (1, 2, 1)] == ["reading 3", "reading 4", "reading 5"]


def test_without_a_reader_there_is_no_text() -> None:
    eyes = ScriptedEyes()
    assert seen(recognizer(eyes, reads=False), scene(1), read=True).text == ""
    assert eyes.efforts == []


def test_who_stops_between_two_steps_leaves_nothing_half_done() -> None:
    eyes = ScriptedEyes()
    eye = recognizer(eyes)
    steps = eye.steps(scene(1), False, "anna")
    next(steps)
    del steps
    assert seen(eye, scene(1)).text == "reading 1"
