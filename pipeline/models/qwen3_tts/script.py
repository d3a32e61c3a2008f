"""Reads the clauses of an answer as lines of text ids, one at a time, when they are asked for."""

from dataclasses import dataclass, replace
from typing import Protocol

from pipeline.models.qwen3_tts.prompt import Tokenize
from pipeline.models.qwen3_tts.text import SpokenPiece, pieces
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
    """`pipeline.engines.prompt_queue.Ahead`, or a fake."""

    @property
    def waits(self) -> bool: ...

    async def take(self) -> Clause | None: ...


class Script:
    """The clauses of one answer.

    Lines are told apart at spaces, which belong to the word that follows: so the ids of a sentence
    are the same however its text was cut into clauses between words.
    """

    def __init__(self, clauses: ClauseSource, tokenize: Tokenize) -> None:
        self._clauses = clauses
        self._tokenize = tokenize
        self._unread: list[tuple[Clause, SpokenPiece]] = []
        self._space = ""

    async def begin(self) -> ScriptLine | None:
        """The first line of the next sentence, as far as it is known, or None if there is none."""
        self._space = ""
        line = await self._next(begins=True)
        return await self._longer(line, 1) if line and line.ids else line

    async def go_on(self, least: int) -> ScriptLine:
        """The next line of the same sentence: all that is known of it; at least so many ids, unless it ends."""
        return await self._longer(await self._next(begins=False) or END, least)

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
            self._unread = [(clause, piece) for piece in pieces(clause.text, begins=begins)]
        clause, piece = self._unread.pop(0)
        text = self._space + (piece.spoken.lstrip() if begins or self._space else piece.spoken)
        bare = text.rstrip()
        self._space = " " if len(bare) < len(text) else ""
        return ScriptLine(piece.said, tuple(self._tokenize(bare)), piece.ends, clause)
