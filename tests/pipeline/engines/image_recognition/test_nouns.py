"""Breeds and synonyms count together; what must not be said is not said."""

import numpy as np
import pytest

from pipeline.engines.image_recognition.things.judgement import Vocabulary
from pipeline.engines.image_recognition.things.nouns import COCO, KINDS, NOUNS, UNSAID, kind_of, noun_of

LABELS = [f"label {number}" for number in range(1000)]


def judged(**probabilities: float) -> tuple[str, float]:
    """Of numbers of labels, such as n151=0.2."""
    values = np.zeros(1000, np.float32)
    for number, probability in probabilities.items():
        values[int(number[1:])] = probability
    judgement = Vocabulary(LABELS).judged(values)
    return judgement.noun, round(judgement.probability, 3)


def test_all_breeds_are_one_dog() -> None:
    assert judged(n151=0.2, n207=0.2, n268=0.2, n281=0.3) == ("dog", 0.6)


def test_a_special_bird_is_named_if_it_stands_out_and_else_it_is_a_bird() -> None:
    assert judged(n145=0.5, n10=0.1) == ("penguin", 0.6)
    assert judged(n145=0.2, n24=0.2, n10=0.1) == ("bird", 0.5)


def test_what_is_never_said_is_not_judged() -> None:
    assert judged(n903=0.9, n445=0.05) == ("", 0.0)
    assert judged(n903=0.9, n281=0.05) == ("cat", 0.05)


def test_animals_are_known_as_such() -> None:
    values = np.zeros(1000, np.float32)
    values[282] = 0.9
    assert Vocabulary(LABELS).judged(values).is_animal
    values[282], values[504] = 0, 0.9
    judgement = Vocabulary(LABELS).judged(values)
    assert not judgement.is_animal
    assert (judgement.of("cup"), judgement.of("cat")) == pytest.approx((0.9, 0))


def test_the_tables_agree_with_themselves() -> None:
    assert len(COCO) == len(set(COCO)) == 80
    assert not set(NOUNS) & UNSAID
    assert max([*NOUNS, *UNSAID]) < 1000
    assert all(noun == noun.strip().lower() for noun in [*NOUNS.values(), *COCO, *KINDS, *KINDS.values()])
    assert not set(KINDS.values()) & set(KINDS), "no kind is a kind of another"
    assert kind_of("penguin") == "bird"
    assert kind_of("cat") == "cat"
    assert noun_of(999, "toilet tissue") == "toilet paper"
    assert noun_of(604, "hourglass") == "hourglass"


@pytest.mark.parametrize(
    ("noun", "kind"), [("cat", "cat"), ("dog", "dog"), ("car", "car"), ("cup", "cup"), ("laptop", "screen")]
)
def test_both_judges_have_one_word_for_one_thing(noun: str, kind: str) -> None:
    assert noun in COCO
    assert kind in {kind_of(each) for each in NOUNS.values()}
    assert kind_of(noun) == kind
