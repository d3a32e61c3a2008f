"""Plain answers to questions about what is seen, for a model that is too small to be trusted with them. Pure."""

import re
from collections.abc import Sequence

from pipeline.topology.processors.seeing import asks_to_read, camera_picture, has_seen, question_text, sent_pictures
from pipeline.types.history import History
from pipeline.types.observation import Observation
from pipeline.types.observation_line import counted, shortened

MOST_THINGS = 4
MOST_LETTERS = 200  # of what is read out

ABOUT_SIGHT = re.compile(
    r"\b(?:see|sees|seeing|look|looks|looking|watch|show|shows|showing|hold|holding|wear|wearing|camera|screen|picture)\b"
    r"|\b(?:photo|image|in front of|in my hands?|recogni[sz]e|describe|who am i)\b"
    r"|\bwh(?:at|o)(?: \w+)? (?:is|are) (?:this|that|these|those|there)\b|\bwhat(?: is|'s) (?:this|that|it)\b"
    r"|\b(?:is|are) (?:this|that|there|these|those)\b|\bhow many\b.*\b(?:here|there|this|that)\b",
    re.IGNORECASE,
)


def plain_answer(history: History, observations: Sequence[Observation]) -> str:
    """Says what is seen, and no more; empty if nothing was ever shown, or the question is about something else.

    Args:
        observations: Of `sent_pictures` and `camera_picture`.
    """
    reads = asks_to_read(history)
    if not has_seen(history) or not (reads or ABOUT_SIGHT.search(question_text(history))):
        return ""
    if not (sent_pictures(history) or camera_picture(history)):
        return "I cannot see anything now, the camera is off."
    if not observations:
        return "I cannot look at the picture just now."
    seen = observations[-1]
    if seen.is_blank:
        return "I see nothing, the picture is empty."
    if reads:
        return f"It says: {shortened(seen.text, MOST_LETTERS)}" if seen.text else "I cannot read anything there."
    if seen.things:
        *most, last = [counted(thing) for thing in seen.things[:MOST_THINGS]]
        return f"I see {', '.join(most)} and {last}." if most else f"I see {last}."
    return "I see something written." if seen.text else "I cannot make out what it is."
