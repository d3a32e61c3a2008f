"""Which agent workers bring callers to this pipeline, as they say again and again: one that says nothing has died."""

import asyncio

import msgspec

LEASE_S = 5.0  # for which the word of a worker counts
MOST = 64


class WorkerWord(msgspec.Struct, frozen=True):
    """What a worker says of itself."""

    takes_calls: bool


class Workers:
    """The workers that take callers now: `len` counts them."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    def tell(self, worker: str, word: WorkerWord) -> None:
        """Take a worker's word. Of too many the one that was heard of longest ago is forgotten."""
        self._until.pop(worker, None)
        if word.takes_calls:
            self._until[worker] = _now() + LEASE_S
        while len(self._until) > MOST:
            del self._until[next(iter(self._until))]

    def __len__(self) -> int:
        return sum(until > _now() for until in self._until.values())


def _now() -> float:
    return asyncio.get_running_loop().time()
