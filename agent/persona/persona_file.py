"""A persona file: TOML, whose every fault is told at once."""

import tomllib
from pathlib import Path

from agent.persona.changes import CHOICE, PersonaChanges, read_changes

MOST_BYTES = 256 * 1024


def read_persona_file(path: Path) -> tuple[PersonaChanges, list[str]]:
    """What the file says of the persona, and its faults, each with the file's name in front."""
    if path.exists() and not path.is_file():
        return PersonaChanges(), [f"{path}: it is no file"]
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            return PersonaChanges(), [f"{path}: it has more than {MOST_BYTES:,} bytes"]
        table = tomllib.loads(data.decode())
    except OSError as error:
        return PersonaChanges(), [f"{path}: it cannot be read ({error.strerror})"]
    except UnicodeDecodeError:
        return PersonaChanges(), [f"{path}: it is no UTF-8"]
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return PersonaChanges(), [f"{path}: it is no TOML: {error}"]
    chooses = [f"{path}: {CHOICE}: a file says who a persona is, and chooses none"] if CHOICE in table else []
    changes, refusals = read_changes({name: value for name, value in table.items() if name != CHOICE})
    return changes, [*chooses, *(f"{path}: {refusal}" for refusal in refusals)]
