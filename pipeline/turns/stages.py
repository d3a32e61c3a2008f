"""The stages of a running pipeline, and which of them answer what. Shared by all sessions."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from pipeline.context.window import Limits
from pipeline.engines.base import Engine
from pipeline.media.video_chunk import Pixels
from pipeline.turns.stage import Stage
from pipeline.types.chunks import Text, Transcript, Window
from pipeline.types.turn_request import Asked, Wants
from pipeline.vision.camera_watcher import in_thread


@dataclass(frozen=True, slots=True)
class Stages:
    """A recogniser, and the chain behind it.

    Attributes:
        chain: In order; one of them has final text, and the last one final audio.
        reads_ahead: What is still being said is read already.
        limits: What a model that sees remembers.
        look: Makes pixels of a picture in a file's form.
    """

    recogniser: Engine[Window, Transcript]
    chain: tuple[Stage[Any, Any], ...]
    reads_ahead: bool = True
    limits: Limits = field(default_factory=Limits)
    look: Callable[[bytes], Awaitable[Pixels]] = in_thread

    @property
    def sees(self) -> bool:
        """The model that writes looks at what a camera shows."""
        return self.chain[self._text_at].spec.requires_multimodal_data

    def route(self, wants: Wants) -> tuple[Stage[Any, Any], ...]:
        """The stages that such an answer needs: up to text or up to sound, the text given or written."""
        if wants.max_tokens == 0 and not self.reads_ahead:
            return ()
        text_at = self._text_at
        until = text_at if wants.modality == "text" or wants.max_tokens == 0 else len(self.chain) - 1
        if wants.say is None:
            return self.chain[: until + 1]
        recital = Stage(self.chain[text_at].spec, Recital(), text_to_say)
        return (recital, *self.chain[text_at + 1 : until + 1])

    @property
    def _text_at(self) -> int:
        return next(at for at, stage in enumerate(self.chain) if stage.spec.final_output_type == "text")


async def text_to_say(inbox: AsyncIterator[Asked], asked: Asked) -> AsyncGenerator[str, None]:
    async for _ in inbox:
        yield asked.wants.say or ""


class Recital:
    """An engine that writes what it is given."""

    async def generate(self, request_id: str, prompts: AsyncIterator[str]) -> AsyncGenerator[Text, None]:
        async for text in prompts:
            if text:
                yield Text(text)

    async def busy(self) -> int:
        return 0

    async def aclose(self) -> None:
        """Nothing to free."""
