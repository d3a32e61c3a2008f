"""Says where each millisecond between a person's last word and the first sound at their ear is. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from infra.bench.base.figures import percentile
from tests.gpu.sections import Row

EARLY_S = 0.3  # so long before the last sample a turn may be taken to be over, whose end is faint
MUST_MS, GOAL_MS = (700, 1_100), (550, 900)  # median and 95th percentile, with one caller
PATH = (  # what a person waits for, one after the other
    "mouth → pipeline",
    "silence is noticed",
    "end of turn",
    "commit → create",
    "create → first sound",
    "first sound → ear",
)
SHADE = ("ASR tail", "AURA", "Talker", "Code2Wav", "ready → create", "wire")  # from the pause on


@dataclass(frozen=True, slots=True)
class HeardTurn:
    """A question that was asked in a room.

    Attributes:
        room: Which one.
        token: Of the session that its agent had with the pipeline.
        ended: When the last sample of the question left the mouth, on the machine's monotonic clock.
        began: When the answer's first sound was at the ear; None: there was none.
        early: The agent sounded before the question was over.
        onset, quiet: Of a question over an answer: when its first sample left, when the answer was last heard.
        told: The agent's own `aura.timings` of it.
    """

    room: int
    token: str
    ended: float
    began: float | None = None
    early: bool = False
    onset: float | None = None
    quiet: float | None = None
    told: str = ""


def figures(turns: Sequence[HeardTurn]) -> Row:
    """How long people waited, and how soon they had silence, in milliseconds."""
    heard = waits_ms(turns)
    stopped = [1_000 * (turn.quiet - turn.onset) for turn in turns if turn.onset and turn.quiet]
    row: Row = {"n": len(heard)}
    for name, ms in (("heard_ms", heard), ("silent_ms", stopped)):
        if ms:
            row |= {f"{name}_p50": median(ms), f"{name}_p95": percentile(ms, 95), f"{name}_most": max(ms)}
    row |= {"interruptions": len(stopped), "early": sum(turn.early for turn in turns)}
    return row | {"unanswered": sum(turn.began is None for turn in turns)}


def waits_ms(turns: Sequence[HeardTurn]) -> list[float]:
    return [1_000 * (turn.began - turn.ended) for turn in turns if turn.began is not None and not turn.early]


def verdict(turns: Sequence[HeardTurn]) -> Row:
    """What was found beside what must be, and what is hoped for."""
    heard = waits_ms(turns)
    if not heard:
        return {"met": "nothing was heard"}
    found = (median(heard), percentile(heard, 95))
    met = "goal" if _within(found, GOAL_MS) else "must" if _within(found, MUST_MS) else "no"
    return {"p50": found[0], "p95": found[1], "must": MUST_MS, "goal": GOAL_MS, "met": met}


def step_rows(turns: Sequence[HeardTurn], tapped: Sequence[Row]) -> list[Row]:
    """Of `PATH`, then of `SHADE`: in milliseconds."""
    sessions = {row["token"]: row["session"] for row in tapped if row["type"] == "session.created" and "token" in row}
    events: dict[int, list[Row]] = {}
    for row in tapped:
        events.setdefault(row["session"], []).append(row)
    taken: dict[str, list[float]] = {}
    for turn in turns:
        for name, seconds in steps(turn, events.get(sessions.get(turn.token, -1), [])).items():
            taken.setdefault(name, []).append(1_000 * seconds)
    return [
        {"step": name, "n": len(ms), "p50": median(ms), "p95": percentile(ms, 95), "most": max(ms)}
        for name in (*PATH, *SHADE)
        if (ms := taken.get(name))
    ]


def told_rows(turns: Sequence[HeardTurn]) -> list[Row]:
    """Of each number that the agent itself published of a turn: its median and 95th percentile."""
    found: dict[str, list[float]] = {}
    for turn in turns:
        for name, value in _numbers(json.loads(turn.told or "{}")):
            found.setdefault(name, []).append(value)
    return [
        {"attribute": name, "n": len(values), "p50": median(values), "p95": percentile(values, 95)}
        for name, values in found.items()
    ]


def steps(turn: HeardTurn, events: Sequence[Row]) -> dict[str, float]:
    """Seconds of each step of one turn: those of `PATH` are together what the person waited.

    Args:
        events: Of its session, in order.
    """
    if turn.began is None or turn.early:
        return {}
    within = [row for row in events if turn.ended - EARLY_S < row["at"] <= turn.began]
    create = _last(within, "response.create", said=False)
    if create is None:
        return {}
    commit = _last([row for row in events if row["at"] <= create["at"]], "input_audio_buffer.commit")
    before = [row for row in events if commit and row["at"] <= commit["at"]]
    pause = _last(before, "input_audio_buffer.activity", speaking=False)
    sound = next((row for row in within if row["type"].endswith("audio.delta") and row["at"] > create["at"]), None)
    if commit is None or pause is None or sound is None or "loud_at" not in pause:
        return {}
    path = (turn.ended, pause["loud_at"], pause["at"], commit["at"], create["at"], sound["at"], turn.began)
    took = {name: later - earlier for name, earlier, later in zip(PATH, path, path[1:], strict=False)}
    done = next((row for row in events if row["type"] == "response.done" and row["response"] == sound["response"]), {})
    return took | _inside(done.get("timings", {}), create["at"], pause["at"], sound["at"])


def _inside(moments: Mapping[str, float], created: float, paused: float, sounded: float) -> dict[str, float]:
    """What the pipeline tells of itself, its clock laid on ours by the moment at which the answer was asked for."""
    if not {"created", "aura_began", "first_text", "first_pcm", "first_sent"} <= moments.keys():
        return {}
    ahead = created - moments["created"]
    decoding = next((moments[name] for name in ("code2wav_began",) if name in moments), moments["first_pcm"])
    return {
        "ASR tail": moments["aura_began"] + ahead - paused,
        "AURA": moments["first_text"] - moments["aura_began"],
        "Talker": decoding - moments["first_text"],
        "Code2Wav": moments["first_pcm"] - decoding,
        "ready → create": created - (moments["first_pcm"] + ahead),
        "wire": sounded - (moments["first_sent"] + ahead),
    }


def _numbers(told: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, float]]:
    """Each number of an object and of those in it, with the path to it."""
    for name, value in told.items():
        if isinstance(value, Mapping):
            yield from _numbers(value, f"{above}{name}.")
        elif name != "at_ms" and isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{above}{name}", float(value)


def _last(rows: Sequence[Row], kind: str, **fields: bool) -> Row | None:
    there = (row for row in reversed(rows) if row["type"] == kind)
    return next((row for row in there if all(row.get(name) == value for name, value in fields.items())), None)


def _within(found: tuple[float, float], bounds: tuple[int, int]) -> bool:
    return all(value <= bound for value, bound in zip(found, bounds, strict=True))
