"""Reads the tables of a document in Markdown: what stands in them is compared with the code."""

import re
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

Row = tuple[str, ...]  # the cells, without the blanks around them


def tables(path: Path) -> Mapping[str, tuple[Row, ...]]:
    """The rows of all tables, by the heading above them; heads of tables and their rules are left out."""
    found: dict[str, tuple[Row, ...]] = {}
    heading, above = "", ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = line.lstrip("#").strip()
        elif line.startswith("|") and above.startswith("|") and not _is_rule(line):
            found[heading] = (*found.get(heading, ()), _cells(line))
        above = line
    return found


def names(cell: str) -> list[str]:
    """What stands in a cell as code."""
    return re.findall(r"`([^`]+)`", cell)


def _cells(line: str) -> Row:
    return tuple(cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|")))


def _is_rule(line: str) -> bool:
    return not line.strip("|-: ")
