"""What vision and pruning may do to a conversation."""

from collections.abc import Iterable
from typing import Protocol

from pipeline.media.video_chunk import VideoChunk
from pipeline.types.history import History, PrunePlan


class ConversationMemory(Protocol):
    """The newest history of a conversation, and what may be changed of what a model remembers of it."""

    @property
    def history(self) -> History: ...

    @property
    def deleted(self) -> int:
        """Counts the items that have been deleted: after the next one, an id that is known may be another item's."""
        ...

    def see(self, clips: Iterable[VideoChunk], *, is_live: bool) -> None:
        """The clips were seen after all that has been said so far.

        Args:
            is_live: What was seen last was there a moment ago.
        """
        ...

    def forget(self, cut: PrunePlan) -> None:
        """Prune what `cut` names: the model sees it no longer, the caller does."""
        ...
