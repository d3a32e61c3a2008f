"""What a language model writes that is not to be spoken: the mark of silence, and thoughts. Pure."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

SILENT = "<|silent|>"  # a model's answer when nothing is to be said
THOUGHT, THOUGHT_END = "<think>", "</think>"  # around what models that reason write first


async def unless_silent(pieces: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    """The answer without whitespace in front; nothing of it if it begins with `<|silent|>`.

    Text is held back while it may still become that mark. Closes `pieces`.
    """
    output: str | None = ""
    async with aclosing(pieces):
        async for text in pieces:
            if output is None:
                yield text
                continue
            output = (output + text).lstrip()
            if output.startswith(SILENT):
                return
            if not SILENT.startswith(output):
                yield output
                output = None
    if output:
        yield output


async def without_thought(pieces: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    """The answer behind the thought with which it begins, if it begins with one; a thought without an end is all.

    Text is held back while it may still become the mark. Closes `pieces`.
    """
    held = ""
    begun = thinking = False
    async with aclosing(pieces):
        async for text in pieces:
            if begun:
                yield text
                continue
            held = (held + text).lstrip()
            thinking = thinking or held.startswith(THOUGHT)
            if thinking:
                thought, end, held = held.partition(THOUGHT_END)
                if not end:
                    held = THOUGHT + thought[-len(THOUGHT_END) :]  # of which the next piece may make the end
                    continue
            elif THOUGHT.startswith(held):
                continue
            begun = True
            if held:
                yield held
    if not (begun or thinking) and held:
        yield held
