"""Tells a call on virtual time: what a person says and hears, through LiveKit's session and the pipeline's."""

import asyncio
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from agent.call import Call
from pipeline.vision.offers import OFFER_S, Offer
from tests.agent.audience import Notes
from tests.agent.talking.engines import Engines, until
from tests.agent.talking.person import SPOKEN_S, Ears, Mouth
from tests.agent.talking.wire import InProcessPipeline

LONGEST_S = 60.0  # that anybody waits for anything
QUIET_S = 3.0  # after which nothing more is to be expected

Kind = Literal["turn", "backchannel", "noise"]


@dataclass(frozen=True, slots=True)
class Said:
    """Something that the person said or wrote, with the second in which they began."""

    text: str
    kind: Kind
    at: float


@dataclass
class Conversation:
    """A person in a call.

    Attributes:
        said: All that they said and wrote, in order.
        lossy: Not all of it can be known: something was broken while they spoke.
        cut_off: The line broke off in an answer: the pipeline guesses how much of it was heard.
        over: They have hung up.
        reads: Answers are written for a part of it: they are remembered, and not heard.
    """

    call: Call
    notes: Notes
    engines: Engines
    pipeline: InProcessPipeline
    mouth: Mouth
    ears: Ears
    tasks: asyncio.TaskGroup
    said: list[Said] = field(default_factory=list)
    lossy: bool = False
    cut_off: bool = False
    over: bool = False
    reads: bool = False

    # What the person does.

    async def says(self, text: str, *, word_s: float = SPOKEN_S, kind: Kind = "turn") -> None:
        """Speak, to the end of the last word."""
        self.said.append(Said(text, kind, _now()))
        self.mouth.say(*text.split(), word_s=word_s)
        await until(lambda: not self.mouth.busy, LONGEST_S, "the end of what the person says")

    async def begins(self, text: str, seconds: float) -> None:
        """Speak, and go on with it: returns after so long."""
        self.said.append(Said(text, "turn", _now()))
        self.mouth.say(*text.split())
        await asyncio.sleep(seconds)

    async def hums(self, text: str = "Mhm.", seconds: float = 0.4) -> None:
        """Show that they listen."""
        await self.says(text, word_s=seconds / len(text.split()), kind="backchannel")

    async def coughs(self, seconds: float = 0.4) -> None:
        """Make a sound that holds no words."""
        self.said.append(Said("", "noise", _now()))
        self.mouth.say("", word_s=seconds)
        await until(lambda: not self.mouth.busy, LONGEST_S, "the end of a cough")

    async def pauses(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def writes(self, text: str) -> None:
        self.said.append(Said(text, "turn", _now()))
        self.tasks.create_task(self.call.write(text), name="person:writes")

    async def is_offered(self, text: str) -> None:
        """The pipeline has seen something, and would say that."""
        session = self.pipeline.session
        assert session.vision
        offer = Offer(f"offer_{len(self.said)}_{_now():.0f}", text, _now() + OFFER_S)
        session.vision.offers.make(offer)
        session.offer(offer)

    async def hangs_up(self) -> None:
        self.over = True
        await self.call.aclose()

    # What they hear.

    async def hears(self, *words: str, within_s: float = LONGEST_S) -> None:
        """Wait until these words have been heard, one after the other, from now on."""
        before, wanted = len(self.ears.words), " ".join(words)
        await until(lambda: wanted in " ".join(self.ears.words[before:]), within_s, repr(wanted))

    async def hears_something(self, *, within_s: float) -> None:
        await until(lambda: self.ears.sounding, within_s, "any sound")

    async def hears_out(self, quiet_s: float = QUIET_S) -> None:
        """Wait until nothing more is to be heard, and nothing was for so long."""
        quiet_since = _now()
        end = _now() + 3 * LONGEST_S
        while _now() - quiet_since < quiet_s:
            await asyncio.sleep(0.05)
            if self.call.busy or self.ears.sounding or self.mouth.busy:
                quiet_since = _now()
            assert _now() < end, "stuck: " + repr(self.call.publisher.signals)

    @property
    def heard(self) -> str:
        """All words that were heard."""
        return " ".join(self.ears.words)

    @property
    def is_silent(self) -> bool:
        return not self.ears.sounding

    # What is known of it.

    @property
    def history(self) -> list[tuple[str, str]]:
        """Who said what, as the pipeline remembers it."""
        items = self.pipeline.history.items
        return [(item.role, item.text.strip()) for item in items if not item.reserved and item.text.strip()]

    @property
    def decisions(self) -> list[str]:
        return [what for _, what in self.decided]

    @property
    def decided(self) -> list[tuple[float, str]]:
        """What was made of each sound, with its second."""
        return [(at, msgspec.json.decode(value)["what"]) for at, value in self.notes.of("aura.decision")]


def _now() -> float:
    return asyncio.get_running_loop().time()
