"""AURA's prompts: what was said and seen, in the order and the words with which it was trained. Pure."""

from collections.abc import Iterator

from pipeline.context.window import Exchange, WindowLimits, exchanges, within
from pipeline.engines.aura.tool_items import with_calls_as_text
from pipeline.engines.silent_answer import SILENT
from pipeline.media.video_chunk import VideoChunk, VideoSource
from pipeline.models.shared.control_tokens import escape_control_tokens
from pipeline.tools.prompt_format import tools_text, without_marks
from pipeline.types.chunks import MultimodalPrompt
from pipeline.types.history import Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest

SYSTEM = (  # of the published evaluations
    "You are receiving a live video stream where the final frame is the present moment. Respond only when a response "
    "is needed based on the user's message or the visual context. Otherwise, output `<|silent|>` to signify silence."
)
SHOWN: dict[VideoSource, str] = {  # told where the video changes from one to the other; at first it is the camera's
    "camera": "From here on, the video shows what the user's camera sees.",
    "screen": "From here on, the video shows the screen that the user shares, not their camera.",
}
MOST_TOKENS = 256  # of an answer
INSTRUCTIONS_BYTES = 8_000
LIMITS = WindowLimits()


def multimodal_prompt(request: TurnRequest, limits: WindowLimits = LIMITS) -> MultimodalPrompt:
    """The prompt of a question. It goes on where that of an earlier one ended, unless something was cut or deleted."""
    response_options = request.response_options
    most = response_options.tokens(MOST_TOKENS)
    history = with_calls_as_text(within(request.history, limits), limits)
    parts: list[str | VideoChunk] = [*_turn("system", _system(response_options))]
    video_turns = list(exchanges(history))
    source: VideoSource = "camera"
    for at, each in enumerate(video_turns, 1):
        if isinstance(each, Exchange) and each.clip and each.clip.source != source:
            source = each.clip.source
            parts += _turn("system", SHOWN[source])
        parts += _round(each, limits) if at < len(video_turns) else _last(each, limits, is_answered=bool(most))
    if not video_turns:
        parts += _empty(is_answered=bool(most))
    salt, tools = response_options.cache_salt, response_options.tools
    return MultimodalPrompt(_merged(parts), salt, most, response_options.priority, tools)


def _system(response_options: ResponseOptions) -> str:
    text = response_options.instructions.strip().encode(errors="replace")[:INSTRUCTIONS_BYTES].decode(errors="ignore")
    instructions = escape_control_tokens(without_marks(text))
    tools = response_options.tools.tools
    offered = f"\n{tools_text(tools, escape_control_tokens)}" if tools else ""
    return "\n".join(filter(None, (SYSTEM, instructions, offered)))


def _round(each: Exchange | Item, limits: WindowLimits) -> Iterator[str | VideoChunk]:
    if isinstance(each, Item):
        yield from _turn("system", escape_control_tokens(limits.text(each)))
        return
    yield from _request(each, limits)
    yield from (
        "<|im_end|>\n",
        *_turn("assistant", escape_control_tokens(limits.text(each.answer)) if each.answer else SILENT),
    )


def _last(each: Exchange | Item, limits: WindowLimits, *, is_answered: bool) -> Iterator[str | VideoChunk]:
    """The newest round ends open: it is answered now, or may still go on."""
    if isinstance(each, Item) or each.answer:
        yield from _round(each, limits)
        yield from _empty(is_answered=is_answered)
        return
    yield from _request(each, limits)
    if is_answered:
        yield "<|im_end|>\n<|im_start|>assistant\n"


def _request(each: Exchange, limits: WindowLimits) -> Iterator[str | VideoChunk]:
    yield "<|im_start|>user\n"
    if each.clip:
        yield each.clip
    if each.question:
        for picture in limits.looked_at(each.question):
            yield from ("<|vision_start|>", picture, "<|vision_end|>")
        yield escape_control_tokens(limits.text(each.question))


def _empty(*, is_answered: bool) -> Iterator[str]:
    """Nothing was asked since the last answer."""
    if is_answered:
        yield "<|im_start|>user\n<|im_end|>\n<|im_start|>assistant\n"


def _turn(role: str, text: str) -> Iterator[str]:
    yield f"<|im_start|>{role}\n{text}<|im_end|>\n"


def _merged(parts: list[str | VideoChunk]) -> tuple[str | VideoChunk, ...]:
    """Text that stands together becomes one part."""
    merged: list[str | VideoChunk] = []
    for chunk in parts:
        last = merged[-1] if merged else None
        if isinstance(chunk, str) and isinstance(last, str):
            merged[-1] = last + chunk
        else:
            merged.append(chunk)
    return tuple(merged)
