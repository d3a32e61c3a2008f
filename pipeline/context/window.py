"""What a model that sees remembers: two sliding windows, one of video and one of questions with their answers.

Both follow the AURA paper (arXiv 2604.04184): video grows from N to N + N' seconds and then loses its oldest N' at
once, so that the prompt only ever grows at its end in between; of the questions and answers that are older, the last
M groups stay as text.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Protocol, TypeVar

from pipeline.media.video_chunk import MOST_TOKENS, VideoChunk, VideoSource
from pipeline.types.history import History, Item, PrunePlan, VideoTurn

T = TypeVar("T")

MARKS = (
    24  # tokens around a message or a round at the most: roles, line ends, a time, the beginning and end of a picture
)
SOURCE_NOTE = 24  # tokens at the most that tell what the video shows from here on


class CountTokens(Protocol):
    """How many tokens a text has, or more. Pure."""

    def __call__(self, text: str, /) -> int: ...


def in_bytes(text: str) -> int:
    """Counts bytes: a byte-level tokenizer never makes more tokens of a text."""
    return len(text.encode(errors="replace"))


@dataclass(frozen=True, slots=True)
class WindowLimits:
    """Bounds how much of a conversation a prompt holds, and says when it is pruned and to what.

    Attributes:
        count: Counts the tokens of a text, or more.
        keep_s, slack_s: N and N': seconds of video that pruning leaves, and by how many they may grow.
        groups, slack_groups: M: groups of a question with its answers that pruning leaves, and by how many they may
            grow where no video is pruned.
        answers: Answers to one question that pruning leaves.
        video_tokens, text_tokens: Tokens at which pruning is due, if nothing above asks for it before. As `count`
            counts by default, text has about four times fewer.
        item_tokens, pictures: Most of one item's text, and of its pictures, that is seen; of an output's text half.
        sound_s, slack_sound_s: Seconds of spoken questions that pruning leaves as sound, for a model that hears them,
            and by how many they may grow.
    """

    keep_s: int = 30
    slack_s: int = 15
    groups: int = 10
    slack_groups: int = 10
    answers: int = 4
    video_tokens: int = 16_000
    text_tokens: int = 12_000
    item_tokens: int = 6_000
    pictures: int = 4
    sound_s: int = 60
    slack_sound_s: int = 60
    count: CountTokens = in_bytes

    @property
    def most_tokens(self) -> int:
        """The most tokens that all that is remembered can have."""
        item = self.item_tokens + MARKS + self.pictures * (MOST_TOKENS + MARKS)
        return 4 * self.video_tokens // 3 + max(4 * self.text_tokens // 3, item)

    def keeping(self, share: float) -> "WindowLimits":
        """Returns a window that grows as long, and of whose seconds pruning leaves that share of ours."""
        keep_s = max(1, int(share * self.keep_s))
        return replace(self, keep_s=keep_s, slack_s=self.keep_s + self.slack_s - keep_s)

    def text(self, item: Item) -> str:
        """What is seen of its text: of a very long one the end, where the question is; of an output the beginning."""
        text = item.text.strip()
        if item.kind == "function_call_output":
            while self.count(text) > self.item_tokens // 2:
                text = text[: len(text) * 9 // 10]
        while self.count(text) > self.item_tokens:
            text = text[len(text) // 10 + 1 :]
        return text

    def looked_at(self, item: Item) -> tuple[VideoChunk, ...]:
        return item.pictures[-self.pictures :]

    def tokens(self, item: Item) -> int:
        return self.count(self.text(item)) + MARKS + sum(clip.tokens + MARKS for clip in self.looked_at(item))


def is_due(history: History, limits: WindowLimits) -> bool:
    """Pruning is due; it happens in the background, as the prompt that it leaves has to be prefilled once."""
    return (
        len(history.video_turns) >= limits.keep_s + limits.slack_s
        or video_tokens(history) >= limits.video_tokens
        or len(_groups(history)) >= limits.groups + limits.slack_groups
        or text_tokens(history, limits) >= limits.text_tokens
    )


def is_beyond(history: History, limits: WindowLimits) -> bool:
    """So much has come since pruning was due that no prompt shows it all."""
    return (
        len(history.video_turns) > limits.keep_s + 2 * limits.slack_s
        or video_tokens(history) > 4 * limits.video_tokens // 3
        or text_tokens(history, limits) > 4 * limits.text_tokens // 3
    )


def cut(history: History, limits: WindowLimits) -> PrunePlan:
    """Plans what is pruned, at the end of both windows at once."""
    room = 2 * limits.video_tokens // 3
    seconds = [each for each, _ in _newest([*_sized(history)], limits.keep_s, room, lambda sized: sized[1])]
    groups = [_shortened(group, limits.answers) for group in _groups(history)]
    room = limits.text_tokens // 2
    kept = list(chain(*_newest(groups, limits.groups, room, lambda group: sum(map(limits.tokens, group)))))
    if groups and not kept:
        kept = _newest(groups[-1], limits.answers + 1, room, limits.tokens) or groups[-1][-1:]
    kept = _whole_calls(kept, history.items)
    clips = {each.clip.id for each in history.video_turns} - {each.clip.id for each in seconds}
    return PrunePlan(frozenset(clips), frozenset({item.id for item in history.items} - {item.id for item in kept}))


def within(history: History, limits: WindowLimits) -> History:
    """The history, pruned at once if it is far beyond the limits: the background was too slow."""
    return history.cut(cut(history, limits)) if is_beyond(history, limits) else history


def cut_sound(history: History, limits: WindowLimits, *, slack: float = 1.0) -> PrunePlan | None:
    """Plans which spoken items, the oldest, are told by their words from now on; None: there is room for all.

    Args:
        slack: How much of the slack they may take.
    """
    sounds = [(item.id, item.sound.seconds) for item in history.items if item.sound]
    if sum(seconds for _, seconds in sounds) <= limits.sound_s + slack * limits.slack_sound_s:
        return None
    kept = _newest(sounds, len(sounds), limits.sound_s, lambda each: math.ceil(each[1]))
    return PrunePlan(sounds=frozenset(id for id, _ in sounds) - {id for id, _ in kept})


def video_tokens(history: History) -> int:
    return sum(size for _, size in _sized(history))


def text_tokens(history: History, limits: WindowLimits) -> int:
    return sum(limits.tokens(item) for item in remembered(history))


def remembered(history: History) -> tuple[Item, ...]:
    return tuple(item for item in history.items if item.id not in history.forgotten)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One round as a model sees it: something comes in, and something is said to it.

    Attributes:
        clip: The video of that second, in front of the question.
        question: None: nobody asked anything.
        answer: None: nothing was said.
    """

    clip: VideoChunk | None = None
    question: Item | None = None
    answer: Item | None = None


def exchanges(history: History) -> Iterator[Exchange | Item]:
    """What is remembered, in order; an `Item` is a message of the system.

    A question belongs to the second of video that it directly follows, an answer to the question or to the second.
    """
    open_: Exchange | None = None
    for each in _in_order(history):
        if isinstance(each, Item) and each.role == "system":
            if open_:
                yield open_
            yield each
            open_ = None
            continue
        joined = _joined(open_, each)
        if joined is None:
            if open_:
                yield open_
            joined = _joined(Exchange(), each)
        open_ = joined
    if open_:
        yield open_


def _joined(open_: Exchange | None, each: Item | VideoChunk) -> Exchange | None:
    """`open_` with what comes next, or None if that has no place in it."""
    if open_ is None or open_.answer:
        return None
    match each:
        case VideoChunk():
            return None if open_.clip or open_.question else replace(open_, clip=each)
        case Item(role="user"):
            return None if open_.question else replace(open_, question=each)
        case _:
            return replace(open_, answer=each)


def _sized(history: History) -> Iterator[tuple[VideoTurn, int]]:
    """Each second of video with its tokens, and those that tell what it shows where that changes."""
    source: VideoSource = "camera"
    for each in history.video_turns:
        note = SOURCE_NOTE if each.clip.source != source else 0
        source = each.clip.source
        yield each, each.clip.tokens + MARKS + note


def _in_order(history: History) -> Iterator[Item | VideoChunk]:
    places: dict[str | None, list[VideoChunk]] = {}
    for each in history.video_turns:
        places.setdefault(each.after, []).append(each.clip)
    yield from places.get(None, ())
    for item in history.items:
        if item.id not in history.forgotten and (item.text.strip() or item.pictures or item.sound):
            yield item
        yield from places.get(item.id, ())


def _groups(history: History) -> list[list[Item]]:
    """Each question with its answers; those that stand in front of all questions are one group."""
    groups: list[list[Item]] = []
    for item in remembered(history):
        if item.is_question or not groups:
            groups.append([])
        groups[-1].append(item)
    return groups


def _shortened(group: list[Item], answers: int) -> list[Item]:
    said = [item for item in group if _is_answer(item)]
    return [item for item in group if not _is_answer(item) or item in said[-answers:]]


def _is_answer(item: Item) -> bool:
    return item.role == "assistant" and item.kind == "message"


def _whole_calls(kept: list[Item], items: Sequence[Item]) -> list[Item]:
    """Those that are kept, without calls and outputs whose other half goes."""
    ids = {item.id for item in kept}
    halved = {item.call_id for item in items if item.call_id and item.id not in ids}
    return [item for item in kept if item.call_id not in halved]


def _newest(things: Sequence[T], most: int, room: int, size: Callable[[T], int]) -> list[T]:
    """The newest of them, newest first: at most so many, and as many as there is room for."""
    kept: list[T] = []
    for thing in reversed(things[-most:]):
        room -= size(thing)
        if room < 0:
            break
        kept.append(thing)
    return kept
