"""Makes one list of things of what two judges say: the detector of places, the classifier of the whole and of places.

Pure. Breeds and synonyms have become nouns before (`nouns.py`).
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from pipeline.engines.image_recognition.things.boxes import Box, Detection
from pipeline.engines.image_recognition.things.judgement import Judgement
from pipeline.engines.image_recognition.things.nouns import KINDS, PERSON, WORN, kind_of
from pipeline.types.observation import SeenThing

AGREES = 0.15  # probability with which the classifier confirms what the detector says
DECIDES = 0.4  # probability from which the classifier may overrule the detector …
OVERRULES = 0.65  # … and so many times the detector's score
DETECTED = 0.5  # score at which the detector is believed alone …
DISPUTED = 0.65  # … and where the classifier was shown the place, and sees no such thing
CLASSIFIED = 0.35  # probability at which the classifier is believed alone, of the whole picture
ANIMAL_NOT_PERSON = 0.8  # an animal that is as probable is no person whose score is lower
LARGE = 0.25  # of the picture: what is so large is what the whole is judged by, too
SAME_PLACE = 0.6  # of the smaller one of two boxes of one name: they are one thing
MOST_THINGS = 6


@dataclass(frozen=True, slots=True)
class Candidate:
    """A thing in one place.

    Attributes:
        confidence: That of the judge who named it, in 0…1.
        is_certain: Both have.
    """

    name: str
    box: Box
    confidence: float
    is_certain: bool

    def weight(self, picture: Box) -> float:
        """How prominent it is."""
        return self.confidence * math.sqrt(self.box.area / max(picture.area, 1))


def fused(
    found: Sequence[tuple[Detection, Judgement | None]], whole: Sequence[Judgement], size: tuple[int, int]
) -> tuple[SeenThing, ...]:
    """What is in a picture, the most prominent first.

    Args:
        found: What the detector has found, and what the classifier says of each place that it was shown.
        whole: What the classifier says of the picture, and of its middle.
        size: Width and height of the picture.
    """
    picture = Box(0, 0, *size)
    agreed = {kind_of(detection.name) for detection, judgement in found if _agree(detection, judgement)}
    candidates: list[Candidate] = []
    refused: set[str] = set()
    for detection, judgement in found:
        candidate = _judged(detection, judgement, agreed)
        candidates += [candidate] if candidate else []
        if judgement and detection.name != PERSON and not (candidate and candidate.name == detection.name):
            refused.add(detection.name)
    refused -= {each.name for each in candidates if each.is_certain}
    candidates += [
        Candidate(detection.name, detection.box, detection.score, False)
        for detection, judgement in found
        if judgement is None and detection.score >= DETECTED and detection.name not in refused
    ]
    for judgement in sorted(whole, key=lambda each: -each.probability):
        candidates = _with_whole(candidates, judgement, picture)
    return _counted(_one_a_place(sorted(candidates, key=lambda each: (-each.weight(picture), each.name))))


def needs_no_judge(detection: Detection) -> bool:
    """True for people of whom the detector is sure: the classifier knows what they wear, and not them."""
    return detection.name == PERSON and detection.score >= ANIMAL_NOT_PERSON


def _agree(detection: Detection, judgement: Judgement | None) -> bool:
    return judgement is not None and detection.name != PERSON and judgement.of(detection.name) >= AGREES


def _judged(detection: Detection, judgement: Judgement | None, agreed: Collection[str]) -> Candidate | None:
    """The thing in a place that both have looked at; None if nobody is sure enough.

    Args:
        agreed: Kinds that both judges have seen somewhere: seen again in a larger place, it is the same thing that
            stands in it, as a cup on a table.
    """
    if judgement is None:
        return None
    name, box = detection.name, detection.box
    if _agree(detection, judgement):
        return Candidate(_more_special(name, judgement.noun), box, detection.score, True)
    if _overrules(judgement, detection) and kind_of(judgement.noun) not in agreed:
        return Candidate(judgement.noun, box, judgement.probability, False)
    least = DETECTED if name == PERSON else DISPUTED
    return Candidate(name, box, detection.score, False) if detection.score >= least else None


def _overrules(judgement: Judgement, detection: Detection) -> bool:
    """The classifier decides what a place is called, if it is sure; that it is nobody, only of animals."""
    if detection.name == PERSON:
        return judgement.is_animal and judgement.probability >= ANIMAL_NOT_PERSON > detection.score
    return judgement.probability >= max(DECIDES, OVERRULES * detection.score)


def _with_whole(candidates: list[Candidate], judgement: Judgement, picture: Box) -> list[Candidate]:
    """Adds what the picture as a whole is of, or makes what was found more special by it."""
    if judgement.probability < CLASSIFIED:
        return candidates
    noun, probability = judgement.noun, judgement.probability
    if alike := next((each for each in candidates if kind_of(each.name) == kind_of(noun)), None):
        special = replace(alike, name=_more_special(alike.name, noun))
        return [special if each is alike else each for each in candidates]
    if noun in WORN and any(each.name == PERSON for each in candidates):
        return candidates
    rivals = [each for each in candidates if _is_rival(each, picture)]
    if any(rival.confidence >= probability for rival in rivals):
        return candidates
    return [*(each for each in candidates if each not in rivals), Candidate(noun, picture, probability, False)]


def _is_rival(candidate: Candidate, picture: Box) -> bool:
    """True if it may be the very thing that the whole picture is of, under another name."""
    return not candidate.is_certain and candidate.name != PERSON and candidate.box.area >= LARGE * picture.area


def _more_special(name: str, other: str) -> str:
    """The other name, if it is one of a kind that the name stands for."""
    return other if KINDS.get(other) == name else name


def _one_a_place(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Of several of one kind that are in each other's place, the first."""
    kept: list[Candidate] = []
    for each in candidates:
        alike = (other for other in kept if kind_of(other.name) == kind_of(each.name))
        if all(each.box.overlap(other.box) < SAME_PLACE * min(each.box.area, other.box.area) for other in alike):
            kept.append(each)
    return kept


def _counted(candidates: Sequence[Candidate]) -> tuple[SeenThing, ...]:
    names = dict.fromkeys(each.name for each in candidates)
    things = []
    for name in names:
        same = [each for each in candidates if each.name == name]
        things.append(SeenThing(name, len(same), any(each.is_certain for each in same)))
    return tuple(things[:MOST_THINGS])
