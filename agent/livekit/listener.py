"""This module says who is told what comes of a conversation with the pipeline."""

from typing import Protocol

from agent.floor.floor import RemarkOffer
from agent.livekit.responses.outcome import ResponseOutcome
from agent.livekit.session_persona import PersonaInForce
from agent.persona.changes import Refusal
from agent.turns.turn_events import PartialHeard
from agent.video.sourced_frame import VideoSource


class ConversationListener(Protocol):
    """The listener is told what the pipeline says."""

    def on_partial(self, partial: PartialHeard) -> None: ...

    def on_end_of_turn(self, probability: float) -> None:
        """The person is silent, and has finished with that probability, by how they sounded."""
        ...

    def on_committed(self) -> None: ...

    def on_answers(self, busy: bool, owed: bool, writing: bool) -> None:
        """An answer was asked for, began or ended; `owed`: somebody waits for one of those that are under way;
        `writing`: one of them has words and will have no sound."""
        ...

    def on_tools(self) -> None:
        """The pipeline has called a function, or was told what one returned."""
        ...

    def on_broken_answer(self) -> None:
        """The line is up, and an answer for which somebody waited will not come."""
        ...

    def on_outcome(self, outcome: ResponseOutcome) -> None: ...

    def on_connection(self, resume_token: str, sees: bool) -> None:
        """The pipeline has a place for this conversation, which has that token; empty: it has none any more.
        `sees`: it looks at pictures."""
        ...

    def on_persona(self, in_force: PersonaInForce) -> None:
        """The pipeline's session is what the persona says."""
        ...

    def on_refused(self, refused: Refusal) -> None:
        """The pipeline does not have what the persona asks for; the call goes on without it."""
        ...

    def on_trouble(self, text: str) -> None:
        """Something is wrong with the connection, in words for the person; empty: nothing is any more."""
        ...

    def on_picture(self, source: VideoSource) -> None:
        """A picture of the camera or the screen has come."""
        ...

    def on_observation(self, line: str) -> None:
        """The pipeline has looked, and tells in a line what it sees; empty: nothing that it knows."""
        ...

    def on_offer(self, offer: RemarkOffer) -> None:
        """The pipeline would say something, though nobody has asked."""
        ...

    def on_offer_refused(self, offer_id: str) -> None:
        """An offer was accepted, and the pipeline will not say it."""
        ...
