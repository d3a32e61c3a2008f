"""This module tells whether what a person has said so far ends a sentence, by how the recogniser writes it."""

import asyncio

from agent.turns.turn_events import Onset, PartialHeard, Pause, TurnEvent
from pipeline.realtime.sentence_words import Unfinished, is_marked, is_short, unfinished, words_over


class SentenceEnd:
    """Follows what is heard of one caller.

    That no mark stands at the end means something only with a recogniser that writes marks at all, which is known as
    soon as it has written one.
    """

    def __init__(self) -> None:
        self._writes_marks = False
        self._text = self._language = ""
        self._sentence_end: float | None = None
        self._settled = asyncio.Event()

    @property
    def is_short(self) -> bool:
        """Whether what was settled last is a word or two."""
        return is_short(self._text)

    @property
    def unfinished(self) -> Unfinished | None:
        """What is still to come behind what was settled last; None: it may be all."""
        return unfinished(self._text, self._language)

    @property
    def probability(self) -> float | None:
        """Probability that a sentence ends behind what was settled last, by the recogniser; None: it does not tell."""
        return self._sentence_end if self._writes_marks and self._settled.is_set() else None

    def feed(self, turn_event: TurnEvent) -> None:
        match turn_event:
            case Onset() | Pause():  # what was settled before is not all of it
                self._settled.clear()
            case PartialHeard(text=text, settled=settled, language=language, sentence_end=sentence_end):
                self._writes_marks = self._writes_marks or is_marked(text)
                if settled:
                    self._text, self._language, self._sentence_end = text, language, sentence_end
                    self._settled.set()

    async def over(self, until: float) -> bool | None:
        """Whether it ends a sentence; None if that cannot be told. Returns as soon as all that was said is known.

        Args:
            until: The moment, on the loop's clock, after which nothing more is waited for.
        """
        try:
            async with asyncio.timeout_at(until):
                await self._settled.wait()
        except TimeoutError:
            return None
        return words_over(self._text, self._language) if self._writes_marks else None
