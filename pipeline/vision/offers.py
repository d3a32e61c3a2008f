"""What the model would say of its own accord: offered as text, before a voice is made of it."""

from dataclasses import dataclass
from typing import Any, Protocol

from pipeline.errors import RequestError
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stage import Stage
from pipeline.turns.turn import chain
from pipeline.types.chunks import TurnId
from pipeline.types.function_tools import FunctionCall
from pipeline.types.turn_request import TurnRequest

OFFER_S = 5.0  # how long an offer stands: what was seen then is over


@dataclass(frozen=True, slots=True)
class Offer:
    """Is a remark that the model would make, unless somebody speaks before it is due.

    Attributes:
        until: When it lapses, on the loop's clock in seconds.
    """

    id: str
    text: str
    until: float


class OfferSink(Protocol):
    """Whoever decides what becomes of an offer."""

    def offer(self, offer: Offer) -> None: ...


@dataclass(slots=True)
class OfferBook:
    """At most one offer stands at a time."""

    _offer: Offer | None = None

    def make(self, offer: Offer) -> None:
        self._offer = offer

    def stands(self, now: float) -> bool:
        return self._offer is not None and now < self._offer.until

    def drop(self) -> None:
        self._offer = None

    def accept(self, offer_id: str, now: float) -> str:
        """Returns the offer's text; the offer does not stand any longer.

        Raises:
            RequestError: That offer does not stand.
        """
        if self._offer is None or self._offer.id != offer_id or not self.stands(now):
            param = "response.metadata.offer_id"
            raise RequestError("invalid_value", f"{param}: the offer {offer_id!r} does not stand (any more)", param)
        text, self._offer = self._offer.text, None
        return text


async def unasked(turn: TurnId, seen: TurnRequest, stages: tuple[Stage[Any, Any], ...]) -> str:
    """What there is to be said about what is seen: mostly nothing."""
    output = SpeculativeOutput(0)
    async with output:
        await chain(turn, seen, stages, output)
    output.commit()
    return "".join([word.text async for word in output.words() if not isinstance(word, FunctionCall)]).strip()
