"""Foresees when the step that an engine computes will end, by how long steps of its size took. Pure."""

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, field

REMEMBERED = 6  # steps of a size
SHORTER = 0.9


@dataclass(slots=True)
class StepForecast:
    """Is told when each step was scheduled, and when its result was there; steps end in the order of their beginning.

    Attributes:
        ahead_s: How long before a step ends the next one should be scheduled.
    """

    ahead_s: float
    _under_way: deque[tuple[Hashable, float]] = field(default_factory=deque)
    _took: dict[Hashable, deque[float]] = field(default_factory=dict)
    _ended: float = 0.0

    def begin(self, size: Hashable, now: float) -> None:
        """Notes that a step was scheduled.

        Args:
            size: Steps of the same size take about as long.
        """
        self._under_way.append((size, now))

    def end(self, now: float, *, is_late: bool = False) -> None:
        """Notes that the oldest step has ended.

        Args:
            is_late: It ended some time ago, before the next one was ready: such steps are foreseen to be shorter.
        """
        size, scheduled = self._under_way.popleft()
        took = self._took.setdefault(size, deque(maxlen=REMEMBERED))
        seen = now - max(scheduled, self._ended)
        took.append(min(seen, SHORTER * min(took)) if is_late and took else seen)
        self._ended = now

    def due(self) -> float:
        """When the next step should be scheduled; 0, which is long ago, if nothing is known of the one that runs.

        It is foreseen to take no longer than the quickest of its size: the GPU should not wait.
        """
        if len(self._under_way) != 1:
            return 0.0
        size, scheduled = self._under_way[0]
        took = self._took.get(size)
        return max(scheduled, self._ended) + min(took) - self.ahead_s if took else 0.0
