"""What the vision of a session may know of it at one moment. Frozen: when the session changes, it is given another."""

import math
from dataclasses import dataclass, field

from pipeline.types.session_options import Proactive
from pipeline.types.turn_request import ResponseOptions


@dataclass(frozen=True, slots=True)
class SessionState:
    """Decides whether to look, to prefill ahead, or to speak up.

    Attributes:
        response_options: How the session's next answer is wanted.
        proactive: What becomes of an answer that nobody asked for.
        is_speaking: The person is saying something, and has not finished.
        is_answering: An answer is being given.
        settles_until: Until when nothing may change that a question depends on which is complete, or may be, on the
            loop's clock in seconds; in the past if there is no such question.
    """

    response_options: ResponseOptions = field(default=ResponseOptions())
    proactive: Proactive = "off"
    is_speaking: bool = False
    is_answering: bool = False
    settles_until: float = -math.inf

    def is_settling(self, now: float) -> bool:
        """A question is about to be answered, or is being: nothing that it depends on may change."""
        return self.is_answering or now < self.settles_until

    def is_idle(self, now: float) -> bool:
        return not (self.is_speaking or self.is_settling(now))
