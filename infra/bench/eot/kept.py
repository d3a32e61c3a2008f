"""Keeps what was measured in a file, so that a measurement that was stopped goes on where it was."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from infra.bench.eot.next_words import next_words
from infra.bench.eot.turns import TurnScript
from infra.bench.eot.voices import Voice
from infra.bench.eot.witnesses import Verdicts, Witnesses


def read_kept(path: Path) -> list[Verdicts]:
    """What is in the file, a line each; nothing if there is none."""
    lines = path.read_bytes().splitlines() if path.is_file() else []
    return [msgspec.json.decode(line, type=Verdicts) for line in lines]


async def heard(
    scripts: Sequence[TurnScript], speakers: Mapping[str, Voice], models_dir: Path, path: Path
) -> AsyncIterator[list[Verdicts]]:
    """What the witnesses say of each turn by each voice that the file does not have yet; it has it then.

    Raises:
        ConfigError: A model is missing.
    """
    known = {(each.turn, each.voice) for each in read_kept(path)}
    lacking = [*_lacking(scripts, speakers, known)]
    if not lacking:
        return
    async with next_words(models_dir) as language_model:
        witnesses = Witnesses(models_dir, language_model)
        try:
            for script, name in lacking:
                found = [each async for each in witnesses.hear(script, name, speakers[name])]
                with path.open("ab") as file:
                    file.write(b"".join(msgspec.json.encode(each) + b"\n" for each in found))
                yield found
        finally:
            await witnesses.aclose()


def _lacking(
    scripts: Sequence[TurnScript], speakers: Mapping[str, Voice], known: set[tuple[int, str]]
) -> Iterator[tuple[TurnScript, str]]:
    return ((script, name) for script in scripts for name in speakers if (script.number, name) not in known)
