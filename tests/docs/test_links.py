"""What the documents point at is there, and the README is for somebody who has a minute."""

import re
from pathlib import Path

import pytest

from tests.docs.tables import DOCS, ROOT

README = ROOT / "README.md"
PAGES = (README, *sorted(DOCS.glob("*.md")))
MOST_LINES = 100
BUILT = {"frontend/dist", "frontend/node_modules", "tests/e2e/out/"}  # there once the page has been built, and tested


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [link for link in links(page) if not leads_somewhere(page, link)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_module_that_is_named_by_its_room_is_there(page: Path) -> None:
    modules = re.findall(r"`([a-z]\w+/[\w/]+\.py)`", page.read_text(encoding="utf-8"))
    rooms = (ROOT, ROOT / "pipeline", ROOT / "infra")
    assert [module for module in modules if not any((room / module).exists() for room in rooms)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_of_the_code_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    paths = re.findall(r"`((?:agent|pipeline|infra|tests|frontend|docs)/[\w./*-]+)`", text)
    assert [path for path in paths if not any(ROOT.glob(path.rstrip("/"))) and path not in BUILT] == []


def test_every_page_is_found_from_the_readme() -> None:
    assert {link.partition("#")[0] for link in links(README)} >= {f"docs/{page.name}" for page in PAGES[1:]}


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def links(page: Path) -> list[str]:
    """Those into this checkout."""
    found = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    return [link for link in found if "://" not in link]


def leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return target.exists() and (not anchor or anchor in anchors(target))


def anchors(page: Path) -> set[str]:
    """Of its headings, as forges make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
