"""Whether what a client says and shows has room in a prompt: what has none is refused, not cut."""

from collections.abc import Callable

from pipeline.context.window import in_bytes
from pipeline.errors import RequestError
from pipeline.models.shared.control_tokens import escape_control_tokens
from pipeline.types.capabilities import PromptLimits
from pipeline.types.chunks import Role

LETTERS = 4  # of plain English in a token


def check_instructions(text: str, limits: PromptLimits | None, param: str) -> None:
    """Checks that a session's or a response's instructions fit into a prompt.

    Raises:
        RequestError: Names the field and how much fits.
    """
    if limits:
        _check(text, limits.instructions, limits, param)


def check_item(text: str, role: Role, limits: PromptLimits | None, param: str) -> None:
    """Checks that an item's text fits into a prompt.

    Raises:
        RequestError: Names the field and how much fits.
    """
    if limits:
        _check(text, limits.items[role], limits, param)


def check_tools(text: str, limits: PromptLimits | None, param: str) -> None:
    """Checks that a session's functions fit into a prompt.

    Args:
        text: All of them, as the prompt has them.

    Raises:
        RequestError: Names the field and how much fits.
    """
    if limits and limits.tools is not None:
        _check(text, limits.tools, limits, param, limits.tool_tokens)


def check_context(text: str, most_bytes: int | None, param: str) -> None:
    """Checks that what the recogniser is told fits, after its control tokens are escaped.

    Raises:
        RequestError: Names the field and how much fits.
    """
    if most_bytes is not None and (size := in_bytes(escape_control_tokens(text))) > most_bytes:
        raise RequestError("invalid_value", f"{param}: it has {size:,} bytes, and {most_bytes} fit", param)


def check_voice_instructions(text: str, most: int, param: str) -> None:
    """Refuses a caller's words on how to speak for which the voice has no room.

    Args:
        most: Characters of it that have room.

    Raises:
        RequestError: Names the field and how much fits.
    """
    if text and not most:
        raise RequestError("invalid_value", f"{param}: this voice takes none", param)
    if len(text) > most:
        raise RequestError("invalid_value", f"{param}: {len(text):,} characters, of which {most} have room", param)


def check_pictures(count: int, limits: PromptLimits | None, param: str) -> None:
    """Checks that a message has no more pictures than the model is shown.

    Raises:
        RequestError: Names the field and how many can be seen.
    """
    if limits and limits.pictures is not None and count > limits.pictures:
        message = f"{param}: it has {count} pictures, and {limits.pictures} can be seen with one message"
        raise RequestError("invalid_value", message, param)


def _check(text: str, most: int, limits: PromptLimits, param: str, count: Callable[[str], int] | None = None) -> None:
    tokens = len(text) // LETTERS  # is quick to know of megabytes, and never too many
    if tokens <= most:
        tokens = (count or limits.tokens)(text)
    if tokens > most:
        fits = f"{most} fit (some {LETTERS * most:,} letters of plain English)"
        raise RequestError("invalid_value", f"{param}: the text is too long: about {tokens:,} tokens, {fits}", param)
