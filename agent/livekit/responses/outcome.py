"""This module says how an answer ended."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ResponseOutcome:
    """An outcome says how an answer ended.

    Attributes:
        decision: `silent` if nothing is said.
        error: Why it failed, in words; empty if it did not.
        reason: A code for why it is silent, or failed.
        waited_ms: How long somebody has waited for this; None: nobody has.
        offer_id: Of the offer that was said; empty: somebody, or the agent itself, had asked for it.
        cut: It was written, and stopped before its end.
        said: The text that it was to say as it is; empty: its words are the model's.
    """

    response_id: str
    status: str
    decision: str = ""
    error: str = ""
    reason: str = ""
    waited_ms: int | None = None
    offer_id: str = ""
    cut: bool = False
    said: str = ""
