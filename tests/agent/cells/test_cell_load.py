"""What a worker tells LiveKit's dispatch of its cell, beside another one."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from agent.cells import cell_load, places
from agent.cells.cell_load import NO_CHOICE, OPENS_S, CellLoad
from pipeline.realtime.client import Readiness, Unreachable

TARGET_LOAD = 0.7  # of livekit-server v1.13.5 (pkg/agent/config.go): a worker above it is given nothing
OURS, THEIRS, THIRD = "http://ours:1", "http://theirs:1", "http://third:1"

pytestmark = pytest.mark.anyio


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> dict[str, Readiness]:
    """What each cell answers; whoever is not in it is away."""
    told = {OURS: Readiness(True, 2, 2), THEIRS: Readiness(True, 2, 2)}

    async def answer(url: str) -> Readiness:
        if url not in told:
            raise Unreachable(url)
        return told[url]

    async def itself(cell: str) -> tuple[str, ...]:
        return (cell,)

    monkeypatch.setattr(places, "readiness", answer)
    monkeypatch.setattr(places, "_resolved", itself)
    return told


async def looked(others: Sequence[str] = (OURS, THEIRS)) -> CellLoad:
    cell = CellLoad(OURS, others, max_jobs=8)
    await cell.look()
    return cell


def test_the_only_cell_tells_more_load_with_more_calls_and_yet_is_given_the_next_call() -> None:
    cell = CellLoad(OURS, (OURS,), max_jobs=8)
    loads = [cell.load(jobs) for jobs in range(9)]
    assert loads[0] == 0 and loads == sorted(set(loads))
    assert max(loads) < TARGET_LOAD
    assert cell.load(100) == loads[8] and not cell.sends_on(100)


async def test_a_full_cell_is_no_choice_while_another_has_a_place(told: dict[str, Readiness]) -> None:
    cell = await looked()
    assert [cell.load(jobs) for jobs in (0, 1)] == [0.0, 0.345], "places are the pipeline's"
    assert not cell.sends_on(1)
    told[OURS] = Readiness(True, 0, 2)
    await cell.look()
    assert (cell.load(2), cell.sends_on(2)) == (NO_CHOICE, True)


async def test_the_load_is_told_from_a_thread_of_livekits(told: dict[str, Readiness]) -> None:
    told |= {OURS: Readiness(True, 1, 2), THEIRS: Readiness(True, 1, 2)}
    cell = await looked()
    with cell.taking():
        """A call begins."""
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(cell.load, 2).result() == NO_CHOICE
        await asyncio.sleep(OPENS_S + 1)
        assert thread.submit(cell.load, 2).result() < TARGET_LOAD


async def test_two_cells_full_of_callers_who_may_come_back_do_not_send_a_new_one_to_each_other(
    told: dict[str, Readiness],
) -> None:
    told |= {OURS: Readiness(True, 1, 2), THEIRS: Readiness(True, 1, 2), THIRD: Readiness(True, 1, 2)}
    cell = await looked((OURS, THEIRS, THIRD))
    assert cell.load(2) < TARGET_LOAD and not cell.sends_on(2), "each would"
    told[THEIRS] = Readiness(True, 2, 2)
    await cell.look()
    assert cell.sends_on(2), "only one would"


async def test_when_all_are_full_each_may_apologise(told: dict[str, Readiness]) -> None:
    told |= {OURS: Readiness(True, 0, 2), THEIRS: Readiness(True, 0, 2)}
    cell = await looked()
    assert 0 < cell.load(2) < TARGET_LOAD and not cell.sends_on(2)
    told[THEIRS] = Readiness(True, 1, 2)
    await cell.look()
    assert cell.load(2) == NO_CHOICE


async def test_callers_without_a_room_take_places_too(told: dict[str, Readiness]) -> None:
    told[OURS] = Readiness(True, 0, 2)
    assert (await looked()).sends_on(0)


@pytest.mark.parametrize("own", [Readiness(False, 0), None], ids=["starting", "away"])
async def test_a_cell_that_is_not_ready_is_no_choice_while_another_has_a_place(
    told: dict[str, Readiness], own: Readiness | None
) -> None:
    del told[OURS]
    told |= {OURS: own} if own else {}
    assert (await looked()).load(0) == NO_CHOICE
    del told[THEIRS]
    assert (await looked()).load(0) < TARGET_LOAD, "somebody must say that nobody can be reached"


async def test_a_cell_that_drains_is_no_choice(told: dict[str, Readiness]) -> None:
    told.clear()
    assert (await looked()).load(0, draining=True) == NO_CHOICE


async def test_what_a_cell_has_left_while_it_drains_is_nobodys(told: dict[str, Readiness]) -> None:
    told |= {OURS: Readiness(True, 0, 2), THEIRS: Readiness(True, 1, 2, workers=0)}
    cell = await looked()
    assert 0 < cell.load(2) < TARGET_LOAD and not cell.sends_on(2), "somebody must say that all are full"
    assert await places.places((OURS, THEIRS), with_workers=True) == Readiness(True, 0, 2)
    assert await places.places((OURS, THEIRS)) == Readiness(True, 1, 4)
    assert await places.places((THEIRS,), with_workers=True) == Readiness(False, 0)


async def test_a_full_cell_looks_again_before_somebody_is_sent_on_or_turned_away(told: dict[str, Readiness]) -> None:
    told |= {OURS: Readiness(True, 0, 2), THEIRS: Readiness(True, 2, 2)}
    cell = await looked()
    told[THEIRS] = Readiness(True, 2, 2, workers=0)
    assert cell.sends_on(2), "as far as it knows"
    await cell.look_if_full(2)
    assert not cell.sends_on(2)
    told |= {OURS: Readiness(True, 1, 2), THEIRS: Readiness(True, 2, 2)}
    await cell.look()
    del told[THEIRS]
    await cell.look_if_full(1)
    assert cell.sends_on(2), "who has a place asks nobody"


async def test_a_job_that_is_being_taken_has_its_place(told: dict[str, Readiness]) -> None:
    cell = await looked()
    with cell.taking():
        assert cell.sends_on(1)
    assert not cell.sends_on(1)


async def test_who_waits_with_another_agent_already_is_not_taken_by_a_full_cell(told: dict[str, Readiness]) -> None:
    told |= {OURS: Readiness(True, 0, 2), THEIRS: Readiness(True, 0, 2)}
    cell = await looked()
    assert cell.sends_on(2, waits=True) and not cell.sends_on(2), "they would wait here as there"
    told[OURS] = Readiness(True, 1, 2)
    await cell.look_if_full(2)
    assert not cell.sends_on(2, waits=True), "somebody has left who may come back, and holds no place meanwhile"
    with cell.taking():
        assert cell.sends_on(2, waits=True)
    await asyncio.sleep(OPENS_S - 1)
    assert cell.sends_on(2, waits=True), "whoever was taken has no session yet"
    await asyncio.sleep(1)
    assert not cell.sends_on(2, waits=True)
    told.clear()
    await cell.look()
    assert cell.sends_on(0, waits=True), "its pipeline is away"


async def test_it_looks_again_and_the_only_cell_never_does(told: dict[str, Readiness]) -> None:
    await CellLoad(OURS, (), max_jobs=8).run()
    assert cell_load.LOOK_S <= 1


async def test_places_elsewhere_are_those_of_other_cells_that_take_callers(told: dict[str, Readiness]) -> None:
    told |= {OURS: Readiness(True, 2, 2), THEIRS: Readiness(True, 1, 2), THIRD: Readiness(True, 2, 2, workers=0)}
    assert await places.free_elsewhere(OURS, (OURS, THEIRS, THIRD, "http://away:1")) == 1
    assert await places.free_elsewhere(OURS, (OURS,)) == 0


async def test_places_are_counted_over_all_cells(told: dict[str, Readiness]) -> None:
    told |= {OURS: Readiness(True, 0, 2), THIRD: Readiness(False, 0)}
    assert await places.places((OURS, THEIRS, THIRD, "http://away:1")) == Readiness(True, 2, 4)
    assert await places.places((THIRD, "http://away:1")) == Readiness(False, 0)
    with pytest.raises(Unreachable, match="http://away:1, http://gone:1"):
        await places.places(("http://away:1", "http://gone:1"))
