"""Tells with which frame of a sentence each piece of its text is taken to begin. Pure."""

FRAMES_A_TOKEN = 3.5  # of speech, 12.5 frames a second; codec frames carry no word times


class Captions:
    """The first piece begins with the sentence; those that were appended, about when they are spoken.

    What is appended before the last piece has begun goes with it: each piece begins a chunk of sound, and words are
    too small for that.
    """

    def __init__(self, first: str) -> None:
        self._waiting = [(0.0, first)]

    def add(self, said: str, tokens_before: int) -> None:
        """A piece that follows so many text ids of the same sentence."""
        if self._waiting:
            place, before = self._waiting[-1]
            self._waiting[-1] = place, before + said
        else:
            self._waiting.append((tokens_before * FRAMES_A_TOKEN, said))

    def until(self, frame: int) -> str:
        """The text that begins with `frame` or has begun since the last call."""
        begun = [said for place, said in self._waiting if place <= frame]
        del self._waiting[: len(begun)]
        return "".join(begun)

    def rest(self) -> str:
        """What is left when the sentence ends."""
        rest = "".join(said for _, said in self._waiting)
        self._waiting.clear()
        return rest
