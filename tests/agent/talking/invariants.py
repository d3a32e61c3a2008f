"""What holds of every call, however it went."""

import asyncio
import re
from collections import Counter
from typing import Any

from tests.agent.talking.conversation import Conversation
from tests.agent.talking.engines import Engines

SPOKEN_OVER_S = 0.6  # at most, until the agent is silent
REASONS = {"silent", "error", "interrupted", "continued"}  # that are told of a question without an answer


def check(call: Conversation) -> None:
    """Check a call that has been heard out, or that its person has ended.

    Raises:
        AssertionError: Names what does not hold.
    """
    check_overlap(call)
    if not (call.cut_off or call.reads):
        check_heard(call)
    if not call.over:
        check_answered(call)
        check_understood(call)


def check_overlap(call: Conversation) -> None:
    """Nobody is spoken over for longer than the limit."""
    longest = call.ears.overlap.longest_s
    assert longest <= SPOKEN_OVER_S, f"the agent spoke over the person for {longest:.2f} s"


def check_heard(call: Conversation) -> None:
    """The history holds what was heard of each answer, within a word at its end."""
    told = [_words(text) for role, text in call.history if role == "assistant"]
    heard: dict[int, list[str]] = {}
    for each in call.ears.heard:
        if not each.is_whole:
            continue
        heard.setdefault(each.segment, []).extend(_words(each.word))
    left, at = [*heard.values()], 0
    for words in told:
        while at < len(left) and len(left[at]) == 1 and not _same(words, left[at]):
            at += 1  # one word of an answer of which none is remembered
        if at < len(left) and _same(words, left[at]):
            at += 1
        elif len(words) > 1:
            raise AssertionError(f"remembered: {words}; heard: {left[at] if at < len(left) else 'nothing'}")
    unknown = [words for words in left[at:] if len(words) > 1]
    assert not unknown, f"heard, and not remembered: {unknown}"


def check_answered(call: Conversation) -> None:
    """What was asked last has an answer behind it, or the person was told why there is none."""
    if call.history and call.history[-1][0] == "user":
        asked = max(said.at for said in call.said if said.kind == "turn")
        told = [what for at, what in call.decided if at >= asked and what in REASONS]
        assert told, f"nothing was said, and no reason told: {call.history[-1]} {call.decisions}"


def check_understood(call: Conversation) -> None:
    """All words that were meant as a question are in the conversation, once, and of others only signs of listening."""
    listening = {word for said in call.said if said.kind == "backchannel" for word in _words(said.text)}
    meant = Counter(word for said in call.said if said.kind == "turn" for word in _words(said.text))
    known = Counter(word for role, text in call.history if role == "user" for word in _words(text))
    for word in listening:
        del meant[word], known[word]
    assert call.lossy or known == meant, f"lost: {meant - known}; not said: {known - meant}"


def check_nothing_runs(engines: Engines, before: "set[asyncio.Task[Any]]") -> None:
    """After a call no engine works, and no task of it is left."""
    assert engines.running == [], f"still at work: {engines.running}"
    left = [task.get_name() for task in asyncio.all_tasks() - before if not task.done()]
    assert left == [], f"left running: {left}"


def _same(told: list[str], heard: list[str]) -> bool:
    shorter = min(len(told), len(heard))
    return abs(len(told) - len(heard)) <= 1 and told[:shorter] == heard[:shorter]


def _words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.lower())
