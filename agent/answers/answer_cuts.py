"""This module tells people that an answer was cut, and by what: once for each that is written."""

from collections.abc import Mapping
from typing import Literal

from agent.livekit.model import AuraRealtimeModel
from agent.livekit.responses.outcome import ResponseOutcome
from agent.status.attributes import AgentStatePublisher

By = Literal["typed", "left", "modality"]

SPEECH = "somebody spoke over the answer"
TEXTS: Mapping[By, str] = {
    "typed": "something was written over the answer",
    "left": "the person left",
    "modality": "it is given anew",
}


class AnswerCuts:
    """The cuts of one call."""

    def __init__(self, model: AuraRealtimeModel, publisher: AgentStatePublisher) -> None:
        self._model, self._publisher = model, publisher
        self._told = ""  # the answer of which a cut was told last

    def by(self, by: By) -> None:
        """What is being heard or read is cut, if anything is."""
        if self._publisher.signals.given:
            self.note()
            self._publisher.decided("interrupted", TEXTS[by], reason=by)
        elif by == "left" and self._publisher.signals.owed:
            self._publisher.decided("unanswered", "the person left before it was answered", reason=by)

    def note(self) -> None:
        """The newest answer is cut, and that is told."""
        newest = self._model.live.answers.newest if self._model.live else None
        self._told = newest.response_id if newest else ""

    def ended(self, outcome: ResponseOutcome) -> None:
        """An answer has ended. One that is written LiveKit cuts at any sound; of one that is heard the turn tracker
        decides."""
        if outcome.cut and outcome.response_id != self._told:
            self._publisher.decided("interrupted", SPEECH, reason="speech")
