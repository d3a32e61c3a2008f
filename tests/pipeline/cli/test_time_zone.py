"""One variable says in which zone the time is told, by the agent's tool and by a small model alike."""

import os
import time
from collections.abc import Generator
from datetime import timedelta

import pytest

from pipeline.cli.time_zone import set_time_zone
from pipeline.errors import ConfigError
from pipeline.types.local_time import local_time


@pytest.fixture(autouse=True)
def zone_as_before(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_the_time_is_told_in_the_zone_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AURA_TIMEZONE", "Asia/Tokyo")
    set_time_zone(os.environ)
    assert local_time().utcoffset() == timedelta(hours=9)


def test_without_a_name_it_is_the_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AURA_TIMEZONE", raising=False)
    set_time_zone(os.environ)
    assert local_time().utcoffset() == timedelta(0)


@pytest.mark.parametrize("name", ["Mars/Olympus", "/etc/passwd", "../UTC"])
def test_a_zone_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("AURA_TIMEZONE", name)
    with pytest.raises(ConfigError, match=f"AURA_TIMEZONE: `{name}` is no time zone"):
        set_time_zone(os.environ)
    assert local_time().utcoffset() == timedelta(0)
