"""Reads the clauses of an answer as lines of text ids, one at a time, when they are asked for."""

from dataclasses import dataclass, replace
from typing import Protocol

from pipeline.models.qwen3_tts.prompt import Tokenize
from pipeline.models.qwen3_tts.text import SpokenPiece, pieces, spoken
from pipeline.types.chunks import Clause


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """A part of one sentence.

    Attributes:
        ids: Text ids; none if nothing of it can be spoken.
        ends: The sentence ends with it.
    """

    said: str
    ids: tuple[int, ...]
    ends: bool
    clause: Clause


LONGEST = 32  # ids of a line after which no other is added: a sentence is bounded by its lines
END = ScriptLine("", (), True, Clause("", ""))  # the clauses have ended


class ClauseSource(Protocol):
    """`pipeline.engines.prompt_queue.PromptQueue`, or a fake."""

    @property
    def waits(self) -> bool: ...

    async def take(self) -> Clause | None: ...


class Script:
    """The clauses of one answer.

    Lines are told apart at spaces, which belong to the word that follows: so the ids of a sentence
    are the same however its text was cut into clauses between words.

    The first id of a clause that is only begun is a line by itself, which says nothing yet. With the whole clause the
    sentence goes on, or has to begin anew, if it begins with another id.
    """

    def __init__(self, clauses: ClauseSource, tokenize: Tokenize) -> None:
        self._clauses = clauses
        self._tokenize = tokenize
        self._unread: list[tuple[Clause, SpokenPiece]] = []
        self._space = ""
        self._begun: tuple[int, ...] = ()  # the id that the sentence was begun with, before its word was whole
        self._first: ScriptLine | None = None  # of a sentence that begins anew

    @property
    def is_ahead(self) -> bool:
        """The sentence was begun with an id of a word that is not whole yet."""
        return bool(self._begun)

    async def begin(self) -> ScriptLine | None:
        """The first line of the next sentence, as far as it is known, or None if there is none."""
        first, self._first = self._first, None
        if first is None:
            self._space = ""
            first = await self._next(begins=True)
        return await self._longer(first, 1) if first and first.ids else first

    async def go_on(self, least: int) -> ScriptLine | None:
        """The next line of the same sentence: all that is known of it; at least so many ids, unless it ends.

        Of one that is ahead, its first word is enough. None: it does not begin as was thought, and begins anew.
        """
        least = 1 if self.is_ahead else least
        line = await self._longer(await self._next(begins=self.is_ahead) or END, least)
        begun, self._begun = self._begun, ()
        if line.ids[: len(begun)] == begun:
            return replace(line, ids=line.ids[len(begun) :])
        self._first = line
        return None

    async def _longer(self, line: ScriptLine, least: int) -> ScriptLine:
        while (
            not line.ends and len(line.ids) < LONGEST and (len(line.ids) < least or self._unread or self._clauses.waits)
        ):
            more = await self._next(begins=False) or END
            line = replace(line, said=line.said + more.said, ids=line.ids + more.ids, ends=more.ends)
        return line

    async def _next(self, *, begins: bool) -> ScriptLine | None:
        while not self._unread:
            clause = await self._clauses.take()
            if clause is None:
                return None
            if clause.is_begun:
                ids = self._ids(spoken(clause.text).lstrip())[:1]
                if ids and begins and not (self._begun or self._clauses.waits):
                    self._begun = ids
                    return ScriptLine("", ids, False, clause)
                continue
            self._unread = [(clause, piece) for piece in pieces(clause.text, begins=begins)]
        clause, piece = self._unread.pop(0)
        text = self._space + (piece.spoken.lstrip() if begins or self._space else piece.spoken)
        bare = text.rstrip()
        self._space = " " if len(bare) < len(text) else ""
        return ScriptLine(piece.said, self._ids(bare), piece.ends, clause)

    def _ids(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenize(text))
