"""Shows what was measured as tables of Markdown."""

from collections.abc import Iterator, Sequence

from infra.bench.eot.detectors import DELAYS, SAYS, TOGETHER, Blend, Delay, blend, judged
from infra.bench.eot.protocol import TurnFigures, figures, of_delays
from infra.bench.eot.voices import PLAIN
from infra.bench.eot.witnesses import Verdicts

HEAD = "| detector | cut off at 300 ms | at 600 ms | delay at 5 % cut off | at 10 % |\n| --- | --- | --- | --- | --- |"
FIRST_SOUND_S = (0.4, 0.8, 1.2)  # from taking a turn to the first sound of its answer
DELAYS_HEAD = (
    "| as it is set | pauses cut off | mean delay | "
    + " | ".join(f"heard to cut in, answers after {seconds:g} s" for seconds in FIRST_SOUND_S)
    + " |\n|"
    + " --- |" * (3 + len(FIRST_SOUND_S))
)


def report(verdicts: Sequence[Verdicts]) -> Iterator[str]:
    """The tables of the half that was not fitted; the voice by rule is neither fitted on nor mixed with the others."""
    human = [each for each in verdicts if each.voice != PLAIN]
    blends = {name: blend(witnesses, [each for each in human if each.fits]) for name, witnesses in TOGETHER.items()}
    yield "weights: " + "; ".join(f"{name}: {', '.join(map(str, each.weights))}" for name, each in blends.items())
    for title, group in {"hibari": human, PLAIN: [each for each in verdicts if each.voice == PLAIN]}.items():
        told = [each for each in group if not each.fits]
        if told:
            yield from _tables(title, told, blends)


def _tables(title: str, told: Sequence[Verdicts], blends: dict[str, Blend]) -> Iterator[str]:
    ends = sum(each.is_end for each in told)
    yield f"\n{title}: {ends} turns, {len(told) - ends} pauses in them\n\n{HEAD}"
    scores = {**SAYS, **{name: each.score for name, each in blends.items()}}
    for name, score in scores.items():
        yield _line(name, figures(judged(score, told)))
    yield f"\n{DELAYS_HEAD}"
    for name, delay in DELAYS.items():
        cut, mean_s = of_delays(judged(delay, told))
        heard = " | ".join(f"{_heard(delay, told, first_s):.1%}" for first_s in FIRST_SOUND_S)
        yield f"| {name} | {cut:.1%} | {1000 * mean_s:,.0f} ms | {heard} |"


def _heard(delay: Delay, told: Sequence[Verdicts], first_s: float) -> float:
    """Share of pauses that are so long that an answer is heard in them."""
    return of_delays(judged(lambda each: delay(each) + first_s, told))[0]


def _line(name: str, reached: TurnFigures) -> str:
    cut = " | ".join(f"{share:.1%}" for share in reached.cut_off)
    delay = " | ".join(f"{1000 * seconds:,.0f} ms" for seconds in reached.delay_s)
    return f"| {name} | {cut} | {delay} |"
