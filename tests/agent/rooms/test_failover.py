"""A room that has lost its agent, and not its people, gets another."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agent.rooms.failover import LOOK_S, MOST, WITHIN_S, Failover, RoomJob
from agent.rooms.failover_metadata import FailoverMetadata, begun_call, failover_metadata, given_metadata
from agent.rooms.job_store import JobStore

pytestmark = pytest.mark.anyio

FOREIGN = (
    "",
    "somebody else's",
    "{}",
    "[]",
    "null",
    '{"tenant": 7}',
    '{"line": "a telephone line of somebody else\'s"}',
    '{"aura.failover": {"resume_token": "token"}}',
    '{"aura.failover.version": 2, "aura.failover": {"resume_token": "token"}}',
    '{"aura.failover.version": 1, "aura.failover": {"resume_token": 7}}',
    '{"aura.failover.version": 1, "aura.failover": {"resume_token": "token"}, "tenant": 7}',
    '{"line": "\ud800"}',
    "7",
    "[" * 100_000,
    "x" * 1_000_000,
    '{"aura.failover": {"x": ' + "[" * 100_000,
    '{"phone_number": "+15550100"}',
)
FOREIGN_IDS = [repr(metadata[:40]) for metadata in FOREIGN]
HALL, KITCHEN = RoomJob("hall", "agent-1"), RoomJob("kitchen", "agent-2")


class Worker:
    """Its jobs, and who is called in the place of which."""

    def __init__(self) -> None:
        self.jobs = {HALL, KITCHEN}
        self.people = {"hall", "kitchen"}
        self.recalls: list[tuple[float, RoomJob]] = []
        self.broken = False

    def running_jobs(self) -> set[RoomJob]:
        return self.jobs

    async def watcher(self, lost: RoomJob) -> bool:
        if self.broken:
            raise OSError("the server is away")
        if lost.room in self.people:
            self.recalls.append((asyncio.get_running_loop().time(), lost))
        return lost.room in self.people


@asynccontextmanager
async def watched() -> AsyncIterator[Worker]:
    worker = Worker()
    async with asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(Failover(worker, JobStore(None)).run())
        await asyncio.sleep(0.1)
        yield worker
        watching.cancel()


async def test_only_the_room_whose_job_died_gets_another_agent_and_at_once() -> None:
    async with watched() as worker:
        await asyncio.sleep(100)
        assert worker.recalls == []
        worker.jobs = {KITCHEN}
        died = asyncio.get_running_loop().time()
        await asyncio.sleep(100)
        ((moment, lost),) = worker.recalls
        assert lost == HALL
        assert moment - died <= LOOK_S


async def test_a_room_without_people_gets_none() -> None:
    async with watched() as worker:
        worker.people = set()
        worker.jobs = set()
        await asyncio.sleep(10)
        assert worker.recalls == []


async def test_a_call_that_kills_every_agent_is_given_up_for_a_minute() -> None:
    async with watched() as worker:
        for number in range(10):
            worker.jobs = {KITCHEN, RoomJob("hall", f"agent-again-{number}")}
            await asyncio.sleep(1)
        assert [lost.room for _, lost in worker.recalls] == ["hall"] * MOST
        worker.jobs = {RoomJob("hall", "agent-last")}
        await asyncio.sleep(1)
        assert worker.recalls[-1][1] == KITCHEN
        await asyncio.sleep(WITHIN_S)
        worker.jobs = set()
        await asyncio.sleep(1)
        assert worker.recalls[-1][1] == RoomJob("hall", "agent-last")


async def test_what_a_killed_worker_has_left_behind_is_found_by_the_one_after_it(tmp_path: Path) -> None:
    jobs_on_disk, worker = JobStore(tmp_path / "jobs.json"), Worker()
    async with asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(Failover(worker, jobs_on_disk).run())
        await asyncio.sleep(1)
        worker.jobs = {HALL}
        await asyncio.sleep(1)
        assert [lost for _, lost in worker.recalls] == [KITCHEN]
        watching.cancel()  # killed
    worker.jobs = set()
    async with asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(Failover(worker, jobs_on_disk).run())
        await asyncio.sleep(1)
        assert [lost for _, lost in worker.recalls] == [KITCHEN, HALL]
        assert jobs_on_disk.read() == set()
        watching.cancel()


def test_a_roster_that_is_not_there_or_broken_is_empty(tmp_path: Path) -> None:
    assert JobStore(None).read() == JobStore(tmp_path / "none").read() == set()
    (tmp_path / "broken").write_text("[{")
    assert JobStore(tmp_path / "broken").read() == set()


def test_a_worker_that_has_ended_leaves_no_roster(tmp_path: Path) -> None:
    jobs_on_disk = JobStore(tmp_path / "jobs.json")
    jobs_on_disk.forget()
    jobs_on_disk.write({HALL})
    jobs_on_disk.forget()
    JobStore(None).forget()
    assert list(tmp_path.iterdir()) == []


async def test_a_server_that_is_away_does_not_end_the_watch() -> None:
    async with watched() as worker:
        worker.broken = True
        worker.jobs = {KITCHEN}
        await asyncio.sleep(1)
        worker.broken = False
        worker.jobs = set()
        await asyncio.sleep(1)
        assert [lost for _, lost in worker.recalls] == [KITCHEN]


def test_what_a_recalled_agent_is_told_is_read_again() -> None:
    assert failover_metadata(FailoverMetadata("token").metadata()) == FailoverMetadata("token")
    assert failover_metadata(FailoverMetadata().metadata()) == FailoverMetadata()


def test_a_call_in_which_nobody_has_had_a_place_has_not_begun() -> None:
    assert begun_call("") is begun_call(FailoverMetadata(given="theirs", if_place=True).metadata()) is None
    for begun in (FailoverMetadata("token"), FailoverMetadata(tool="{}"), FailoverMetadata(history="sealed")):
        assert begun_call(begun.metadata()) == begun


@pytest.mark.parametrize("metadata", FOREIGN, ids=FOREIGN_IDS)
def test_whatever_else_a_dispatch_is_given_along_says_nothing_about_a_death(metadata: str) -> None:
    assert failover_metadata(metadata) is None


@pytest.mark.parametrize("given", ["", "somebody else's", '{"aura.persona": {"name": "Ida"}}', "x" * 9_999], ids=len)
def test_what_people_give_a_dispatch_along_outlives_any_number_of_deaths(given: str) -> None:
    once = FailoverMetadata("token", given_metadata(given)).metadata()
    twice = FailoverMetadata("token 2", given_metadata(once)).metadata()
    assert given_metadata(given) == given_metadata(once) == given_metadata(twice) == given
    assert failover_metadata(twice) == FailoverMetadata("token 2", given)
