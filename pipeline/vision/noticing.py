"""What of a camera's observations is worth a remark: somebody comes, something is shown, a text appears. Pure."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from pipeline.media.video_chunk import VideoSource
from pipeline.types.observation import Observation
from pipeline.types.observation_line import shortened, with_article
from pipeline.vision.unremarkable import is_unremarkable

WINDOW, COUNTS = 4, 3  # a label counts when it was seen in 3 of 4 frames
GONE = 8  # frames in a row without a label, after which it is gone
FIRST_SCENE, FIRST_TEXTS = 4, 8  # frames: what is seen in them, or read, was there before, and does not come
FRESH = 8  # frames with a label; one that counts only after more was there all the time, and nobody was sure of it
LEAST_LETTERS = 3  # of a word by which two readings of a text agree; the second counts, as not each frame is read
NOT_AGAIN_S = 60.0  # after a remark on a label
ONE_EVENT_S = 6.0  # after a remark: what comes meanwhile belongs to it
AWAY_S = 30.0  # between two observations, longer than an answer: the camera was off, and shows a first scene again
QUOTED = 40  # characters of a text that are said unasked; of a longer one it is only said that it is there

SOMEBODY, ANOTHER, THING, TEXT, PAGE = range(5)
# What is said, by what is noticed; one after the other, so that nobody hears the same words twice in a row.
PHRASES: tuple[tuple[str, ...], ...] = (
    ("Oh, hello there.", "Hello, I can see somebody now.", "Ah, somebody is here. Hello."),
    ("Oh, now there are two of you.", "Hello to both of you.", "Ah, somebody else has come."),
    ("Oh, that looks like {}.", "Ah, I see {}.", "I think that is {}."),
    ('I can read "{}" there.', 'It says "{}" there.', 'There it says "{}".'),
    (
        "That is something to read. Ask me, and I will tell you what it says.",
        "I see a page with writing on it. Shall I read some of it?",
    ),
)
PERSON, PEOPLE, WRITING = "person", "people", "writing"  # labels; of other things it is their name


@dataclass(slots=True)
class LabelTrack:
    """Follows one label through the frames.

    Attributes:
        clear: Of the newest frames, in which it was seen so clearly that it may be named.
        frames: In which it was seen since it came.
        missed: Frames in a row without it.
        is_there: It counts, or has been there from the beginning.
        said_at: When it was remarked on, on the loop's clock in seconds.
    """

    clear: deque[bool] = field(default_factory=lambda: deque(maxlen=WINDOW))
    frames: int = 0
    missed: int = 0
    is_there: bool = False
    said_at: float | None = None

    def take(self, seen: bool, clear: bool) -> None:
        """Takes one more frame, in which it was seen, so clearly that it may be named, or not."""
        self.missed = 0 if seen else self.missed + 1
        self.frames += seen
        self.clear.append(clear)
        if self.is_gone:
            self.leave()

    def leave(self) -> None:
        self.is_there, self.frames = False, 0
        self.clear.clear()

    @property
    def is_gone(self) -> bool:
        return self.missed >= GONE

    def may_be_said(self, now: float) -> bool:
        return self.said_at is None or now - self.said_at >= NOT_AGAIN_S


class Noticing:
    """Is fed with one observation after the other; gives what there is to be said unasked, which is mostly nothing.

    A first scene, after the camera was turned on or uncovered, is not remarked on: who turns a camera on knows what it
    shows, and is being greeted at that moment. Nor is what a shared screen shows, where things and texts come and go
    all the time. Of a thing only its certain name is said.
    """

    def __init__(self) -> None:
        self._tracks: dict[str, LabelTrack] = {}
        self._source: VideoSource | None = None
        self._fed_at = self._said_at = float("-inf")
        self._frames = self._blanks = 0
        self._words: frozenset[str] = frozenset()  # of the text that was read last
        self._turns = tuple(count() for _ in PHRASES)

    def feed(self, seen: Observation, source: VideoSource, now: float) -> str:
        """Takes what was recognised in the newest picture; returns the remark that it is worth, or an empty text.

        Args:
            now: On the loop's clock, in seconds.
        """
        if source != self._source or now - self._fed_at > AWAY_S:
            self._begin_scene()
        self._source, self._fed_at = source, now
        if seen.is_blank:
            self._blanks += 1
            if self._blanks >= COUNTS:
                self._begin_scene()
            return ""
        self._blanks = 0
        self._frames += 1
        came = self._follow(seen)
        if source == "screen" or not came or now - self._said_at < ONE_EVENT_S:
            return ""
        label = next((label for label in came if self._tracks[label].may_be_said(now)), None)
        if label is None:
            return ""
        self._said_at = self._tracks[label].said_at = now
        return self._phrase(label, seen.text)

    def _begin_scene(self) -> None:
        self._frames = 0
        self._words = frozenset()
        for track in self._tracks.values():
            track.leave()

    def _follow(self, seen: Observation) -> list[str]:
        """Takes all labels of a frame; returns those that have just come, the most important first."""
        labels = dict(self._labels(seen))
        came = [label for label, is_clear in labels.items() if self._comes(label, is_clear)]
        for label, track in list(self._tracks.items()):
            if label not in labels:
                track.take(seen=False, clear=False)
                if track.is_gone and track.may_be_said(self._fed_at):
                    del self._tracks[label]
        return came

    def _comes(self, label: str, is_clear: bool) -> bool:
        """Takes a label of a frame; returns whether it counts from now on."""
        track = self._tracks.setdefault(label, LabelTrack())
        track.take(seen=True, clear=is_clear)
        counts, first = (1, FIRST_TEXTS) if label == WRITING else (COUNTS, FIRST_SCENE)
        came, old = sum(track.clear) >= counts, self._frames <= first or track.frames > FRESH
        is_new = came and not old and not track.is_there
        track.is_there = track.is_there or came or old
        return is_new

    def _labels(self, seen: Observation) -> Iterator[tuple[str, bool]]:
        """What is followed in a frame, the most important first, and whether it may be named."""
        persons = sum(thing.count for thing in seen.things if thing.name == PERSON)
        if persons:
            yield PERSON, True
        if persons > 1:
            yield PEOPLE, True
        for thing in seen.things:
            if thing.name != PERSON and not is_unremarkable(thing.name):
                yield thing.name, thing.is_certain
        words = frozenset(word for word in seen.text.lower().split() if len(word) >= LEAST_LETTERS)
        if words:
            yield WRITING, bool(words & self._words)
            self._words = words

    def _phrase(self, label: str, text: str) -> str:
        match label:
            case "person":
                kind, filled = SOMEBODY, ""
            case "people":
                kind, filled = ANOTHER, ""
            case "writing":
                filled = " ".join(text.split()).replace('"', "'")
                kind = TEXT if len(filled) <= QUOTED else PAGE
            case _:
                kind, filled = THING, with_article(shortened(label, QUOTED))
        phrases = PHRASES[kind]
        return phrases[next(self._turns[kind]) % len(phrases)].format(filled)
