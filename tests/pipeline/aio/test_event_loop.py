"""The loop that the pipeline runs on is uvloop's where there is one, and else Python's own."""

import asyncio
import sys
from types import ModuleType

import pytest

from pipeline.aio.event_loop import new_event_loop


class OtherLoop(asyncio.SelectorEventLoop):
    pass


def test_the_loop_is_uvloops_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("uvloop")
    module.new_event_loop = OtherLoop  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "uvloop", module)
    loop = new_event_loop()
    loop.close()
    assert type(loop) is OtherLoop


def test_without_it_the_loop_is_pythons_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    loop = new_event_loop()
    loop.close()
    assert type(loop).__module__.startswith("asyncio")
