"""One list of what two judges say."""

from pipeline.engines.image_recognition.things.boxes import Box, Detection
from pipeline.engines.image_recognition.things.fusion import MOST_THINGS, fused
from pipeline.engines.image_recognition.things.judgement import Judgement
from pipeline.types.observation import SeenThing

SIZE = 640, 480
WHOLE = Box(0, 0, 640, 480)
LEFT, RIGHT = Box(0, 0, 200, 400), Box(400, 0, 600, 400)
SMALL = Box(10, 10, 60, 60)


def says(noun: str, probability: float, *, animal: bool = False, **others: float) -> Judgement:
    return Judgement(noun, probability, animal, {noun: probability, **others})


def found(name: str, score: float, box: Box = LEFT) -> Detection:
    return Detection(name, score, box)


NOTHING = says("maze", 0.05)


def things(*pairs: tuple[Detection, Judgement | None], whole: tuple[Judgement, ...] = (NOTHING,)) -> list[SeenThing]:
    return list(fused(pairs, whole, SIZE))


def test_what_both_say_is_certain() -> None:
    assert things((found("cat", 0.4), says("cat", 0.3))) == [SeenThing("cat", 1, True)]


def test_the_classifier_makes_it_more_special() -> None:
    assert things((found("bird", 0.4), Judgement("penguin", 0.9, True, {"bird": 0.9}))) == [
        SeenThing("penguin", 1, True)
    ]


def test_of_two_names_for_one_place_the_classifier_decides_if_it_is_sure() -> None:
    assert things((found("cat", 0.69), says("dog", 0.98))) == [SeenThing("dog", 1, False)]
    assert things((found("cat", 0.9), says("dog", 0.45))) == [SeenThing("cat", 1, False)]


def test_what_nobody_is_sure_of_is_not_said() -> None:
    assert things((found("clock", 0.6), NOTHING), (found("bird", 0.28), None)) == []


def test_people_are_counted_and_never_called_what_they_wear() -> None:
    seen = things((found("person", 0.9), None), (found("person", 0.8, RIGHT), None), whole=(says("hat", 0.6),))
    assert seen == [SeenThing("person", 2, False)]
    assert things(whole=(says("hat", 0.6),)) == [SeenThing("hat", 1, False)]


def test_a_monkey_is_nobody() -> None:
    assert things((found("person", 0.75), says("baboon", 0.97, animal=True))) == [SeenThing("baboon", 1, False)]
    assert things((found("person", 0.75), says("soccer ball", 0.97))) == [SeenThing("person", 1, False)]


def test_a_cup_on_a_table_makes_no_second_cup_of_the_table() -> None:
    seen = things((found("table", 0.77, WHOLE), says("cup", 0.92)), (found("cup", 0.89), says("cup", 0.93)))
    assert seen == [SeenThing("table", 1, False), SeenThing("cup", 1, True)]


def test_the_whole_picture_adds_what_the_detector_does_not_know() -> None:
    seen = things((found("person", 0.9), None), whole=(says("pineapple", 0.5), says("pineapple", 0.7)))
    assert seen == [SeenThing("pineapple", 1, False), SeenThing("person", 1, False)]


def test_of_two_names_for_the_whole_picture_the_surer_one_is_said() -> None:
    assert things((found("giraffe", 0.9, WHOLE), None), whole=(says("antelope", 0.5, animal=True),)) == [
        SeenThing("giraffe", 1, False)
    ]
    assert things((found("dog", 0.7, WHOLE), NOTHING), whole=(says("lion", 0.8, animal=True),)) == [
        SeenThing("lion", 1, False)
    ]


def test_one_thing_in_two_boxes_is_one_thing() -> None:
    assert things((found("dog", 0.9), says("dog", 0.9)), (found("dog", 0.5, SMALL), says("dog", 0.9))) == [
        SeenThing("dog", 1, True)
    ]


def test_small_ones_of_which_the_largest_was_refused_are_refused_too() -> None:
    coins = [(found("clock", 0.6, Box(x, 0, x + 20, 20)), None) for x in range(0, 600, 30)]
    assert things((found("clock", 0.6, Box(300, 300, 400, 400)), NOTHING), *coins) == []


def test_the_most_prominent_come_first_and_the_list_is_short() -> None:
    many = [(found(name, 0.9, Box(0, 0, 40 - x, 30)), None) for x, name in enumerate("abcdefghijkl")]
    assert [thing.name for thing in things(*many)] == list("abcdefghijkl")[:MOST_THINGS]
    seen = things((found("person", 0.8, SMALL), None), (found("car", 0.9, WHOLE), says("car", 0.9)))
    assert [thing.name for thing in seen] == ["car", "person"]
