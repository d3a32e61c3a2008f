"""Keeps cases in a file, so that they are made once: for several stacks, or for a machine without these voices."""

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from infra.bench.base.speech import Sound
from infra.bench.turn_taking.sounds.cases import CLASSES, Case, CaseClass

NOT_KEPT = (
    *(OSError, KeyError, EOFError, TypeError, ValueError),
    *(zipfile.BadZipFile, zlib.error, msgspec.DecodeError),
)  # by what reads a file of somebody else's, or a damaged one
INDEX, QUESTION = "index", "question"  # beside the sounds, which have their numbers for names


class KeptSound(msgspec.Struct, frozen=True, rename={"kind": "class"}, forbid_unknown_fields=True):
    """A case but for its sound."""

    kind: CaseClass
    what: str
    language: str
    pause_at_s: float
    longest_pause_s: float
    pauses: int


@dataclass(frozen=True, slots=True)
class Sounds:
    """What is said in a measurement.

    Attributes:
        question: After which the story is told: PCM16, 48 kHz mono.
        cases: In the order in which they come.
    """

    question: Sound
    cases: Sequence[Case]


def keep(file: Path, sounds: Sounds) -> None:
    """Write all of them, without loss: some 65 KB a case."""
    index = [
        KeptSound(case.kind, case.what, case.language, case.pause_at_s, case.longest_pause_s, case.pauses)
        for case in sounds.cases
    ]
    arrays: dict[str, Any] = {str(at): _bends(case.sound) for at, case in enumerate(sounds.cases)}
    arrays |= {INDEX: np.frombuffer(msgspec.json.encode(index), np.uint8), QUESTION: _bends(sounds.question)}
    with file.open("wb") as there:
        np.savez_compressed(there, **arrays)


def read(file: Path) -> Sounds:
    """What `keep` has written.

    Raises:
        ValueError: Something else is there; it says what.
    """
    try:
        with np.load(file) as kept:
            index = msgspec.json.decode(kept[INDEX].tobytes(), type=list[KeptSound])
            return Sounds(_sound(kept[QUESTION]), [*_cases(index, kept)])
    except NOT_KEPT as error:
        raise ValueError(f"{file}: {error}") from error


def chosen(
    cases: Sequence[Case], each: int, skip: int, kinds: Sequence[CaseClass], languages: Sequence[str]
) -> list[Case]:
    """So many cases of each class, in their order.

    Args:
        skip: Leave so many of each class out.
        languages: Only these; empty: all.
    """
    some = [case for case in cases if not languages or case.language in languages]
    picked = {
        id(case)
        for kind in CLASSES
        if kind in kinds
        for case in islice((case for case in some if case.kind == kind), skip, skip + each)
    }
    return [case for case in some if id(case) in picked]


def _cases(index: Sequence[KeptSound], kept: np.lib.npyio.NpzFile) -> Iterator[Case]:
    for at, one in enumerate(index):
        sound = _sound(kept[str(at)])
        yield Case(one.kind, one.what, one.language, sound, one.pause_at_s, one.longest_pause_s, one.pauses)


def _bends(sound: Sound) -> Sound:
    """By how much each sample leaves the line through the two before it, which takes a third less room; it wraps."""
    return np.diff(sound, n=2, prepend=np.zeros(2, np.int16))


def _sound(bends: Sound) -> Sound:
    return np.asarray(np.cumsum(np.cumsum(bends, dtype=np.int16), dtype=np.int16), np.int16)
