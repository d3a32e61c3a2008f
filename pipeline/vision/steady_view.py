"""What people are shown of a camera's observations: things that are seen again, so that a line stands still. Pure."""

from collections import deque
from dataclasses import replace

from pipeline.media.video_chunk import VideoSource
from pipeline.types.observation import Observation

WINDOW, COUNTS = 3, 2  # a thing of which nobody is certain is shown when it was seen in 2 of 3 pictures


class SteadyView:
    """Is fed with one observation after the other: what is seen in one by chance goes, what is missed by chance stays.

    What is written, and that a picture is blank, is taken from the newest.
    """

    def __init__(self) -> None:
        self._newest: deque[Observation] = deque(maxlen=WINDOW)
        self._source: VideoSource | None = None

    def feed(self, seen: Observation, source: VideoSource) -> Observation:
        """Takes the newest observation; returns it as it is shown. The first one, and a blank one, are as they are."""
        if source != self._source or seen.is_blank:
            self._newest.clear()
        self._source = source
        self._newest.append(seen)
        if len(self._newest) == 1:
            return seen
        things = {thing.name: thing for each in self._newest for thing in each.things}  # each as it was seen last
        order = [*dict.fromkeys(thing.name for each in reversed(self._newest) for thing in each.things)]
        certain = {thing.name for thing in seen.things if thing.is_certain}
        shown = [name for name in order if name in certain or self._times(name) >= COUNTS]
        return replace(seen, things=tuple(things[name] for name in shown))

    def _times(self, name: str) -> int:
        return sum(any(thing.name == name for thing in each.things) for each in self._newest)
