"""Measures a served chain under open loads, one number of callers after the other."""

from infra.bench.load.cli import camera
from infra.bench.load.run import Plan
from infra.bench.load.script import CallerProfile
from tests.gpu.chain_measures import SESSION, Bench, Tell, loop_lag, summary
from tests.gpu.chain_open import OpenLoad, lengths, rings, run_open
from tests.gpu.speech import speech
from tests.served import KEY


async def opened(bench: Bench, emit: Tell) -> None:
    """Told are the turns that were asked when all had rung up."""
    load = OpenLoad(bench.extent.ramp_s, bench.extent.measured_s)
    recordings = [speech(seconds, seed) for seed, seconds in enumerate(lengths())]
    for callers in bench.extent.open:
        await bench.until_there_is_room(callers)
        seed = bench.next_seed()
        plan = Plan(
            bench.url,
            KEY,
            seed,
            CallerProfile(0, len(recordings)),
            recordings,
            camera(seed),
            rings=rings(seed, callers, load.ramp_s),
            session=SESSION,
        )
        async with loop_lag(bench.url) as bench.late:
            found = await run_open(plan, load, bench.server)
        bench.meters = found.meters
        served = load.counts(found.measured.served)
        bench.note(callers, served, found.measured.failed)
        row = {"callers": callers, "asked_a_second": len(served) / load.measured_s, **summary(served)}
        unanswered = sum(each.first_audio is None for each in served) + found.unended
        row |= {"unanswered": unanswered, "failure": found.measured.failure, "took_s": found.measured.took_s}
        bench.tell(f"open {callers}", row, served, emit)
