"""AURA's prompts: what was said and seen, in the order and the words with which it was trained. Pure."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from typing import get_args

from pipeline.context.control_tokens import harmless
from pipeline.context.window import Exchange, Limits, exchanges, in_bytes, within
from pipeline.media.video_chunk import Clip
from pipeline.models.qwen3_tts.prompt import AUTO, LANGUAGES
from pipeline.topology.processors.words import Words
from pipeline.types import capabilities
from pipeline.types.chunks import Clause, Role, Scene, Text
from pipeline.types.history import Item
from pipeline.types.turn_request import Asked, Wants

SYSTEM = (  # of the published evaluations
    "You are receiving a live video stream where the final frame is the present moment. Respond only when a response "
    "is needed based on the user's message or the visual context. Otherwise, output `<|silent|>` to signify silence."
)
SILENT = "<|silent|>"
MOST_TOKENS = 256  # of an answer
INSTRUCTIONS_BYTES = 8_000
LIMITS = Limits()
BYTES = 4  # of plain English in a token


def _tokens(text: str) -> int:
    return -(-in_bytes(text) // BYTES)


ROOM = capabilities.Limits(  # what is longer would be cut
    _tokens,
    INSTRUCTIONS_BYTES // BYTES,
    dict.fromkeys(get_args(Role), LIMITS.item_tokens // BYTES),
    LIMITS.pictures,
)


async def asr2aura(inbox: AsyncIterator[Asked], asked: Asked) -> AsyncGenerator[Scene, None]:
    """Questions → prompts of AURA."""
    async for question in inbox:
        yield scene(question)


async def aura2tts(inbox: AsyncIterator[Text], asked: Asked) -> AsyncGenerator[Clause, None]:
    """The answer as it is written → words for the Talker, which speaks them before it knows what follows."""
    words, wants = Words(), asked.wants
    language = tongue(wants.language)
    async for piece in inbox:
        for said in words.feed(piece.text):
            yield Clause(said, wants.voice, wants.speed, language)
    for said in words.finish():
        yield Clause(said, wants.voice, wants.speed, language)


def tongue(heard: str | None) -> str:
    """The voice's language for somebody who is heard in one such as `en-US`: the same if it has it."""
    code = (heard or "").lower().replace("_", "-").split("-")[0]
    return code if code in LANGUAGES else AUTO


def scene(asked: Asked, limits: Limits = LIMITS) -> Scene:
    """The prompt of a question. It goes on where that of an earlier one ended, unless something was cut or deleted."""
    wants = asked.wants
    most = MOST_TOKENS if wants.max_tokens is None else min(wants.max_tokens, MOST_TOKENS)
    history = within(asked.history, limits)
    parts: list[str | Clip] = [*_turn("system", _system(wants))]
    rounds = list(exchanges(history))
    for each in rounds[:-1]:
        parts += _round(each, limits)
    parts += _last(rounds[-1], limits, is_answered=bool(most)) if rounds else _empty(is_answered=bool(most))
    urgent = wants.awaited or (bool(most) and not wants.unasked)
    return Scene(_merged(parts), wants.cache_salt, most, urgent)


def _system(wants: Wants) -> str:
    text = wants.instructions.strip().encode(errors="replace")[:INSTRUCTIONS_BYTES].decode(errors="ignore")
    instructions = harmless(text)
    return f"{SYSTEM}\n{instructions}" if instructions else SYSTEM


def _round(each: Exchange | Item, limits: Limits) -> Iterator[str | Clip]:
    if isinstance(each, Item):
        yield from _turn("system", harmless(limits.text(each)))
        return
    yield from _asked(each, limits)
    yield from ("<|im_end|>\n", *_turn("assistant", harmless(limits.text(each.answer)) if each.answer else SILENT))


def _last(each: Exchange | Item, limits: Limits, *, is_answered: bool) -> Iterator[str | Clip]:
    """The newest round ends open: it is answered now, or may still go on."""
    if isinstance(each, Item) or each.answer:
        yield from _round(each, limits)
        yield from _empty(is_answered=is_answered)
        return
    yield from _asked(each, limits)
    if is_answered:
        yield "<|im_end|>\n<|im_start|>assistant\n"


def _asked(each: Exchange, limits: Limits) -> Iterator[str | Clip]:
    yield "<|im_start|>user\n"
    if each.clip:
        yield each.clip
    if each.question:
        for picture in limits.looked_at(each.question):
            yield from ("<|vision_start|>", picture, "<|vision_end|>")
        yield harmless(limits.text(each.question))


def _empty(*, is_answered: bool) -> Iterator[str]:
    """Nothing was asked since the last answer."""
    if is_answered:
        yield "<|im_start|>user\n<|im_end|>\n<|im_start|>assistant\n"


def _turn(role: str, text: str) -> Iterator[str]:
    yield f"<|im_start|>{role}\n{text}<|im_end|>\n"


def _merged(parts: list[str | Clip]) -> tuple[str | Clip, ...]:
    """Text that stands together becomes one part."""
    merged: list[str | Clip] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, str) and isinstance(last, str):
            merged[-1] = last + part
        else:
            merged.append(part)
    return tuple(merged)
