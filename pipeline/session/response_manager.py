"""The answer that a session is giving: one at a time, from the request to its end."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, replace

from pipeline.aio.tasks import BackgroundTasks
from pipeline.context.conversation import Conversation
from pipeline.errors import EngineError, RequestError
from pipeline.session.active_response import ActiveResponse
from pipeline.session.pending_input import PendingInput
from pipeline.session.response_request import ResponseRequest
from pipeline.session.utterance import AHEAD_MS
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stages import PipelineStages
from pipeline.turns.turn import run_turn
from pipeline.turns.turn_context import TurnContext
from pipeline.turns.turn_counter import TurnCounter
from pipeline.types.events.event_sink import EventSink
from pipeline.types.events.response_events import CancelReason, Status
from pipeline.types.history import History
from pipeline.types.ids import item_name, response_name
from pipeline.types.turn_request import ResponseOptions

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Delivery:
    """An answer on its way out.

    Attributes:
        tasks: Make it, and tell it.
    """

    answer: ActiveResponse
    tasks: tuple[asyncio.Task[None], ...]


class ResponseManager:
    """Gives one answer after the other, and tells of each when it begins and how it ends."""

    def __init__(
        self,
        stages: PipelineStages,
        conversation: Conversation,
        pending: PendingInput,
        tasks: BackgroundTasks,
        turns: TurnCounter,
        sink: EventSink,
    ) -> None:
        self._stages, self._conversation, self._pending = stages, conversation, pending
        self._tasks, self._turns, self._sink = tasks, turns, sink
        self._delivery: Delivery | None = None
        self._began = 0.0

    @property
    def response_id(self) -> str | None:
        """The id of the response that is being given; None: none is."""
        return self._delivery.answer.request.response_id if self._delivery else None

    def open(self) -> None:
        """Set the zero of all timings: the session begins."""
        self._began = _now()

    def check_free(self) -> None:
        """Checks that no response is being given.

        Raises:
            RequestError: One is being given.
        """
        if self._delivery:
            message = f"response {self.response_id} is still being given"
            raise RequestError("conversation_already_has_active_response", message)

    def create(
        self,
        response_options: ResponseOptions,
        metadata: Mapping[str, str],
        history: History | None,
        seen: Mapping[str, float | None],
        *,
        kept: bool,
    ) -> str:
        """Begin the answer to what was said, with what was prepared for it, if anything was; returns the response's id.

        Args:
            history: It answers this conversation, and stays out of the session's; None: it answers the session's.
            seen: When what was seen, on the loop's clock.
            kept: False keeps an answer to the session's conversation out of it, too.
        """
        kept = kept and history is None
        self._pending.request(self._conversation.history, kept=kept)
        if kept:
            self._pending.forgive()
        adopted = self._pending.take(self._conversation.history) if kept and response_options.say is None else None
        turn = adopted.utterance.turn if adopted else self._turns.next()
        moments = {**(adopted.utterance.moments() if adopted else {}), **seen}
        request = ResponseRequest(turn, response_name(), item_name(), response_options, metadata, kept, moments)
        if adopted:
            besides = self._pending.asks_besides(adopted.utterance.item_id, self._conversation.history)
            request = replace(request, besides=besides)
            adopted.utterance.adopt(request)
            self._begin(request, adopted.utterance.output, adopted.answering)
        else:
            output, contexts = SpeculativeOutput(AHEAD_MS), self._asked_for(request, history)
            work = self._tasks.start(f"{turn}", run_turn, turn, contexts, self._stages, output)
            self._begin(request, output, work)
        return request.response_id

    def cancel(self, response_id: str | None, reason: CancelReason) -> None:
        """Stop the answer. The caller is told at once; the engines are idle when its tasks have ended.

        Raises:
            RequestError: None is being given, or another one.
        """
        delivery = self._delivery
        if delivery is None or response_id not in (None, delivery.answer.request.response_id):
            param = None if response_id is None else "response_id"
            raise RequestError("response_cancel_not_active", "Cancellation failed: no active response found", param)
        for task in delivery.tasks:
            task.cancel()
        self._tasks.start(f"{delivery.answer.request.turn}:stop", self._drop, delivery, _now())
        self._finish(delivery.answer, "cancelled", reason=reason)

    def is_telling(self, item_id: str) -> bool:
        """Whether the answer under way is telling a message of that id."""
        return self._delivery is not None and self._delivery.answer.is_telling(item_id)

    def truncate(self, item_id: str, played_ms: int) -> None:
        """Note that the caller has heard only the first `played_ms` of an item, if the answer under way says that."""
        if self._delivery:
            self._delivery.answer.truncate(item_id, float(played_ms))

    def hang_up(self) -> None:
        """Finish the answer under way as cancelled: nobody hears it any more."""
        if self._delivery:
            self._finish(self._delivery.answer, "cancelled", reason="client_cancelled")

    def _begin(self, request: ResponseRequest, output: SpeculativeOutput, work: asyncio.Task[None]) -> None:
        """Tell that this answer is on its way, reserve its place, and tell what `work` makes until it has ended."""
        self._conversation.reserve(request.item_id)
        answer = ActiveResponse(request, output, self._conversation, self._sink, self._began)
        delivering = self._tasks.start(f"{request.turn}:deliver", self._deliver, answer)
        self._delivery = Delivery(answer, (work, delivering))

    async def _asked_for(self, request: ResponseRequest, history: History | None) -> AsyncGenerator[TurnContext, None]:
        """All that is asked stands in the history, once the utterances in it have been heard out."""
        await self._pending.heard_out()
        asked = history or self._conversation.history.until(request.item_id)
        yield TurnContext(asked, request.response_options, settled=True, asked_at=self._stages.clock())

    async def _deliver(self, answer: ActiveResponse) -> None:
        try:
            status = await answer.deliver()
        except EngineError as error:
            log.warning(
                "answer failed", extra={"turn": str(answer.request.turn), "stage": error.stage, "reason": error.reason}
            )
            self._finish(answer, "failed", error=str(error), error_code=error.code)
        except Exception:
            self._finish(answer, "failed", error="turn: internal error")
            raise
        else:
            self._finish(answer, status)

    async def _drop(self, delivery: Delivery, cancelled: float) -> None:
        await asyncio.wait(delivery.tasks)
        self._sink.emit(delivery.answer.dropped(cancelled))

    def _finish(
        self,
        answer: ActiveResponse,
        status: Status,
        *,
        reason: CancelReason | None = None,
        error: str | None = None,
        error_code: str = "engine_failed",
    ) -> None:
        if self._delivery is None or answer is not self._delivery.answer:
            return
        self._delivery = None
        answer.finish(status, reason=reason, error=error, error_code=error_code)


def _now() -> float:
    return asyncio.get_running_loop().time()
