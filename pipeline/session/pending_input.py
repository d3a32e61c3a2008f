"""What a caller has said or written, and not asked to be answered yet."""

import asyncio
import math

from pipeline.aio.tasks import BackgroundTasks
from pipeline.session.spoken_turn import SpokenTurn
from pipeline.types.history import History

SETTLE_S = 5.0  # after which a question that nobody wants answered holds nothing up


class PendingInput:
    """The newest thing that was said, and what the next answer has to wait for.

    Args:
        awaits_words: Who answers reads what was said. Otherwise nothing waits until it has been heard out.
    """

    def __init__(self, tasks: BackgroundTasks, *, awaits_words: bool) -> None:
        self._tasks, self._awaits_words = tasks, awaits_words
        self._said: SpokenTurn | None = None  # the newest that is complete
        self._half_heard: dict[asyncio.Task[None], str] = {}  # ids of complete items, by what still hears them out
        self._owed: list[str] = []  # ids of the items that wait for the end of the answer that they were said over
        self._written_at: float | None = None
        self._free_since = 0.0
        self._asked_upto: str | None = None  # id of the item that the answer under way stands behind
        self._answered_upto: str | None = None  # the same of the last that has ended and was not cancelled

    def said(self, spoken: SpokenTurn) -> None:
        """An utterance is complete."""
        self._said = spoken
        if self._awaits_words:
            self._half_heard[spoken.listening] = spoken.utterance.item_id
            spoken.listening.add_done_callback(self._half_heard.pop)

    def wrote(self, text: str) -> None:
        """Words make one question with what was said before, which is not answered alone any more."""
        self._written_at = _now()
        if text:
            self.drop()

    def request(self, history: History, *, kept: bool) -> None:
        """What was written has been asked to be answered; `kept`: and all else that stands in the conversation."""
        self._written_at = None
        self._asked_upto = history.items[-1].id if kept and history.items else self._answered_upto

    def free(self, *, cancelled: bool) -> None:
        """An answer has ended: before that nobody could ask for another."""
        self._free_since = _now()
        self._answered_upto = self._answered_upto if cancelled else self._asked_upto

    def asks_besides(self, item_id: str, history: History) -> bool:
        """Whether something in front of that item waits for an answer, be it silence, even if the item has no words."""
        for item in reversed(history.until(item_id).items):
            if item.id == self._answered_upto:
                return False
            if item.role != "system" and (item.words.strip() or item.pictures):
                return item.role == "user"
        return False

    def owe(self, item_id: str) -> None:
        """An item is to be answered, and cannot be yet."""
        self._owed.append(item_id)

    def owes(self, history: History) -> bool:
        """An item is owed an answer, and the caller has not deleted it meanwhile."""
        return any(history.find(item_id) for item_id in self._owed)

    def forgive(self) -> None:
        """No item is owed one any more: an answer to the whole conversation has begun, or none is wanted."""
        self._owed.clear()

    def take(self, history: History) -> SpokenTurn | None:
        """The newest that was said, for what was prepared to be the answer.

        None, and what was prepared is dropped, if its item was deleted, or if something that was said before it is
        still being heard out: what was prepared lacks those words.
        """
        spoken, self._said = self._said, None
        if spoken and (self._half_heard.keys() - {spoken.listening} or not history.find(spoken.utterance.item_id)):
            self._release(spoken)
            return None
        return spoken

    def drop(self) -> None:
        """What was said will not be answered."""
        if self._said:
            self._release(self._said)
        self._said = None

    def settles_until(self, running: SpokenTurn | None) -> float:
        """Until when a question is complete, or may be, as `running` is while the person pauses; but not for ever."""
        since = self._written_at
        if request := self._said or running:
            speaks = request is running and request.utterance.transcriber.speaking
            since = None if speaks else request.utterance.quiet_since
        return -math.inf if since is None else max(since, self._free_since) + SETTLE_S

    async def heard_out(self) -> None:
        """Returns when the words of all that was said are known, if anybody awaits them."""
        if self._half_heard:
            await asyncio.wait(self._half_heard)

    def half_heard(self) -> list[str]:
        """Ids of the items whose words are only a guess: they are still being heard out."""
        return [item_id for listening, item_id in self._half_heard.items() if not listening.done()]

    def _release(self, spoken: SpokenTurn) -> None:
        """Its speculative answer ends, but what was said is still transcribed to its end."""
        self._tasks.stop(f"{spoken.utterance.turn}:release", [spoken.answering])


def _now() -> float:
    return asyncio.get_running_loop().time()
