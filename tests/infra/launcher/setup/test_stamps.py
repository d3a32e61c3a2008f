"""Stamps: a step is skipped exactly until something that goes into it changes."""

import os
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from infra.launcher.base.errors import CommandFailed, Offline
from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Display, ProgressStep
from infra.launcher.setup.page import build_page
from infra.launcher.setup.setup_context import SetupContext
from infra.launcher.setup.stamps import Stamp
from infra.launcher.setup.toolchains import bring


def test_a_stamp_holds_until_a_source_changes(tmp_path: Path) -> None:
    source, output = tmp_path / "source", tmp_path / "output"
    source.write_text("a")
    output.touch()
    Stamp.of(tmp_path / "stamp", ["flag"], [source]).write()
    assert Stamp.of(tmp_path / "stamp", ["flag"], [source]).holds(output)
    source.write_text("b")
    assert not Stamp.of(tmp_path / "stamp", ["flag"], [source]).holds(output)


def test_a_stamp_does_not_hold_for_other_facts(tmp_path: Path) -> None:
    Stamp.of(tmp_path / "stamp", ["ab", "c"]).write()
    assert not Stamp.of(tmp_path / "stamp", ["a", "bc"]).holds()


def test_a_stamp_does_not_hold_without_its_output(tmp_path: Path) -> None:
    stamp = Stamp.of(tmp_path / "stamp", [])
    stamp.write()
    assert stamp.holds()
    assert not stamp.holds(tmp_path / "output")


@pytest.mark.anyio
async def test_a_step_that_broke_off_is_taken_again_also_for_what_it_was_made_from_before(
    layout: Layout, display: Display, tmp_path: Path
) -> None:
    """A branch with other requirements is set up and interrupted; then the one before is checked out again."""
    setup, output = SetupContext(layout, {}, display), tmp_path / "output"
    one, other = (Stamp.of(layout.stamp("step"), [fact]) for fact in ("one", "other"))

    async def make(_: ProgressStep) -> None:
        output.write_text("whole")

    async def break_off(_: ProgressStep) -> None:
        output.write_text("ha")
        raise KeyboardInterrupt

    await setup.make_once("step", one, output, make)
    with pytest.raises(KeyboardInterrupt):
        await setup.make_once("step", other, output, break_off)
    await setup.make_once("step", one, output, make)
    assert output.read_text() == "whole"


@pytest.mark.anyio
@pytest.mark.parametrize("replaces", [False, True], ids=["as it was", "replaced"])
async def test_a_step_that_found_no_network_leaves_what_was_there_to_whoever_goes_back(
    layout: Layout, display: Display, tmp_path: Path, replaces: bool
) -> None:
    """A branch with other requirements is checked out on a train; then the one before, which is set up."""
    setup, output = SetupContext(layout, {}, display), tmp_path / "output"
    one, other = (Stamp.of(layout.stamp("step"), [fact]) for fact in ("one", "other"))

    async def make(_: ProgressStep) -> None:
        output.write_text("whole")

    async def find_nobody(_: ProgressStep) -> None:
        if replaces:  # as a venv that is made anew before its packages are fetched
            output.unlink()
            output.touch()
        raise Offline("nothing could be reached")

    await setup.make_once("step", one, output, make)
    with pytest.raises(Offline):
        await setup.make_once("step", other, output, find_nobody)
    assert one.holds(output) is not replaces and not other.holds(output)


@pytest.mark.anyio
async def test_a_tool_that_broke_off_is_brought_again(layout: Layout, display: Display, tmp_path: Path) -> None:
    checkout = replace(layout, root=tmp_path)
    setup, folder = SetupContext(checkout, {"PATH": os.environ["PATH"]}, display), checkout.tools / "go"
    pins = checkout.requirements("go")
    write_program(checkout.uv, f"mkdir -p {folder}; grep -q one {pins} && touch {folder}/whole")
    pins.parent.mkdir(parents=True)
    pins.write_text("one")
    await bring(setup, "go")
    pins.write_text("other")
    with pytest.raises(CommandFailed):
        await bring(setup, "go")
    pins.write_text("one")
    await bring(setup, "go")
    assert (folder / "whole").exists()


@pytest.mark.anyio
async def test_packages_of_the_page_that_broke_off_are_installed_again(
    layout: Layout, display: Display, tmp_path: Path
) -> None:
    checkout = replace(layout, root=tmp_path)
    frontend, programs = checkout.frontend, tmp_path / "programs"
    write_program(programs / "node", "echo v99.0.0")
    write_program(
        programs / "npm",
        "if [ $1 = run ]; then mkdir -p dist; touch dist/index.html; exit; fi\n"
        "rm -rf node_modules; mkdir node_modules; grep -q one package.json && touch node_modules/whole",
    )
    frontend.mkdir()
    (frontend / "package-lock.json").touch()
    setup = SetupContext(checkout, {"PATH": f"{programs}:{os.environ['PATH']}"}, display)
    for packages in ("one", "other", "one"):
        (frontend / "package.json").write_text(packages)
        with nullcontext() if packages == "one" else pytest.raises(CommandFailed):
            await build_page(setup)
    assert (frontend / "node_modules" / "whole").exists()


def write_program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
