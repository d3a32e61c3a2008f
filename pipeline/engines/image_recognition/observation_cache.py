"""Keeps what was recognised in the newest pictures, so that asking again costs nothing."""

from collections import OrderedDict
from dataclasses import dataclass

from pipeline.types.observation import Observation


@dataclass(frozen=True, slots=True)
class PictureKey:
    """Names a picture of somebody: two callers' pictures are never one."""

    owner: str
    clip_id: str


class ObservationCache:
    """The newest observations; the one least recently asked for goes first.

    Args:
        most: So many are kept.
    """

    def __init__(self, most: int = 64) -> None:
        self._most = most
        self._kept: OrderedDict[PictureKey, tuple[Observation, bool]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: PictureKey, read: bool) -> Observation | None:
        """What is known of a picture; None if it must be looked at (more closely).

        Args:
            read: All that is written there must be known.
        """
        observation, was_read = self._kept.get(key, (None, False))
        if observation is None or (read and not was_read):
            return None
        self._kept.move_to_end(key)
        return observation

    def put(self, key: PictureKey, read: bool, observation: Observation) -> None:
        self._kept[key] = observation, read
        self._kept.move_to_end(key)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
