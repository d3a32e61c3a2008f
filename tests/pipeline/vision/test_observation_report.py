"""What of a camera's observations a caller is told, and how often."""

from pipeline.types.observation import Observation, SeenThing
from pipeline.vision.observation_report import ObservationReport

PERSON, CAT = Observation((SeenThing("person"),)), Observation((SeenThing("cat"),))


def test_what_has_changed_is_told_at_once_and_what_has_not_each_second() -> None:
    report = ObservationReport()
    told = [report.feed(PERSON, "camera", at / 2) for at in range(6)]
    assert told == [True, False, True, False, True, False]
    assert report.feed(CAT, "camera", 3.0)


def test_a_screen_that_shows_the_same_as_the_camera_is_news() -> None:
    report = ObservationReport()
    assert report.feed(PERSON, "camera", 0.0)
    assert report.feed(PERSON, "screen", 0.5)


def test_however_fast_they_change_no_more_than_two_a_second_are_told_and_the_newest_is_not_lost() -> None:
    report = ObservationReport()
    told = [at for at in range(600) if report.feed((PERSON, CAT)[at % 2], "camera", at / 60)]
    assert 18 <= len(told) <= 22
    assert report.feed(PERSON, "camera", 600 / 60 + 0.5)
