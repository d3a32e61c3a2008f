"""What an answer may use of what is seen: the pictures that are looked at for it, and what its prompt says. Pure."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from itertools import takewhile

from pipeline.media.video_chunk import VideoChunk
from pipeline.models.shared.control_tokens import escape_control_tokens
from pipeline.types.history import History, Item
from pipeline.types.observation import Observation, RecognitionPrompt
from pipeline.types.observation_line import observation_line
from pipeline.types.turn_request import TurnRequest

MOST_PICTURES = 4  # of those that come with a question
MOST_LETTERS = 300  # of all that the prompt says of what is seen

READS = re.compile(
    r"\b(?:read|reads|reading|written|writing|text|titles?|labels?|headlines?|wh(?:at|ich) (?:words?|letters?))\b"
    r"|\b(?:does|do) (?:it|this|that|these|those|they|(?:the|my) [\w ]{1,30}) say\b"
    r"|\bwhat (?:it|this|that) says\b",
    re.IGNORECASE,
)

# Words of questions that may be about what is seen. A small model takes a line that tells of nothing for the answer to
# whatever it is asked: the other questions go without such a line.
LOOKS = re.compile(
    r"\b(?:see|sees|seeing|seen|saw|look|looks|looking|watch|watching|show|shows|showing|shown|hold|holding|held|wear"
    r"|wearing|camera|picture|photo|image|screen|visible|recogni[sz]e|colou?rs?|this|that|these|those|it|its|they|here"
    r"|there|around|behind|front|who am i|my (?:hand|hands|face|hair|shirt|room|desk|table|finger|fingers))\b",
    re.IGNORECASE,
)


async def asked2pictures(
    inbox: AsyncIterator[TurnRequest], request: TurnRequest
) -> AsyncGenerator[RecognitionPrompt, None]:
    """Questions → the pictures that they are about; nothing of a question that has none."""
    async for question in inbox:
        history, options = question.history, question.response_options
        if pictures := (*sent_pictures(history), *camera_picture(history)):
            yield RecognitionPrompt(pictures, asks_to_read(history) and not options.unasked, options.cache_salt)


def sent_pictures(history: History) -> tuple[VideoChunk, ...]:
    """The newest of the pictures that were sent with the question."""
    return tuple(picture for item in _question(history) for picture in item.pictures)[-MOST_PICTURES:]


def camera_picture(history: History) -> tuple[VideoChunk, ...]:
    """The newest second of video, if it shows what is there now."""
    return tuple(each.clip for each in history.video_turns[-1:] if history.is_live)


def asks_to_read(history: History) -> bool:
    """The question wants to know what is written somewhere, as far as it is known yet."""
    return bool(READS.search(question_text(history)))


def asks_about_sight(history: History) -> bool:
    """The question may be about what is seen, or nothing is known of it yet."""
    text = question_text(history)
    return not text.strip() or bool(LOOKS.search(text)) or bool(READS.search(text))


def question_text(history: History) -> str:
    """The newest thing that was said since the last answer, as far as it is known."""
    return next((item.text for item in reversed(_question(history))), "")


def has_seen(history: History) -> bool:
    """Something was shown in the conversation, by a camera or as a picture."""
    # Only who sees forgets items: the pictures of these have gone, and were looked at.
    looked_at = (item.pictures or (item.images and item.id in history.forgotten) for item in history.items)
    return bool(history.video_turns) or any(looked_at)


def seen_line(history: History, observations: Sequence[Observation]) -> str:
    """What the prompt says of what is seen, in front of the question; empty as long as nothing was ever shown, or where
    there is nothing to say to a question that is not about it.

    Args:
        observations: Of `sent_pictures` and `camera_picture`; of those that are missing, nothing could be recognised.
    """
    sent, shown = sent_pictures(history), camera_picture(history)
    pictures = (*sent, *shown)
    seen: list[Observation | None] = [*observations[: len(pictures)]]
    seen += [None] * (len(pictures) - len(seen))
    looks = asks_about_sight(history)
    lines = [
        _line(picture, each, is_sent=at < len(sent))
        for at, (picture, each) in enumerate(zip(pictures, seen, strict=True))
        if looks or at < len(sent) or (each and (each.things or each.text))
    ]
    if not pictures and has_seen(history) and looks:
        lines.append(f"{_name(history.video_turns[-1].clip) if history.video_turns else 'The camera'} is off now.")
    room = MOST_LETTERS // max(1, len(lines)) - 1
    return " ".join(escape_control_tokens(line)[:room] for line in lines)


def _question(history: History) -> list[Item]:
    """What was said since the last answer, oldest first."""
    since = takewhile(lambda item: item.role != "assistant" or item.reserved or item.name, reversed(history.items))
    return [item for item in since if item.is_question][::-1]


def _line(picture: VideoChunk, seen: Observation | None, *, is_sent: bool) -> str:
    name = "The picture that was sent" if is_sent else _name(picture)
    now = "" if is_sent else " now"
    if seen is None:
        return f"{name} cannot be looked at{' just' if now else ''}{now}."
    if seen.is_blank:
        return f"{name}{now} shows an empty picture."
    if not (seen.things or seen.text):
        return f"{name}{now} shows nothing that can be recognised."
    line = observation_line(seen) if seen.things else f"something written. {observation_line(seen)}"
    return f"{name}{now} shows: {line}" if seen.text else f"{name}{now} shows: {line}."


def _name(clip: VideoChunk) -> str:
    return "The camera" if clip.source == "camera" else "The shared screen"
