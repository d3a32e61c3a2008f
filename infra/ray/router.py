"""Which cell takes the next caller: the one that their id hashes to, or another with a place; if none has, one says so.

Serve by itself lets callers wait for a place, and says nothing. So a cell takes a few requests more than it has
places, and nobody is sent to those before all places are taken: then the cell's server refuses, in its own words.
Serve takes this class to its proxies without this module.
"""

import time
from dataclasses import dataclass
from typing import Any

from ray.serve.experimental.consistent_hash_router import ConsistentHashRouter

SPARE = 4  # requests of a cell at once beyond its places; a refusal takes milliseconds
PATIENCE_S = 1.0  # a place may just be being given back


@dataclass(frozen=True, slots=True)
class PlacesOnly:
    """A replica as far as its places go."""

    replica: Any

    @property
    def max_ongoing_requests(self) -> int:
        return int(self.replica.max_ongoing_requests) - SPARE

    def __getattr__(self, name: str) -> Any:
        return getattr(self.replica, name)


class CellRouter(ConsistentHashRouter):  # type: ignore[misc]
    """Sends a caller where there is a place; whoever has waited a second for one, to a cell that refuses."""

    async def choose_replicas(self, candidate_replicas: list[Any], pending_request: Any = None) -> list[list[Any]]:
        ranked: list[list[Any]] = await super().choose_replicas(candidate_replicas, pending_request)
        now = time.time()  # noqa: TID251 - by which Serve writes down when somebody came
        if pending_request and now - pending_request.created_at > PATIENCE_S:
            return [*ranked, list(candidate_replicas)]
        return [*([PlacesOnly(each) for each in rank] for rank in ranked), list(map(PlacesOnly, candidate_replicas))]
