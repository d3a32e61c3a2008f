"""This module has a tool ask before it acts: its call is refused until the person has answered since. Pure."""

from dataclasses import dataclass, field
from typing import TypeVar

ASK = "Ask the person whether you shall do this, in one short question. Call it again, with the same arguments, only \
after they have agreed."
NOTE = "Before you call it, ask the person whether you shall, and call it only after they have agreed."
_MARK = "__aura_asks_first__"

T = TypeVar("T")


def asks_first(tool: T) -> T:
    """Mark a tool that must ask before it acts; stands above `@function_tool`."""
    setattr(tool, _MARK, True)
    return tool


def does_ask(tool: object) -> bool:
    """Whether the tool is marked so."""
    return getattr(tool, _MARK, False) is True


@dataclass(slots=True)
class Consent:
    """What the person was asked, and whether they have said anything since."""

    _asked: dict[tuple[str, str], int] = field(default_factory=dict)  # the turn in which each call was made
    _turn: int = 0

    def answered(self) -> None:
        """The person has taken a turn."""
        self._turn += 1

    def given(self, name: str, arguments: str) -> bool:
        """Whether that call may be run now. If not, it may be after the person's next turn; what it asks for is asked
        again each time."""
        asked = self._asked.pop((name, arguments), None)
        if asked is not None and asked < self._turn:
            return True
        self._asked[name, arguments] = self._turn if asked is None else asked
        return False
