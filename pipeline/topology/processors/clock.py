"""What a prompt says of clock and calendar: a line, for questions that may be about them. Pure."""

import re
from datetime import datetime

from pipeline.topology.processors.seeing import question_text
from pipeline.types.turn_request import TurnRequest

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]

# Words of questions that may be about now, in languages that voices speak. Not any question with "day" or "year" in it:
# a small model takes the line for the answer to whatever it is asked.
ASKS = re.compile(
    r"\b(?:what|which|tell|know|have|got|is|how|current|exact|right|local)\b[^.?!]{0,20}\b(?:time|date|clock)\b(?! did)"
    r"|\bhow late\b|\bwh(?:at|ich) (?:day|month|year|weekday|week|season|century)\b[^.?!]{0,12}"
    r"\b(?:is|it|today|now|tomorrow|yesterday|have|was)\b"
    r"|\b(?:what|which|is)\b[^.?!]{0,25}\b(?:day|date|month|year)\b[^.?!]{0,12}\b(?:today|now|tomorrow|yesterday)\b"
    r"|\b(?:today's|tomorrow's|yesterday's|current) (?:date|day)\b|\bwhat(?:'s| is) today\b"
    r"|\bis (?:it|today)(?: \w+)? (?:morning|noon|afternoon|evening|night|weekend|\w+day)\b"
    r"|\bhow (?:many days|long)\b[^.?!]{0,12}\b(?:until|till|to|before)\b"
    r"|\bwie spät\b|\bwieviel uhr\b|\bwie viel uhr\b|\buhrzeit\b|\bwelche[rsn]? (?:tag|datum|monat|jahr|wochentag)\b"
    r"|\bheute für ein(?:en)? tag\b|\bden wievielten\b"
    r"|\bquelle heure\b|\bl'heure\b|\bquel jour\b|\bquelle (?:date|année)\b|\bquel mois\b|\ben quelle année\b"
    r"|\bqué (?:hora|día|fecha|mes|año)\b|\bche (?:ora|ore|giorno|mese|anno)\b|\bque (?:horas|dia|mês|ano)\b",
    re.IGNORECASE,
)


def clock_line(request: TurnRequest) -> str:
    """What time and what day it is; empty if the question is not about them, or nobody knows."""
    if request.asked_at is None or not ASKS.search(question_text(request.history).replace("’", "'")):
        return ""
    return now_in_words(request.asked_at)


def now_in_words(now: datetime) -> str:
    """Return a sentence with the time and the day, such as "It is 16:05 on Tuesday, 2 June 2026"."""
    return f"It is {now:%H:%M} on {DAYS[now.weekday()]}, {now.day} {MONTHS[now.month - 1]} {now.year}."
