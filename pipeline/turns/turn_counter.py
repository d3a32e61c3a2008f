"""Numbers the turns of one session."""

from itertools import count

from pipeline.types.chunks import TurnId


class TurnCounter:
    """Gives each turn of a session a number of its own, so that engines can tell their requests apart."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._epochs = count()

    def next(self) -> TurnId:
        return TurnId(self._session, next(self._epochs))
