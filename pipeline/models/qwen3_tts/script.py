"""Reads the clauses of an answer as lines of text ids, one at a time, when they are asked for."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from pipeline.chunks import Clause
from pipeline.models.qwen3_tts.prompt import Tokenize
from pipeline.models.qwen3_tts.text import Piece, pieces


@dataclass(frozen=True, slots=True)
class Line:
    """A part of one sentence.

    Attributes:
        ids: Text ids; none if nothing of it can be spoken.
        ends: The sentence ends with it.
    """

    said: str
    ids: tuple[int, ...]
    ends: bool
    clause: Clause


class Script:
    """The clauses of one answer.

    Lines are told apart at spaces, which belong to the word that follows: so the ids of a sentence
    are the same however its text was cut into clauses between words.
    """

    def __init__(self, clauses: AsyncIterator[Clause], tokenize: Tokenize) -> None:
        self._clauses = clauses
        self._tokenize = tokenize
        self._unread: list[tuple[Clause, Piece]] = []
        self._space = ""

    async def begin(self) -> Line | None:
        """The first line of the next sentence, or None if there is none."""
        self._space = ""
        return await self._next(begins=True)

    async def go_on(self) -> Line:
        """The next line of the same sentence; it ends with the clauses."""
        return await self._next(begins=False) or Line("", (), True, Clause("", ""))

    async def _next(self, *, begins: bool) -> Line | None:
        while not self._unread:
            clause = await anext(self._clauses, None)
            if clause is None:
                return None
            self._unread = [(clause, piece) for piece in pieces(clause.text)]
        clause, piece = self._unread.pop(0)
        text = piece.spoken.lstrip() if begins else self._space + piece.spoken
        bare = text.rstrip()
        self._space = " " if len(bare) < len(text) else ""
        return Line(piece.said, tuple(self._tokenize(bare)), piece.ends, clause)
