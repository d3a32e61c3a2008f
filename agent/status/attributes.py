"""This module tells the room of the agent, by attributes of its participant."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import msgspec

from agent.status.stage_timings import StageTimings
from agent.status.waiting_news import WaitingNews
from agent.video.sourced_frame import VideoSource

logger = logging.getLogger(__name__)

State = Literal["listening", "thinking", "speaking", "writing", "watching", "silent"]
What = Literal[
    "turn",
    "backchannel",
    "noise",
    "silent",
    "interrupted",
    "continued",
    "unanswered",
    "resumed",
    "refused",
    "error",
    "spoke_up",
    "offer_dropped",
    "proactive",
    "tool",
    "no_tool",
]

CONNECTION = "aura.connection"
SEES = "aura.sees"
SHOWN = "aura.shown"
OBSERVATION = "aura.observation"
PERSONA = "aura.persona"
CHOICES = "aura.choices"
TOOL = "aura.tool"
HISTORY = "aura.history"  # what was said, sealed: for whoever takes the call over
RECORD = "aura.record"  # `on` while the call is recorded
MARK = "aura.agent"  # which other agents in a room do not have
SILENT_S = 2.0  # for which "stayed silent" is shown
WATCHING_S = 2.0  # after the last picture
OBSERVED_S = 2.0  # for which a line holds that says what is seen: it is told each second while it does
UNDECIDED_S = 2.0  # after a sound; sooner, it is either answered or found to be no turn
GIVEN_UP_S = 20.0  # after a sound: nothing came of it
PASSING = frozenset(("aura.decision", "aura.timings", TOOL))  # what tells of a moment
UNKNOWN = StageTimings()

# Why an answer is silence, in words, by the pipeline's code.
SILENCES = {
    "model": "chose to say nothing",
    "no_words": "no words were heard in what was said",
    "unspoken": "what it wrote cannot be spoken",
}


@dataclass(frozen=True, slots=True)
class AgentSignals:
    """The signs are what can be observed of the agent.

    Attributes:
        answering: An answer is due or under way, if only a greeting.
        writing: An answer that has no sound is being written.
        owed: Somebody waits for it.
        heard_at: When the person ended a sound of which it is not known yet whether it is a turn.
        sees: The pipeline looks at pictures.
        silent_until, watching_until, observed_until: On the loop's clock, too.
    """

    audible: bool = False
    answering: bool = False
    writing: bool = False
    owed: bool = False
    person_speaking: bool = False
    sees: bool = False
    heard_at: float | None = None
    silent_until: float = 0.0
    watching_until: float = 0.0
    observed_until: float = 0.0

    @property
    def given(self) -> bool:
        """Whether an answer is being heard or read."""
        return self.audible or self.writing

    def state(self, now: float) -> State:
        if self.person_speaking:
            return "listening"
        if self.audible:
            return "speaking"
        if self.writing:
            return "writing"
        if self.owed or (self.heard_at is not None and UNDECIDED_S <= now - self.heard_at < GIVEN_UP_S):
            return "thinking"
        if now < self.silent_until:
            return "silent"
        return "watching" if self.looks(now) else "listening"

    def looks(self, now: float) -> bool:
        """Return whether the pipeline looks at pictures, and one has come of late."""
        return self.sees and now < self.watching_until

    def knows(self, now: float) -> bool:
        """Return whether what was seen last is what there is to be seen now."""
        return self.looks(now) and now < self.observed_until

    def changes_at(self, now: float) -> float | None:
        """Return when the state may change by itself."""
        sound = () if self.heard_at is None else (self.heard_at + UNDECIDED_S, self.heard_at + GIVEN_UP_S)
        moments = (self.silent_until, self.watching_until, self.observed_until, *sound)
        return min((moment for moment in moments if moment > now), default=None)


class AttributeSink(Protocol):
    """The sink shows the agent's attributes to people."""

    async def publish(self, attributes: dict[str, str]) -> None: ...


class AgentStatePublisher:
    """Publishes what has changed, in order; changes of state that nobody could have seen are left out."""

    def __init__(self, sink: AttributeSink) -> None:
        self._sink = sink
        self._signals = AgentSignals()
        self._shown: State | None = None
        self._source: VideoSource = "camera"  # of the last picture
        self._shown_source = ""
        self._line = self._shown_line = ""  # what was seen last
        self._news = WaitingNews(PASSING)
        self._error = ""
        self._persona: Mapping[str, str] = {}
        self._began = asyncio.get_running_loop().time()
        self._changed = asyncio.Event()

    @property
    def began(self) -> float:
        """When the call began, on the loop's clock: what is published counts from then."""
        return self._began

    @property
    def signals(self) -> AgentSignals:
        return self._signals

    def observe(self, **signals: bool) -> None:
        """Take any of `audible`, `answering`, `writing`, `owed`, `person_speaking`, and `undecided`: the person has
        just ended a sound which may be a turn."""
        heard_at = None if signals.get("owed") else self._signals.heard_at
        if (undecided := signals.pop("undecided", None)) is not None:
            heard_at = self._now() if undecided else None
        self._see(replace(self._signals, heard_at=heard_at, **signals))

    def saw_frame(self, source: VideoSource = "camera") -> None:
        self._source = source
        self._see(replace(self._signals, watching_until=self._now() + WATCHING_S))

    def observed(self, line: str) -> None:
        """Take what the pipeline sees, in a line: it is shown until it is old, or no pictures come any more."""
        self._line = line
        self._see(replace(self._signals, observed_until=self._now() + OBSERVED_S))

    @property
    def seen(self) -> str:
        """What was seen last, in a line, if that is what there is to be seen now; empty: nobody knows."""
        return self._line if self._signals.knows(self._now()) else ""

    def tool(self, report: Mapping[str, object]) -> None:
        """Publish how a call of a tool stands: its name, arguments, state, time and result."""
        self._tell({TOOL: _json({"at_ms": self._at_ms(), **report})})

    def stayed_silent(self, reason: str = "model", figures: Mapping[str, float | str] | None = None) -> None:
        """Publish that an answer is silence; `reason`: the pipeline's code for it."""
        self._see(replace(self._signals, silent_until=self._now() + SILENT_S))
        self.decided("silent", SILENCES.get(reason, "said nothing"), reason=reason, figures=figures)

    def decided(
        self, what: What, text: str, *, reason: str = "", figures: Mapping[str, float | str] | None = None
    ) -> None:
        """Publish a decision.

        Args:
            text: Why, in a few words for people: never what somebody said.
            reason: A code for it, such as `no_words`, from where it was decided.
            figures: The numbers behind it; a name says its unit.
        """
        if what in ("backchannel", "noise"):
            self.observe(undecided=False)
        decision = {
            "at_ms": self._at_ms(),
            "what": what,
            "reason": reason,
            "text": text,
            "figures": dict(figures or {}),
        }
        self._tell({"aura.decision": _json(decision)})

    def timed(
        self, response_id: str, speech_end_ms: int | None, create_ms: int | None, stages: StageTimings = UNKNOWN
    ) -> None:
        """Publish the milliseconds to an answer's first sound: from the end of speech, from the request, by stages."""
        figures = {"speech_end_to_first_audio_ms": speech_end_ms, "create_to_first_audio_ms": create_ms}
        parts = {"waited_ms": stages.waited_ms, "took_ms": stages.took_ms, "moments_ms": stages.moments_ms}
        timings = {"at_ms": self._at_ms(), "response_id": response_id, **figures, **parts}
        self._tell({"aura.timings": _json(timings)})

    def error(self, text: str, reason: str = "") -> None:
        """Publish what is wrong, in a sentence for the person; empty: all is well again. It is told once."""
        if text == self._error:
            return
        self._error = text
        if text:
            self.decided("error", text, reason=reason)
        self._tell({"aura.error": text})

    def failed(self, text: str, reason: str = "") -> None:
        """Publish that one more answer failed: each is told, also in the words of the one before."""
        self._error = ""
        self.error(text, reason)

    def connection(self, resume_token: str, sees: bool) -> None:
        """The agent holds a place in the pipeline, for the conversation with that token; empty: it holds none.
        `sees`: that pipeline looks at pictures."""
        self._line = ""
        self._see(replace(self._signals, sees=sees))
        known = "yes" if sees else "no"
        self._tell({CONNECTION: resume_token, SEES: known if resume_token else ""})

    def recording(self, on: bool, why: str = "") -> None:
        """Publish that the call is recorded, or is not any more; `why`: what has failed."""
        if why:
            self.decided("error", f"the call is not recorded: {why}", reason="record")
        self._tell({RECORD: "on" if on else ""})

    def history(self, sealed: str) -> None:
        """Publish what was said, as nobody can read it who is not an agent of ours."""
        self._tell({HISTORY: sealed})

    def persona(self, persona: Mapping[str, object], choices: Mapping[str, object]) -> None:
        """Publish who the agent is, and what there is to choose from; what is shown already is not told again."""
        shown = {PERSONA: _json(persona), CHOICES: _json(choices)}
        news = {name: value for name, value in shown.items() if self._persona.get(name) != value}
        if news:
            self._persona = shown
            self._tell(news)

    async def run(self) -> None:
        """Publish until cancelled."""
        while True:
            self._changed.clear()
            state = self._signals.state(self._now())
            if state != self._shown:
                self._shown = state
                self._news.add({"aura.state": state})
            source = self._source if self._signals.looks(self._now()) else ""
            if source != self._shown_source:
                self._shown_source = source
                self._news.add({SHOWN: source})
            line = self._line if self._signals.knows(self._now()) else ""
            if line != self._shown_line:
                self._shown_line = line
                self._news.add({OBSERVATION: line})
            while self._news:
                await self._send(self._news.take())
            moment = self._signals.changes_at(self._now())
            try:
                async with asyncio.timeout_at(moment):
                    await self._changed.wait()
            except TimeoutError:
                pass

    async def _send(self, attributes: dict[str, str]) -> None:
        try:
            await self._sink.publish(attributes)
        except Exception:
            logger.exception("attributes were not published", extra={"attributes": sorted(attributes)})

    def _see(self, signals: AgentSignals) -> None:
        if signals != self._signals:
            self._signals = signals
            self._changed.set()

    def _tell(self, attributes: dict[str, str]) -> None:
        self._news.add(attributes)
        self._changed.set()

    def _at_ms(self) -> int:
        """Return the milliseconds since the call began."""
        return round((self._now() - self._began) * 1000)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
