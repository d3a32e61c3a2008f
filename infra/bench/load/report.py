"""What a load test has found: percentiles, the share of each stage, a table, a plot. Pure but for the drawing."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median

from infra.bench.base.figures import percentile
from infra.bench.load.answer import Served

PERCENTILES = (50, 95, 99)
APART = {  # are no steps of the answer
    "speech_end",  # how long the person was silent before the commit is theirs to choose
    "seen",  # when the newest frame came that the question is about
}


@dataclass(frozen=True, slots=True)
class Load:
    """One run.

    Attributes:
        kind: For example `closed, 4 callers`.
        refused: Calls that the server had no place for.
        failed: Calls that broke off.
        failure: Why the first of them did.
        interrupted: Somebody ended it. Questions that had no answer yet are left out.
        servers: How many `callers` and `questions` each has had, by its URL.
    """

    kind: str
    took_s: float
    served: tuple[Served, ...]
    refused: int = 0
    failed: int = 0
    failure: str = ""
    interrupted: bool = False
    servers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def series(load: Load) -> dict[str, list[float]]:
    """Every figure that was seen at least once, in milliseconds."""
    told: dict[str, Iterable[float | None]] = {
        "create → first text": (each.first_text for each in load.served),
        "create → first audio": (each.first_audio for each in load.served),
        "create → done": (each.done for each in load.served if each.released is None),
        "cancel → done": (each.released for each in load.served),
        "cancel → last audio": (each.last_audio for each in load.served),
        "frame seen → commit": (_between(each.moments, "seen", "committed") for each in load.served),
        "gap in playback": (gap.seconds for each in load.served for gap in each.gaps),
    }
    figures = {name: [1000 * value for value in values if value is not None] for name, values in told.items()}
    return {name: values for name, values in figures.items() if values}


def _between(moments: Mapping[str, float], earlier: str, later: str) -> float | None:
    return moments[later] - moments[earlier] if {earlier, later} <= moments.keys() else None


def steps(served: Sequence[Served]) -> dict[str, list[float]]:
    """How long each step took, in milliseconds, as the server tells its moments, in their usual order.

    `wire` is what the caller waited beyond that, both ways.
    """
    since: dict[str, list[float]] = {}
    for each in served:
        for name, at in each.moments.items():
            if name not in APART and "created" in each.moments:
                since.setdefault(name, []).append(at - each.moments["created"])
    order = sorted(since, key=lambda name: median(since[name]))
    took: dict[str, list[float]] = {}
    for each in served:
        there = [name for name in order if name in each.moments]
        for earlier, later in pairwise(there):
            took.setdefault(f"{earlier} → {later}", []).append(1000 * (each.moments[later] - each.moments[earlier]))
        if each.first_audio is not None and {"committed", "first_sent"} <= each.moments.keys():
            inside = each.moments["first_sent"] - each.moments["committed"]
            took.setdefault("wire", []).append(1000 * (each.first_audio - inside))
    return took


def shares(served: Sequence[Served]) -> dict[str, float]:
    """The median of each step, in milliseconds."""
    return {name: median(values) for name, values in steps(served).items()}


def _errors(load: Load) -> Iterable[str]:
    return (code for each in load.served for code in each.errors)


def _at_server(url: str, had: Mapping[str, int]) -> str:
    return f"{url}: " + ", ".join(f"{count} {what}" for what, count in had.items())


def table(load: Load) -> str:
    statuses = Counter(each.status for each in load.served)
    sound_s = sum(each.audio_s for each in load.served)
    kind = f"{load.kind}, interrupted" if load.interrupted else load.kind
    ended = "".join(f", {count} {status}" for status, count in statuses.most_common())
    lines = [
        f"{kind}: {len(load.served)} questions in {load.took_s:.0f} s{ended}; "
        f"{load.refused} calls refused, {load.failed} broke off; {sound_s:.0f} s of answers, "
        f"{sum(len(each.gaps) for each in load.served)} gaps in playback",
        *(_at_server(url, had) for url, had in load.servers.items() if len(load.servers) > 1),
        *(f"{count} × error `{code}`" for code, count in Counter(_errors(load)).most_common()),
        "",
        f"{'ms':<24}     n" + "".join(f"{f'p{each}':>9}" for each in PERCENTILES) + f"{'most':>9}",
    ]
    for name, values in series(load).items():
        marks = [percentile(values, each) for each in PERCENTILES]
        lines.append(f"{name:<24} {len(values):5}" + "".join(f"{value:9.1f}" for value in (*marks, max(values))))
    if unread := [each.unread for each in load.served if each.unread is not None]:
        lines += [
            "",
            f"{median(unread):.0f} tokens of a prompt were left to read when it was asked, {max(unread)} at most",
        ]
    if took := shares(load.served):
        whole = sum(took.values()) or 1.0
        lines += ["", f"{'step, median':<28}       ms  share"]
        lines += [f"{name:<28} {value:8.1f}  {value / whole:5.0%}" for name, value in took.items()]
    return "\n".join(lines)


def plain(load: Load) -> Mapping[str, object]:
    """All of it, for a JSON file."""
    marks = {
        name: {f"p{each}": round(percentile(values, each), 1) for each in PERCENTILES}
        for name, values in series(load).items()
    }
    return {**asdict(load), "figures_ms": marks, "steps_ms": shares(load.served)}


def draw(load: Load, path: Path) -> None:
    """The first sounds over the time of the run, and how they are distributed; the file's suffix is its format."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    over_time, spread = figure.subplots(1, 2)
    for name, get in (("first text", "first_text"), ("first audio", "first_audio")):
        points = [(each.at, 1000 * value) for each in load.served if (value := getattr(each, get)) is not None]
        if points:
            over_time.plot(*zip(*points, strict=True), ".", label=name)
            ranked = sorted(value for _, value in points)
            spread.step(ranked, [(at + 1) / len(ranked) for at in range(len(ranked))], where="post", label=name)
    over_time.set(xlabel="asked at, s", ylabel="ms from response.create", title=load.kind)
    spread.set(xlabel="ms from response.create", ylabel="share of answers", ylim=(0, 1.02))
    for axes in (over_time, spread):
        axes.grid(alpha=0.3)
        if axes.has_data():
            axes.legend()
    figure.savefig(path)
