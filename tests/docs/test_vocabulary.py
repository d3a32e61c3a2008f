"""What `docs/vocabulary.md` calls by name stands in the code."""

import ast

from tests.docs.tables import DOCS, ROOT, names, tables


def test_every_name_is_one_of_the_code() -> None:
    rows = tables(DOCS / "vocabulary.md")["Vocabulary"]
    assert {name for row in rows for name in names(row[2])} - named() == set()


def named() -> set[str]:
    """The classes, functions, constants and fields of the product."""
    found = set[str]()
    for path in (path for package in ("agent", "pipeline", "infra") for path in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    found.add(name)
                case ast.Name(id=name, ctx=ast.Store()):
                    found.add(name)
    return found
