"""A recogniser's pass over a window of sound, and when it is useless before it is over."""

from pipeline.aio.signal import Signal
from pipeline.engines.newest_prompt import NewestPrompt
from pipeline.errors import EngineError
from pipeline.types.chunks import AsrInput


class WindowPass:
    """A pass that waits or is under way. It is over, too, when it was dropped.

    Attributes:
        error: Why it has heard nothing.
    """

    def __init__(self, window: AsrInput, changed: Signal) -> None:
        self.window = window
        self.error: EngineError | None = None
        self.over = False
        self._changed = changed

    async def until_over(self, windows: NewestPrompt[AsrInput]) -> bool:
        """Returns True when it is over; False when one has come whose transcript will stand, and its own would not."""
        while not (self.over or (not self.window.settles and windows.next and windows.next.settles)):
            await self._changed.wait()
        return self.over

    def end(self, error: EngineError | None) -> None:
        """Nothing more comes of it."""
        self.over, self.error = True, error
        self._changed.fire()
