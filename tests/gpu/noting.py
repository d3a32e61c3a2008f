"""Notes when vLLM's engine did what with each request."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

STEPS = ("to_engine", "to_schedule", "to_first", "tokens", "to_caller")


@dataclass
class Steps:
    """Seconds of the loop's clock, which is also the engine's: both are monotonic.

    Attributes:
        given: To vLLM's front end.
        queued, scheduled, first, last: By and in the engine: the wait for a step, its first token and its last.
        ended: The caller had the last.
    """

    given: float
    queued: float = 0.0
    scheduled: float = 0.0
    first: float = 0.0
    last: float = 0.0
    ended: float = 0.0

    def ms(self) -> dict[str, float]:
        at = (self.given, self.queued, self.scheduled, self.first, self.last, self.ended)
        return {name: 1000 * (b - a) for name, a, b in zip(STEPS, at, at[1:], strict=False)}


class Noting:
    """vLLM's engine, and the steps of each of its requests."""

    def __init__(self, llm: Any, clock: Any) -> None:
        self._llm = llm
        self._clock = clock
        self.steps: dict[str, Steps] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._llm, name)

    def of(self, *names: str) -> Steps:
        """From the first to the last of these requests, of those that there were."""
        known = [self.steps[name] for name in names if name in self.steps]
        return replace(known[0], last=known[-1].last, ended=known[-1].ended)

    async def generate(self, inputs: Any, sampling: Any, request_id: str, **how: Any) -> AsyncGenerator[Any, None]:
        steps = self.steps[request_id] = Steps(self._clock())
        async with aclosing(self._llm.generate(inputs, sampling, request_id, **how)) as outputs:
            async for output in outputs:
                if stats := output.metrics:
                    if not steps.first:
                        steps.queued, steps.scheduled, steps.first = _at_first(stats)
                    steps.last = stats.last_token_ts
                steps.ended = self._clock()
                yield output


def _at_first(stats: Any) -> tuple[float, float, float]:
    return stats.queued_ts, stats.scheduled_ts, stats.first_token_ts
