"""The thinker's prompts: the conversation in the words of its chat template, with the sound and the pictures. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pipeline.context.window import Exchange, WindowLimits, exchanges, within
from pipeline.media.spoken_sound import SpokenSound
from pipeline.media.video_chunk import VideoChunk
from pipeline.models.shared.control_tokens import escape_control_tokens
from pipeline.types.chunks import Priority
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest

SYSTEM = """\
You are a friendly voice assistant in a live call. What you write is spoken aloud: answer in one or two short, plain \
sentences, without lists, markup or emoji, unless the person asks for something longer. You hear the person, and see \
what their camera, their shared screen or a picture that they sent shows. If nothing needs an answer, as when the \
person only thanks you or speaks to somebody else, write only <|silent|>."""
UNASKED = "(Nobody has said anything. Unless what is seen needs a word now, write only <|silent|>.)"
MOST_TOKENS = 400  # of an answer: three minutes of speech
INSTRUCTIONS_BYTES = 8_000
LIMITS = WindowLimits(keep_s=12, slack_s=12)

Part = str | VideoChunk | SpokenSound
BEGIN, END = "<|im_start|>", "<|im_end|>"
ANSWER = f"{BEGIN}assistant\n"


@dataclass(frozen=True, slots=True)
class OmniPrompt:
    """A prompt for a model that hears and sees.

    Attributes:
        parts: Text with the marks of the chat template in it, and between them what is seen and heard.
        cache_salt: Whose prompt it is. Prompts of one salt share a prefix cache, others never do.
        max_tokens: Most tokens to write; 0 only prefills it: its last message may go on.
        say: A text to be spoken as it is, in place of an answer.
    """

    parts: tuple[Part, ...]
    cache_salt: str = ""
    max_tokens: int = MOST_TOKENS
    say: str | None = None
    priority: Priority = Priority.QUESTION


def omni_prompt(request: TurnRequest, limits: WindowLimits = LIMITS) -> OmniPrompt:
    """The prompt of a question. It goes on where that of an earlier one ended, unless something was cut or deleted."""
    options = request.response_options
    most = options.tokens(MOST_TOKENS)
    if options.say is not None:
        return OmniPrompt((), options.cache_salt, most, options.say, options.priority)
    history = within(_spoken(request.history), limits)
    ending = f"{UNASKED * options.unasked}{END}\n{ANSWER}" if most else ""  # what is only prefilled may go on
    parts = [f"{BEGIN}system\n{_system(options)}{END}\n", *_messages(history, limits, ending)]
    return OmniPrompt(_merged(parts), options.cache_salt, most, priority=options.priority)


def _system(options: ResponseOptions) -> str:
    text = options.instructions.strip().encode(errors="replace")[:INSTRUCTIONS_BYTES].decode(errors="ignore")
    return f"{SYSTEM}\n\n{escape_control_tokens(text)}" if text else SYSTEM


def _spoken(history: History) -> History:
    """Without calls of functions: the model is offered none."""
    return replace(history, items=tuple(item for item in history.items if item.kind == "message"))


def _messages(history: History, limits: WindowLimits, ending: str) -> Iterator[Part]:
    """All that was seen and asked since the last answer is one message of the person's, with that ending."""
    is_open = False
    for each in exchanges(history):
        if isinstance(each, Item):
            yield f"{END}\n" * is_open + f"{BEGIN}system\n{escape_control_tokens(limits.text(each))}{END}\n"
            is_open = False
            continue
        if asked := [*_asked(each, limits)]:
            yield "\n" if is_open else f"{BEGIN}user\n"
            yield from asked
            is_open = True
        if each.answer:
            yield f"{END}\n" * is_open + f"{ANSWER}{escape_control_tokens(limits.text(each.answer))}{END}\n"
            is_open = False
    if ending:
        yield ending if is_open else f"{BEGIN}user\n{ending}"


def _asked(each: Exchange, limits: WindowLimits) -> Iterator[Part]:
    pictures = [each.clip] if each.clip else []
    if each.question:
        pictures += limits.looked_at(each.question)
    for picture in pictures:
        yield from ("<|vision_start|>", picture, "<|vision_end|>")
    if each.question and each.question.sound:
        yield from ("<|audio_start|>", each.question.sound, "<|audio_end|>")
    elif each.question:
        yield escape_control_tokens(limits.text(each.question))


def _merged(parts: list[Part]) -> tuple[Part, ...]:
    """Text that stands together becomes one part."""
    merged: list[Part] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        else:
            merged.append(part)
    return tuple(merged)
