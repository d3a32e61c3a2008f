"""This module watches who has the floor of a call, and tells those who wait until nobody has it."""

from agent.aio.guard import log_exceptions
from agent.answers.spoken_turns import SpokenTurns
from agent.floor.floor import FloorSeen
from agent.livekit.remarks import Remarks
from agent.records.consent import RecordingConsent
from agent.status.attributes import AgentStatePublisher
from agent.tools.call_tools import CallTools


class FloorWatch:
    """What somebody says has the floor until it is decided what it was; an answer, from its request until it is heard.

    Remarks wait for a free floor, what tools have returned, and the sentence that tells of a recording: the next always
    for those before it, too.
    """

    def __init__(
        self,
        publisher: AgentStatePublisher,
        spoken: SpokenTurns,
        remarks: Remarks,
        tools: CallTools,
        consent: RecordingConsent,
    ) -> None:
        self._publisher, self._spoken, self._remarks = publisher, spoken, remarks
        self._tools, self._consent = tools, consent

    @property
    def busy(self) -> bool:
        """Whether something is undecided that was said, or an answer is due, on its way or being heard."""
        return self._agent or self._spoken.stt.undecided or self._tools.busy

    @log_exceptions
    def see(self) -> None:
        """Something has changed of who speaks."""
        person = self._publisher.signals.person_speaking or self._spoken.stt.undecided
        agent = self._agent
        self._remarks.floor.feed(FloorSeen(person, agent or self._tools.busy))
        self._tools.see_floor(not (person or agent))
        self._consent.see_floor(not (person or agent or self._tools.busy or self._tools.answer_due))

    def on_audible(self, audible: bool) -> None:
        """The agent begins to be heard, or does not sound any more."""
        self._publisher.observe(audible=audible)
        self._spoken.on_audible(audible)
        self.see()
        if audible:
            self._remarks.on_playback_started()

    @property
    def _agent(self) -> bool:
        """Whether the agent has the floor."""
        signals = self._publisher.signals
        return signals.audible or signals.answering
