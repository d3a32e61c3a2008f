"""A job that ends on purpose says so to its worker, from its own process."""

import multiprocessing
from collections.abc import Iterator
from typing import Any

import pytest
from livekit import rtc

from agent.rooms.farewells import SILENT, Farewells, FarewellSender, Leaving
from tests.agent.rooms.test_presence import Room

MANY = 5_000


@pytest.fixture
def farewells() -> Iterator[Farewells]:
    farewells = Farewells()
    yield farewells
    farewells.close()


def say(sender: FarewellSender, job: str) -> None:
    sender.say(job)


def test_a_worker_knows_which_of_its_jobs_left_on_purpose_and_only_once(farewells: Farewells) -> None:
    farewells.sender.say("AJ_1")
    farewells.sender.say("AJ_2")
    assert [farewells.take(job) for job in ("AJ_3", "AJ_2", "AJ_1", "AJ_1")] == [False, True, True, False]


def test_another_process_is_heard(farewells: Farewells) -> None:
    process = multiprocessing.get_context("forkserver").Process(target=say, args=(farewells.sender, "AJ_1"))
    process.start()
    process.join(30)
    assert process.exitcode == 0
    assert farewells.take("AJ_1")


def test_nobody_waits_for_a_worker_that_reads_no_more(farewells: Farewells) -> None:
    for number in range(MANY):
        farewells.sender.say(f"AJ_{number}")
    farewells.close()
    farewells.sender.say("AJ_1")
    SILENT.say("AJ_1")


@pytest.mark.parametrize(
    ("reason", "meant"),
    [
        ("PARTICIPANT_REMOVED", True),
        ("ROOM_DELETED", True),
        ("ROOM_CLOSED", True),
        ("CLIENT_INITIATED", False),
        ("SERVER_SHUTDOWN", False),
        ("CONNECTION_TIMEOUT", False),
        ("SIGNAL_CLOSE", False),
        ("STATE_MISMATCH", False),
    ],
)
def test_who_is_sent_away_says_so_and_who_loses_the_room_does_not(
    farewells: Farewells, reason: Any, meant: bool
) -> None:
    room: Any = Room()
    Leaving(room, farewells.sender, "AJ_1")
    room.emit("disconnected", rtc.DisconnectReason.Value(reason))
    assert farewells.take("AJ_1") is meant
