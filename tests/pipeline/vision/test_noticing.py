"""What a camera's observations are worth saying unasked, frame by frame, on a clock that a test moves."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

from pipeline.media.video_chunk import VideoSource
from pipeline.types.observation import Observation, SeenThing
from pipeline.vision.noticing import PAGE, PHRASES, SOMEBODY, THING, Noticing
from pipeline.vision.unremarkable import is_unremarkable

FRAME_S = 0.5
EMPTY = Observation()
PERSON = Observation((SeenThing("person"),))
CUP = SeenThing("cup", is_certain=True)
WITH_CUP = Observation((SeenThing("person"), CUP))
HELLO, AGAIN, _ = PHRASES[SOMEBODY]
A_CUP = PHRASES[THING][0].format("a cup")


@dataclass
class Camera:
    """Shows observations, two a second, and keeps what was said of them, each with its second."""

    noticing: Noticing = field(default_factory=Noticing)
    now: float = 0.0
    said: list[tuple[float, str]] = field(default_factory=list)

    def shows(self, *frames: Observation, source: VideoSource = "camera") -> list[str]:
        """Returns what is said of these frames."""
        before = len(self.said)
        for seen in frames:
            if text := self.noticing.feed(seen, source, self.now):
                self.said.append((self.now, text))
            self.now += FRAME_S
        return [text for _, text in self.said[before:]]


def begun(first: Observation = EMPTY) -> Camera:
    """A camera whose first scene is over."""
    camera = Camera()
    assert camera.shows(*[first] * 10) == []
    return camera


def test_somebody_who_comes_is_greeted_once_after_three_frames() -> None:
    camera = begun()
    assert camera.shows(PERSON, PERSON) == []
    assert camera.shows(PERSON) == [HELLO]
    assert camera.shows(*[PERSON] * 200) == []


def test_three_of_four_frames_are_enough_and_two_of_four_are_not() -> None:
    assert begun().shows(PERSON, EMPTY, PERSON, PERSON) == [HELLO]
    assert begun().shows(*[PERSON, EMPTY] * 10) == []


def test_what_the_first_scene_shows_does_not_come() -> None:
    camera = begun(WITH_CUP)
    assert camera.shows(*[WITH_CUP] * 20) == []


def test_what_flickers_in_the_first_scene_was_there() -> None:
    camera = Camera()
    assert camera.shows(*[WITH_CUP, EMPTY, EMPTY] * 4, *[WITH_CUP] * 10) == []


def test_a_thing_that_is_held_up_is_named_when_it_is_certain() -> None:
    camera = begun(PERSON)
    assert camera.shows(*[WITH_CUP] * 5) == [A_CUP]


def test_a_thing_of_which_nobody_is_certain_is_not_remarked_on() -> None:
    camera = begun(PERSON)
    assert camera.shows(*[Observation((SeenThing("cup"),))] * 20) == []


def test_a_thing_that_was_there_uncertain_for_long_does_not_come_when_it_is_certain_at_last() -> None:
    camera = begun()
    camera.shows(*[Observation((SeenThing("cup"),))] * 9)
    assert camera.shows(*[Observation((CUP,))] * 6) == []


@pytest.mark.parametrize(
    "name",
    ["chair", "dining table", "potted plant", "car", "sports car", "tie", "running shoe", "laptop", "traffic light"],
)
def test_furniture_vehicles_and_clothes_are_worth_no_remark(name: str) -> None:
    assert is_unremarkable(name)
    assert begun().shows(*[Observation((SeenThing(name, is_certain=True),))] * 10) == []


@pytest.mark.parametrize("name", ["cat", "book", "banana", "teddy bear", "carton", "hot dog"])
def test_animals_and_things_that_fit_into_a_hand_are(name: str) -> None:
    assert len(begun().shows(*[Observation((SeenThing(name, is_certain=True),))] * 10)) == 1


def test_who_is_away_for_a_moment_has_not_gone() -> None:
    assert begun(PERSON).shows(*[EMPTY] * 7, *[PERSON] * 5) == []
    assert begun(PERSON).shows(*[EMPTY] * 8, *[PERSON] * 5) == [HELLO]


def test_who_comes_back_is_greeted_in_other_words_but_not_within_a_minute() -> None:
    camera = begun()
    assert camera.shows(*[PERSON] * 3, *[EMPTY] * 100, *[PERSON] * 3) == [HELLO]
    assert camera.shows(*[EMPTY] * 20, *[PERSON] * 3) == [AGAIN]


def test_a_second_person_is_noticed_too() -> None:
    camera = begun(PERSON)
    both = Observation((SeenThing("person", 2),))
    assert camera.shows(*[both] * 4) == ["Oh, now there are two of you."]


def test_what_comes_together_is_one_remark() -> None:
    assert begun().shows(*[PERSON] * 6, *[WITH_CUP] * 40) == [HELLO]
    camera = begun()
    assert camera.shows(*[WITH_CUP] * 40) == [HELLO]
    banana = Observation((SeenThing("banana", is_certain=True), CUP))
    assert len(camera.shows(*[banana] * 5)) == 1


def test_a_short_text_is_read_and_a_long_one_offered_once_two_readings_agree() -> None:
    camera = begun()
    sign = Observation(text="Mind the gap")
    assert camera.shows(sign) == []
    assert camera.shows(EMPTY, EMPTY, sign) == ['I can read "Mind the gap" there.']
    assert camera.shows(*[sign] * 20) == []
    camera = begun()
    page = Observation(text="Once upon a time there was a small machine that saw.")
    assert camera.shows(page, page) == [PHRASES[PAGE][0]]


def test_readings_that_do_not_agree_are_noise() -> None:
    noise = [Observation(text=text) for text in ("l|l", "oxo il", "vvv", "rnm", "", "ii")]
    assert begun().shows(*noise * 3) == []


def test_a_shared_screen_is_never_remarked_on() -> None:
    camera = Camera()
    assert camera.shows(*[EMPTY] * 12, source="screen") == []
    assert camera.shows(*[Observation((SeenThing("person"), CUP), "Inbox (3)")] * 20, source="screen") == []


@pytest.mark.parametrize("blank", [True, False])
def test_a_camera_that_was_covered_or_off_shows_a_first_scene_again(blank: bool) -> None:
    camera = begun()
    if blank:
        camera.shows(*[Observation(is_blank=True)] * 4)
    else:
        camera.now += 31
    assert camera.shows(*[PERSON] * 20) == []


def test_one_black_frame_changes_nothing() -> None:
    camera = begun()
    assert camera.shows(PERSON, Observation(is_blank=True), PERSON, PERSON) == [HELLO]


def test_a_minute_of_one_person_who_is_lost_and_found_is_one_remark() -> None:
    camera = begun()
    assert camera.shows(*flickering(120)) == [HELLO]


def test_a_person_then_a_thing_then_nothing_for_a_minute_are_two_remarks() -> None:
    camera = begun()
    camera.shows(*[PERSON] * 24, *[WITH_CUP] * 16, *[PERSON] * 120)
    assert camera.said == [(6.0, HELLO), (18.0, A_CUP)]


def test_labels_without_end_are_not_kept() -> None:
    camera = begun()
    for number in range(2_000):
        camera.shows(Observation((SeenThing(f"thing{number}"),)))
    assert len(camera.noticing._tracks) < 50


def flickering(frames: int) -> Iterable[Observation]:
    """A person who is missed in some frames, beside labels that come and go."""
    for at in range(frames):
        things = [] if at % 7 in (3, 4) else [SeenThing("person")]
        if at % 3 == 0:
            things.append(SeenThing("cup"))
        if at % 5 == 0:
            things.append(SeenThing("tie", is_certain=True))
        if at % 4 < 2:
            things.append(SeenThing("bottle", is_certain=True))
        yield Observation(tuple(things))
