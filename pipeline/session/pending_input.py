"""What a caller has said or written, and not asked to be answered yet."""

import asyncio
from collections.abc import AsyncGenerator

from pipeline.aio.tasks import BackgroundTasks
from pipeline.speech.streaming_transcriber import Hypothesis
from pipeline.speech.utterance import Utterance
from pipeline.types.history import History

SETTLE_S = 5.0  # after which a question that nobody wants answered holds nothing up


class PendingInput:
    """
    Attributes:
        written_at: When something was last written, on the loop's clock.
        free_since: When the last answer ended: before that nobody could ask for another.
    """

    def __init__(self, tasks: BackgroundTasks) -> None:
        self._tasks = tasks
        self._said: Utterance | None = None  # the newest that is complete
        self._untold: set[asyncio.Task[None]] = set()  # complete utterances that are still being heard out
        self._owed: list[str] = []  # ids of the items that wait for the end of the answer that they were said over
        self.written_at: float | None = None
        self.free_since = 0.0

    def said(self, utterance: Utterance) -> None:
        """It is complete."""
        self._said = utterance
        utterance.committed_at = _now()
        if utterance.listening:
            self._untold.add(utterance.listening)
            utterance.listening.add_done_callback(self._untold.discard)

    def owe(self, item_id: str) -> None:
        """It is to be answered, and cannot be yet."""
        self._owed.append(item_id)

    def owes(self, history: History) -> bool:
        """Something is, and the caller has not deleted it meanwhile."""
        return any(history.find(item_id) for item_id in self._owed)

    def forgive(self) -> None:
        """Nothing is any more: an answer to the whole conversation has begun, or none is wanted."""
        self._owed.clear()

    def wrote(self, text: str) -> None:
        """Words make one question with what was said before, which is not answered alone any more."""
        self.written_at = _now()
        if text:
            self.drop()

    def take(self, history: History) -> Utterance | None:
        """The newest utterance, unless its item was deleted: it is answered now."""
        utterance, self._said = self._said, None
        if utterance and not history.find(utterance.item_id):
            self._release(utterance)
            return None
        return utterance

    def drop(self) -> None:
        """What was said will not be answered."""
        if self._said:
            self._release(self._said)
        self._said = None

    def is_settling(self, running: Utterance | None) -> bool:
        """A question is complete, or may be, as `running` is while the person pauses; but not for ever."""
        since = self.written_at
        if request := self._said or running:
            since = None if request is running and request.transcriber.speaking else request.quiet_since
        return since is not None and _now() < max(since, self.free_since) + SETTLE_S

    async def typed(self) -> AsyncGenerator[Hypothesis, None]:
        """All that is asked stands in the history, once the utterances in it have been heard out."""
        if self._untold:
            await asyncio.wait(self._untold)
        yield Hypothesis("", settled=True)

    def _release(self, utterance: Utterance) -> None:
        """Its guess ends, but what was said is still heard to its end."""
        if utterance.answering:
            self._tasks.stop(f"{utterance.turn}:release", [utterance.answering])


def _now() -> float:
    return asyncio.get_running_loop().time()
