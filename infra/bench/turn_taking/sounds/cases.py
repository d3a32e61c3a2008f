"""The cases: each is a sound that is made over an answer, and what is to become of the answer."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, islice, product
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from infra.bench.base.speech import RATE, Sound
from infra.bench.turn_taking.sounds.noises import NOISES, babble, muffled, quieter
from infra.bench.turn_taking.sounds.pauses import paused_turn
from infra.bench.turn_taking.sounds.voices import VoiceGuise, Voices

CaseClass = Literal["interruption", "backchannel", "noise", "aside", "pause"]
CLASSES: tuple[CaseClass, ...] = ("interruption", "backchannel", "noise", "aside", "pause")
OVER_ANSWERS = CLASSES[:4]
LEVELS_DB = (20.0, 10.0, 5.0)  # by which a noise is quieter than the person speaks
ASIDE_DB = (10.0, 14.0, 18.0)  # by which somebody is who turns away, or is not the person
CROWD = 6  # voices of a babble


class Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is said, by language."""

    interruption: Mapping[str, tuple[str, ...]]
    backchannel: Mapping[str, tuple[str, ...]]
    aside: Mapping[str, tuple[str, ...]]
    pause: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Case:
    """A sound over an answer, or a turn with pauses in it.

    Attributes:
        what: The words or the noise, the voice and the level.
        language: ISO 639-1 code of the call.
        sound: PCM16, 48 kHz mono.
        pause_at_s: When in the sound the first pause begins, of a turn that has some.
        longest_pause_s: Of these.
        pauses: How many there are.
    """

    kind: CaseClass
    what: str
    language: str
    sound: Sound = field(repr=False)
    pause_at_s: float = 0.0
    longest_pause_s: float = 0.0
    pauses: int = 0

    @property
    def seconds(self) -> float:
        return len(self.sound) / RATE


def read_phrases() -> Phrases:
    return msgspec.convert(tomllib.loads(Path(__file__).with_name("phrases.toml").read_text()), Phrases)


def make_cases(
    voices: Voices,
    each: int,
    seed: int,
    *,
    languages: tuple[str, ...] = (),
    kinds: Sequence[CaseClass] = OVER_ANSWERS,
    skip: int = 0,
) -> list[Case]:
    """So many cases of each class, in a random order that the seed decides.

    Args:
        languages: Only these; empty: all that a voice is here for.
        skip: Leave so many of each class out.
    """
    dice, phrases = np.random.default_rng(seed), read_phrases()
    makers = {
        "interruption": _spoken(voices, "interruption", phrases.interruption, dice, languages),
        "backchannel": _spoken(voices, "backchannel", phrases.backchannel, dice, languages),
        "noise": _noises(voices, dice),
        "aside": _asides(voices, phrases.aside, dice, languages),
        "pause": _with_pauses(voices, phrases.pause, dice, languages),
    }
    cases = [case for kind in CLASSES if kind in kinds for case in islice(makers[kind], skip, skip + each)]
    return [cases[at] for at in dice.permutation(len(cases))]


def _texts(
    voices: Voices, phrases: Mapping[str, tuple[str, ...]], dice: np.random.Generator, languages: tuple[str, ...]
) -> Iterator[tuple[str, str, VoiceGuise]]:
    """Language, words and speaker, of all that there are in a random order, again and again."""
    pairs = [
        (language, text, speaker)
        for language, texts in phrases.items()
        if not languages or language in languages
        for text, speaker in product(texts, voices.speakers(language))
    ]
    for at in cycle(dice.permutation(len(pairs))):
        yield pairs[at]


def _said(
    voices: Voices, phrases: Mapping[str, tuple[str, ...]], dice: np.random.Generator, languages: tuple[str, ...]
) -> Iterator[tuple[str, str, str, Sound]]:
    """Language, words, speaker and sound."""
    for language, text, speaker in _texts(voices, phrases, dice, languages):
        yield language, text, speaker.name, voices.say(speaker, language, text)


def _spoken(
    voices: Voices,
    kind: CaseClass,
    phrases: Mapping[str, tuple[str, ...]],
    dice: np.random.Generator,
    languages: tuple[str, ...],
) -> Iterator[Case]:
    for language, text, speaker, sound in _said(voices, phrases, dice, languages):
        yield Case(kind, f"{text} ({language}, {speaker})", language, sound)


def _noises(voices: Voices, dice: np.random.Generator) -> Iterator[Case]:
    crowd = read_phrases().aside["en"] + read_phrases().interruption["en"]
    for name, db in cycle(product((*NOISES, "babble"), LEVELS_DB)):
        if name in NOISES:
            sound = NOISES[name](dice)
        else:
            speakers = voices.speakers("en")
            several = [
                voices.say(speakers[int(dice.integers(len(speakers)))], "en", str(text))
                for text in dice.choice(np.array(crowd), CROWD)
            ]
            sound = babble(dice, several)
        yield Case("noise", f"{name} at {db:g} dB", "en", quieter(sound, db))


def _asides(
    voices: Voices, phrases: Mapping[str, tuple[str, ...]], dice: np.random.Generator, languages: tuple[str, ...]
) -> Iterator[Case]:
    for (language, text, speaker, sound), db in zip(
        _said(voices, phrases, dice, languages), cycle(ASIDE_DB), strict=False
    ):
        yield Case("aside", f"{text} ({language}, {speaker}, {db:g} dB)", language, quieter(muffled(sound), db))


def _with_pauses(
    voices: Voices, phrases: Mapping[str, tuple[str, ...]], dice: np.random.Generator, languages: tuple[str, ...]
) -> Iterator[Case]:
    for language, text, speaker in _texts(voices, phrases, dice, languages):
        turn = paused_turn(text, partial(voices.say, speaker, language), dice)
        what = f"{text} ({language}, {speaker.name}, {turn.longest_pause_s:.1f} s)"
        yield Case("pause", what, language, turn.sound, turn.pause_at_s, turn.longest_pause_s, turn.pauses)
