"""`docs/architecture.md` names every room of the packages, and no other."""

import pytest

from tests.docs.tables import DOCS, ROOT, names, tables


@pytest.mark.parametrize("package", ["pipeline", "agent", "infra"])
def test_every_room_is_there_and_no_other(package: str) -> None:
    folders = {f"{path.name}/" for path in (ROOT / package).iterdir() if path.is_dir() and path.name != "__pycache__"}
    rows = tables(DOCS / "architecture.md")[f"Rooms of `{package}/`"]
    assert {name for row in rows for name in names(row[0])} == folders
