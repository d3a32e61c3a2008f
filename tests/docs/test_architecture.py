"""`docs/architecture.md` names every room of the packages and no other, in their order, with the purpose of each."""

import ast
from pathlib import Path
from typing import get_args

import pytest

from agent.floor.floor import DropReason
from tests.docs.tables import DOCS, ROOT, names, tables
from tests.test_rooms import AGENT, PIPELINE

PAGE = DOCS / "architecture.md"


@pytest.mark.parametrize("package", ["pipeline", "agent", "infra"])
def test_every_room_is_there_and_no_other(package: str) -> None:
    folders = {f"{path.name}/" for path in (ROOT / package).iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert {name for name in rooms(package) if name.endswith("/")} == folders


@pytest.mark.parametrize(("package", "order"), [("pipeline", PIPELINE), ("agent", AGENT)])
def test_rooms_stand_in_the_order_in_which_they_import(package: str, order: tuple[str, ...]) -> None:
    assert [name.rstrip("/").removesuffix(".py") for name in rooms(package)] == list(order)


@pytest.mark.parametrize("package", ["pipeline", "agent", "infra"])
def test_every_room_says_of_itself_what_its_code_says(package: str) -> None:
    wrong = [name for name, said in rooms(package).items() if not said.startswith(purpose(ROOT / package / name))]
    assert wrong == []


def test_every_reason_for_which_an_offer_is_dropped_is_there_and_no_other() -> None:
    reasons = [name for row in tables(PAGE)["Speaking up"] for name in names(row[0])]
    assert sorted(reasons) == sorted(get_args(DropReason))


def rooms(package: str) -> dict[str, str]:
    """What is said of each, in the order of the page."""
    rows = tables(PAGE)[f"Rooms of `{package}/`"]
    return {name: row[1] for row in rows for name in names(row[0])}


def purpose(room: Path) -> str:
    """The first line of its docstring; nothing of a folder that holds no code."""
    path = room / "__init__.py" if room.is_dir() else room
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) if path.exists() else None
    return docstring.splitlines()[0] if docstring else ""
