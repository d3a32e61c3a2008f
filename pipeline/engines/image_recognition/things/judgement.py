"""What the classifier's probabilities mean in plain nouns. Pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.engines.image_recognition.things.nouns import ANIMALS, kind_of, noun_of

STANDS_OUT = 0.6  # share of a kind's probability with which one noun of it is the one


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the classifier says of a picture, or of a part of one.

    Attributes:
        noun: The likeliest; the kind's own noun where no special one stands out.
        probability: That of its kind.
        is_animal: The kind is one of animals.
        kinds: The probability of each kind.
    """

    noun: str
    probability: float
    is_animal: bool
    kinds: Mapping[str, float]

    def of(self, noun: str) -> float:
        """The probability that it is a thing of that noun's kind."""
        return self.kinds.get(kind_of(noun), 0.0)


class Vocabulary:
    """Knows the noun of each label: breeds and synonyms count together before anything is decided."""

    def __init__(self, labels: Sequence[str]) -> None:
        self._nouns = [noun_of(number, label) for number, label in enumerate(labels)]
        self._animals = {kind_of(noun) for noun in self._nouns[:ANIMALS]}

    def judged(self, probabilities: NDArray[np.float32]) -> Judgement:
        """Sums up the probabilities of all labels; those that are never said are left out."""
        nouns: defaultdict[str, float] = defaultdict(float)
        kinds: defaultdict[str, float] = defaultdict(float)
        for number in np.flatnonzero(probabilities):
            if noun := self._nouns[number]:
                nouns[noun] += float(probabilities[number])
                kinds[kind_of(noun)] += float(probabilities[number])
        if not kinds:
            return Judgement("", 0.0, False, {})
        kind = max(kinds, key=lambda each: kinds[each])
        noun = max((each for each in nouns if kind_of(each) == kind), key=lambda each: nouns[each])
        special = noun if nouns[noun] >= STANDS_OUT * kinds[kind] else kind
        return Judgement(special, kinds[kind], kind in self._animals, dict(kinds))
