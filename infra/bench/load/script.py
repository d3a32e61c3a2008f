"""What the callers of a load test do: drawn from a seed, so that two runs ask the same. Pure."""

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Ask:
    """One question.

    Attributes:
        question: Which of the recordings.
        pause_s: Seconds of silence before it, after the answer to the one before has been played.
        interrupt_after_s: How much of the answer is heard before the person cancels it; None: all of it.
    """

    question: int
    pause_s: float
    interrupt_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class CallerProfile:
    """What all callers have in common.

    Attributes:
        turns: Questions of a call.
        recordings: The recordings to choose from.
        interruptions: The share of answers that are cancelled.
        pause_s: The mean pause before a question.
    """

    turns: int
    recordings: int
    interruptions: float = 0.0
    pause_s: float = 1.0


def script(seed: int, caller: int, manner: CallerProfile) -> tuple[Ask, ...]:
    """What one caller asks. It depends on nothing but the arguments."""
    chance = Random(f"{seed}:{caller}")
    asks = []
    for _ in range(manner.turns):
        interrupts = chance.random() < manner.interruptions
        heard_s = chance.uniform(0.2, 1.5)
        pause_s = manner.pause_s * chance.uniform(0.5, 1.5)
        asks.append(Ask(chance.randrange(manner.recordings), pause_s, heard_s if interrupts else None))
    return tuple(asks)


def camera_starts(seed: int, caller: int, apart_s: float) -> float:
    """When a caller's camera shows its first frame, in seconds: anywhere between two frames."""
    return Random(f"{seed}:{caller}:camera").uniform(0, apart_s)


def arrivals(seed: int, calls_a_minute: float, minutes: float) -> tuple[float, ...]:
    """When callers ring up in an open loop, in seconds: a Poisson process."""
    chance, at, times = Random(f"{seed}:arrivals"), 0.0, list[float]()
    while (at := at + chance.expovariate(calls_a_minute / 60)) < minutes * 60:
        times.append(at)
    return tuple(times)
