"""What small models recognise in a picture, as values that prompts, remarks and callers' screens are made of."""

from dataclasses import dataclass

from pipeline.media.video_chunk import VideoChunk


@dataclass(frozen=True, slots=True)
class SeenThing:
    """Is one kind of thing in a picture.

    Attributes:
        name: A plain English noun without an article, such as `cat`.
        count: How many of it there are.
        is_certain: Judges that look at it differently agree on the name.
    """

    name: str
    count: int = 1
    is_certain: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """Holds what was recognised in one picture.

    Attributes:
        things: The most prominent first.
        text: What is written there, as far as it was read; empty: nothing, or nobody looked for it.
        is_blank: The picture shows nothing: it is black, covered, or of one colour.
    """

    things: tuple[SeenThing, ...] = ()
    text: str = ""
    is_blank: bool = False


@dataclass(frozen=True, slots=True)
class RecognitionPrompt:
    """Asks what is in some pictures; an engine answers with one observation for each, in order.

    Attributes:
        pictures: Of a second of video its last frame is looked at.
        read: What is written there is wanted in full, not only what a quick look shows.
        cache_salt: Whose pictures they are; what was recognised in one picture is not shared beyond it.
    """

    pictures: tuple[VideoChunk, ...]
    read: bool = False
    cache_salt: str = ""
