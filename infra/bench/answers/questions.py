"""The questions, read from `questions.toml`, and the rules by which an answer counts as right."""

import re
import tomllib
from pathlib import Path
from time import strftime, struct_time

import msgspec

QUESTIONS = Path(__file__).with_name("questions.toml")


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is asked in one turn, and what a right answer is like.

    Attributes:
        right: Regular expressions of any letter case, of which one must be found; none: whatever is said.
        wrong: Those of which none may be.
        least_words: Of the answer.
        clock: Forms of `strftime`: an answer that tells the time of this machine in one of them is right, and of those
            to such a question no other, unless a rule of `right` is kept.
        silent: No answer is right, too.
    """

    ask: str
    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    least_words: int = 0
    clock: tuple[str, ...] = ()
    silent: bool = False

    @property
    def is_counted(self) -> bool:
        return bool(self.right or self.wrong or self.least_words or self.silent or self.clock)

    def is_right(self, answer: str, now: struct_time) -> bool:
        """Whether an answer that was given now keeps the rules."""
        if not answer.strip():
            return self.silent
        if any(strftime(form, now).casefold() in answer.casefold() for form in self.clock):
            return True
        if (self.silent or self.clock) and not self.right:
            return False
        found = not self.right or any(_found(rule, answer) for rule in self.right)
        return (
            found and len(answer.split()) >= self.least_words and not any(_found(rule, answer) for rule in self.wrong)
        )


class Talk(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Some turns of one session."""

    kind: str
    turns: tuple[Question, ...]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    talk: tuple[Talk, ...]


def read_talks(path: Path = QUESTIONS) -> tuple[Talk, ...]:
    """All talks, in the order of the file.

    Raises:
        ValueError: A key is unknown, or a rule is no regular expression.
    """
    talks = msgspec.convert(tomllib.loads(path.read_text()), _File).talk
    for question in (each for talk in talks for each in talk.turns):
        for rule in (*question.right, *question.wrong):
            try:
                re.compile(rule)
            except re.error as error:
                raise ValueError(f"{question.ask!r}: {rule!r} is no regular expression: {error}") from error
    return talks


def _found(rule: str, answer: str) -> bool:
    return re.search(rule, answer, re.IGNORECASE | re.DOTALL) is not None
