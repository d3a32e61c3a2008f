"""This module reads a file of variables (`.env`), and says which value of a variable counts."""

import re
from collections.abc import Mapping
from pathlib import Path

from agent.settings.environment import SettingsError

FILES = (".env.local", ".env")  # in the working directory, of which the first one wins; LiveKit's tools write the first
LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=\s*(.*)")
DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?')
SINGLE = re.compile(r"'([^']*)'\s*(?:#.*)?")
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def with_files(environ: Mapping[str, str], file: Path | None, folder: Path) -> Mapping[str, str]:
    """Return the environment over what files say: the named one, or those of `FILES` that are in the folder.

    Raises:
        SettingsError: A file cannot be read, or a line of it; names both.
    """
    found: dict[str, str] = {}
    for path in [file] if file else [folder / name for name in reversed(FILES) if (folder / name).is_file()]:
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            raise SettingsError([f"{path} cannot be read: {why}"]) from error
        found |= variables(text, path.name)
    return {**found, **environ}


def variables(text: str, name: str) -> dict[str, str]:
    """Return what the text of a file says: lines of `NAME=value`, with or without `export`, comments and quotes.

    Within double quotes a backslash begins `\\n`, `\\r`, `\\t`, or stands before a letter that is meant as it is.

    Raises:
        SettingsError: Names each line that says nothing, and never shows it: it may hold a secret.
    """
    found: dict[str, str] = {}
    wrong: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        parts = LINE.fullmatch(bare)
        value = _value(parts[2]) if parts else None
        if parts is None or value is None:
            wrong.append(number)
        else:
            found[parts[1]] = value
    if wrong:
        raise SettingsError([f"{name}: line {number} is not NAME=value" for number in wrong])
    return found


def _value(text: str) -> str | None:
    """Return what stands behind the `=`; None: its quotes do not close."""
    if text.startswith('"'):
        quoted = DOUBLE.fullmatch(text)
        return re.sub(r"\\(.)", _escaped, quoted[1]) if quoted else None
    if text.startswith("'"):
        quoted = SINGLE.fullmatch(text)
        return quoted[1] if quoted else None
    return re.split(r"(?:^|\s)#", text, maxsplit=1)[0].strip()


def _escaped(match: re.Match[str]) -> str:
    return ESCAPES.get(match[1], match[1])
