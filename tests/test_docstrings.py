"""Docstrings of the product begin with a sentence; shapes, units, errors and sources come after it."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.test_rooms import PRODUCT, ROOT, tree

SECTION = re.compile(r"(Args|Attributes|Raises|Returns|Yields|Example|Examples|Note|Notes|Source):$")


@pytest.mark.parametrize(
    "docstring", ["", "\n  Attributes:\n", "Raises:\n    OSError: Gone.\n", "What is heard", "Of it\n\nMore."]
)
def test_a_fault_is_found(docstring: str) -> None:
    assert fault(docstring)


@pytest.mark.parametrize(
    "docstring", ["It ends.", "It goes on\nand ends.\n\n    Args:\n        x: One", "It lists:", "Is it?"]
)
def test_a_sentence_is_none(docstring: str) -> None:
    assert not fault(docstring)


def test_every_public_docstring_begins_with_a_sentence() -> None:
    faults = [
        f"{path.relative_to(ROOT)}:{line}: {name} {found}"
        for path in PRODUCT
        for name, line, docstring in public_docstrings(tree(path))
        if (found := fault(docstring))
    ]
    assert faults == []


def fault(docstring: str) -> str:
    """What keeps a docstring, as it stands in the source, from beginning with a sentence; empty if nothing does."""
    first = docstring.split("\n", 1)[0].strip()
    if not first:
        return "begins with an empty line"
    if SECTION.match(first):
        return f"begins with the section {first}"
    paragraph = re.split(r"\n\s*\n", docstring, maxsplit=1)[0].rstrip()
    return "" if paragraph.endswith((".", ":", "?", "!")) else "begins with a paragraph that does not end"


def public_docstrings(module: ast.Module) -> Iterator[tuple[str, int, str]]:
    """Yields name, line and docstring of a module and of its public classes, functions and methods."""
    yield from _docstring("module", module)
    yield from _inside(module)


def _inside(scope: ast.Module | ast.ClassDef) -> Iterator[tuple[str, int, str]]:
    for node in scope.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield from _docstring(node.name, node)
            if isinstance(node, ast.ClassDef):
                yield from _inside(node)


def _docstring(
    name: str, node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
) -> Iterator[tuple[str, int, str]]:
    docstring = ast.get_docstring(node, clean=False)
    if docstring is not None:
        yield name, node.body[0].lineno, docstring
