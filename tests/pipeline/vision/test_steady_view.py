"""What is shown of observations stands still, though the eyes flicker."""

from pipeline.types.observation import Observation, SeenThing
from pipeline.vision.steady_view import SteadyView

PERSON, CHAIR = SeenThing("person"), SeenThing("chair")
CAT = SeenThing("cat", is_certain=True)


def shown(*things: tuple[SeenThing, ...]) -> list[tuple[SeenThing, ...]]:
    view = SteadyView()
    return [view.feed(Observation(each), "camera").things for each in things]


def test_the_first_picture_is_shown_as_it_is() -> None:
    assert shown((PERSON, CHAIR)) == [(PERSON, CHAIR)]


def test_what_is_missed_once_stays_and_what_is_missed_twice_goes() -> None:
    assert shown((PERSON,), (PERSON,), (), (), ()) == [(PERSON,), (PERSON,), (PERSON,), (), ()]


def test_what_nobody_is_certain_of_is_shown_when_it_is_seen_again() -> None:
    assert shown((PERSON,), (PERSON, CHAIR), (PERSON,), (PERSON, CHAIR)) == [
        (PERSON,),
        (PERSON,),
        (PERSON,),
        (PERSON, CHAIR),
    ]


def test_what_is_certain_is_shown_at_once_in_the_newest_order_and_number() -> None:
    three = SeenThing("person", 3)
    assert shown((PERSON,), (CAT, three)) == [(PERSON,), (CAT, three)]


def test_text_and_blank_pictures_are_the_newest_and_another_source_begins_anew() -> None:
    view = SteadyView()
    view.feed(Observation((PERSON,), "EXIT"), "camera")
    assert view.feed(Observation((PERSON,)), "camera") == Observation((PERSON,))
    assert view.feed(Observation((), is_blank=True), "camera") == Observation(is_blank=True)
    view.feed(Observation((PERSON,)), "camera")
    assert view.feed(Observation((CHAIR,)), "screen") == Observation((CHAIR,))
