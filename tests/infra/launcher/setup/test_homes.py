"""Whose home a set-up works in: never another checkout's."""

from dataclasses import replace
from pathlib import Path

import pytest

from infra.launcher.base.errors import BadUsage
from infra.launcher.base.layout import Layout
from infra.launcher.setup.page import refuse_link
from infra.launcher.setup.plan import claim_home


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "one" / "infra" / "launcher").mkdir(parents=True)
    return Layout(tmp_path / "one", home, home)


def test_a_home_is_claimed_again_and_again_by_its_checkout(layout: Layout) -> None:
    claim_home(layout)
    claim_home(layout)


def test_another_checkout_is_refused_the_home_and_both_are_named(layout: Layout, tmp_path: Path) -> None:
    claim_home(layout)
    with pytest.raises(BadUsage, match=f"AURA_HOME {layout.home} is that of the checkout {layout.root}"):
        claim_home(replace(layout, root=tmp_path / "two"))
    claim_home(layout)


def test_the_home_of_a_checkout_that_was_moved_is_free(layout: Layout, tmp_path: Path) -> None:
    claim_home(layout)
    layout.root.rename(tmp_path / "moved")
    claim_home(replace(layout, root=tmp_path / "moved"))


def test_packages_behind_a_link_are_not_emptied(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    link = tmp_path / "node_modules"
    refuse_link(link)
    link.symlink_to(tmp_path / "theirs")
    with pytest.raises(BadUsage, match=r"node_modules is a link to .*theirs"):
        refuse_link(link)
