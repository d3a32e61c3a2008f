"""Measures a served chain under open loads, one number of callers after the other."""

from collections.abc import Sequence

from infra.bench.load.cli import camera
from infra.bench.load.run import Plan
from infra.bench.load.script import CallerProfile
from tests.gpu.chain_measures import SESSION, Bench, Tell, loop_lag, summary
from tests.gpu.chain_open import OpenLoad, OpenRun, call_open, lengths, rings, run_open
from tests.gpu.chain_processes import shared
from tests.gpu.sections import Row
from tests.gpu.speech import speech
from tests.served import KEY


async def opened(bench: Bench, emit: Tell) -> None:
    """Told are the turns that were asked when all had rung up."""
    load = OpenLoad(bench.extent.ramp_s, bench.extent.measured_s)
    for callers in bench.extent.open:
        await bench.until_there_is_room(callers)
        plan = ringing([bench.url], load, bench.next_seed(), callers)
        async with (
            shared(min(callers, bench.processes), call_open, plan, load) as begin,
            loop_lag(bench.url) as bench.late,
        ):
            found = await run_open(load, begin, bench.server)
        bench.meters = found.meters
        served = load.counts(found.measured.served)
        bench.note(callers, served, found.measured.failed)
        bench.tell(f"open {callers}", {"callers": callers, **open_row(load, found)}, served, emit)


def ringing(urls: Sequence[str], load: OpenLoad, seed: int, callers: int) -> Plan:
    """Callers who ring up one after the other, at one server or at several."""
    recordings = [speech(seconds, seed) for seed, seconds in enumerate(lengths())]
    return Plan(
        urls,
        KEY,
        seed,
        CallerProfile(0, len(recordings)),
        recordings,
        camera(seed),
        rings=rings(seed, callers, load.ramp_s),
        session=SESSION,
    )


def open_row(load: OpenLoad, found: OpenRun) -> Row:
    """Of the turns that count."""
    served = load.counts(found.measured.served)
    unanswered = sum(each.first_audio is None for each in served) + found.unended
    row = {"asked_a_second": len(served) / load.measured_s, **summary(served), "unanswered": unanswered}
    return row | {"failure": found.measured.failure, "took_s": found.measured.took_s}
