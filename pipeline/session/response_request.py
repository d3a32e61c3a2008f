"""What an answer is asked for with."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.types.chunks import TurnId
from pipeline.types.turn_request import ResponseOptions


@dataclass(frozen=True, slots=True)
class ResponseRequest:
    """A `response.create`: what the answer is called, and how it is wanted.

    Attributes:
        kept: The conversation keeps the answer.
        moments: When what happened before, on the loop's clock.
        besides: It is to answer more than the utterance that was said last, which may turn out to have no words.
    """

    turn: TurnId
    response_id: str
    item_id: str
    response_options: ResponseOptions
    metadata: Mapping[str, str] = field(default_factory=dict)
    kept: bool = True
    moments: Mapping[str, float | None] = field(default_factory=dict)
    besides: bool = False
