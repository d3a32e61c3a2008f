"""The answer that a session is giving: one at a time, from the request to its end."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from pipeline.aio.tasks import BackgroundTasks
from pipeline.context.conversation import Conversation
from pipeline.errors import EngineError, RequestError
from pipeline.session.active_response import ActiveResponse, ResponseRequest
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.types.session_events import CancelReason, ResponseItemAdded, SessionEvent, Status

log = logging.getLogger(__name__)


class ResponseManager:
    """
    Args:
        ended: Called with the answer and how it ended, once the caller has been told.

    Attributes:
        answer: The one that is being given.
        began: When the session did, on the loop's clock: the zero of all timings.
    """

    def __init__(
        self,
        tasks: BackgroundTasks,
        conversation: Conversation,
        emit: Callable[[SessionEvent], None],
        ended: Callable[[ActiveResponse, Status], None],
    ) -> None:
        self._tasks = tasks
        self._conversation = conversation
        self._emit = emit
        self._ended = ended
        self.answer: ActiveResponse | None = None
        self.began = 0.0

    @property
    def response_id(self) -> str | None:
        return self.answer.request.response_id if self.answer else None

    def check_free(self) -> None:
        """
        Raises:
            RequestError: One is being given.
        """
        if self.answer:
            message = f"response {self.response_id} is still being given"
            raise RequestError("conversation_already_has_active_response", message)

    def announce(self, request: ResponseRequest, output: SpeculativeOutput) -> ActiveResponse:
        """It is told that this answer is on its way, and its place is reserved."""
        self._conversation.reserve(request.item_id)
        answer = self.answer = ActiveResponse(request, output, lambda: self._opened(answer), self._emit)
        return answer

    def deliver(self, answer: ActiveResponse, work: asyncio.Task[None]) -> None:
        """Tell what `work` makes, until it has ended."""
        delivery = self._tasks.start(f"{answer.request.turn}:deliver", self._deliver, answer)
        answer.tasks += [work, delivery]

    def cancel(self, response_id: str | None, reason: CancelReason) -> None:
        """Stop the answer. The caller is told at once; the engines are idle when its tasks have ended.

        Raises:
            RequestError: None is being given, or another one.
        """
        answer = self.answer
        if answer is None or response_id not in (None, answer.request.response_id):
            param = None if response_id is None else "response_id"
            raise RequestError("response_cancel_not_active", "Cancellation failed: no active response found", param)
        self._finish(answer, "cancelled", reason=reason)
        cancelled = asyncio.get_running_loop().time()
        self._tasks.stop(f"{answer.request.turn}:stop", answer.tasks, lambda: self._emit(answer.dropped(cancelled)))

    def truncate(self, item_id: str, played_ms: int) -> None:
        """If it is this one: the caller has heard only the first `played_ms` of it."""
        if self.answer and self.answer.request.item_id == item_id:
            self.answer.truncated_ms = float(played_ms)

    def hang_up(self) -> None:
        """Nobody hears it any more."""
        if self.answer:
            self._finish(self.answer, "cancelled", reason="client_cancelled")

    async def _deliver(self, answer: ActiveResponse) -> None:
        try:
            await answer.deliver()
        except EngineError as error:
            log.warning("answer failed", extra={"turn": str(answer.request.turn), "stage": error.stage})
            self._finish(answer, "failed", error=str(error))
        except Exception:
            self._finish(answer, "failed", error="turn: internal error")
            raise
        else:
            self._finish(answer, "completed")

    def _opened(self, answer: ActiveResponse) -> None:
        request = answer.request
        item = replace(answer.item(complete=False), text="")
        previous = self._conversation.open(item) if request.kept else None
        self._emit(ResponseItemAdded(request.response_id, item, previous, request.kept))

    def _finish(
        self, answer: ActiveResponse, status: Status, *, reason: CancelReason | None = None, error: str | None = None
    ) -> None:
        if answer is not self.answer:
            return
        self.answer = None
        item = answer.item(complete=status == "completed")
        if status == "cancelled" or answer.truncated_ms is not None:
            item = item.heard(answer.played_ms())
        if answer.has_opened and answer.request.kept:
            self._conversation.put(item)
        else:
            self._conversation.withdraw(item.id)
        previous = self._conversation.before(item.id)
        timings = {name: round(at - self.began, 3) for name, at in answer.moments().items() if at is not None}
        told = item if answer.has_opened else None
        self._emit(answer.done(status, told, timings, previous=previous, reason=reason, error=error))
        self._ended(answer, status)
