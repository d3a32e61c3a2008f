"""How often one caller may call: at most so many calls at a time, and so many in a minute."""

from collections.abc import Collection
from dataclasses import dataclass

BEGINS_S = 6.0  # until the server says of a room that somebody is in it
MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class _Admitted:
    caller: str
    room: str
    at: float


class CallerLimits:
    """Remembers whom it has admitted, for as long as that matters."""

    def __init__(self, at_once: int, per_minute: int) -> None:
        self._at_once, self._per_minute = at_once, per_minute
        self._admitted: list[_Admitted] = []

    def admit(self, caller: str, room: str, now: float, rooms: Collection[str], empty: Collection[str] = ()) -> bool:
        """Whether a caller may have one more call.

        Args:
            room: The room of the new call.
            rooms: All rooms there are: a call has one for as long as it lasts.
            empty: Those of them that nobody is in: a call is over, or has just begun.
        """
        self._admitted = [each for each in self._admitted if each.room in rooms or now - each.at < MINUTE_S]
        theirs = [each for each in self._admitted if each.caller == caller]
        going_on = [
            each for each in theirs if each.room in rooms and (each.room not in empty or now - each.at < BEGINS_S)
        ]
        lately = [each for each in theirs if now - each.at < MINUTE_S]
        if len(going_on) >= self._at_once or len(lately) >= self._per_minute:
            return False
        self._admitted.append(_Admitted(caller, room, now))
        return True
