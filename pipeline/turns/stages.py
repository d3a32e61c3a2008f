"""The stages of a running pipeline, and which of them answer what. Shared by all sessions."""

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from pipeline.context.window import WindowLimits
from pipeline.engines.base import Engine
from pipeline.media.picture_decoding import DecodePicture, in_thread
from pipeline.turns.stage import Stage
from pipeline.types.chunks import AsrInput, TextChunk, Transcript
from pipeline.types.local_time import LocalClock, local_time
from pipeline.types.turn_request import ResponseOptions, TurnRequest


@dataclass(frozen=True, slots=True)
class PipelineStages:
    """A recogniser, and the chain behind it.

    Attributes:
        chain: In order; one of them has final text, and the last one final audio.
        prefills_ahead: Whether what is still being said is prefilled already.
        limits: What a model that sees remembers.
        decode_picture: Makes pixels of a picture in a file's form.
        early_answer_ms: Most speech that the newest hypothesis may lack for an answer to begin with its words, beside
            the pass that confirms them; 0: an answer begins when they are settled.
        clock: Tells day and time to whoever asks for them.
    """

    recogniser: Engine[AsrInput, Transcript]
    chain: tuple[Stage[Any, Any], ...]
    prefills_ahead: bool = True
    limits: WindowLimits = field(default_factory=WindowLimits)
    decode_picture: DecodePicture = in_thread
    early_answer_ms: int = 0
    clock: LocalClock = local_time

    @property
    def sees(self) -> bool:
        """Some stage looks at what a camera shows."""
        return any(stage.spec.requires_multimodal_data for stage in self.chain)

    @property
    def writer_sees(self) -> bool:
        """The model that writes looks at pictures itself, and may be asked whether they are worth a remark."""
        return self.chain[self._text_at].spec.requires_multimodal_data

    @property
    def eyes(self) -> tuple[Stage[Any, Any], ...]:
        """The stages that what a camera shows goes through before anybody asks: up to the one that looks at it."""
        if self.writer_sees:
            return self.chain[: self._text_at + 1] if self.prefills_ahead else ()
        return tuple(stage for stage in self.chain[:1] if stage.spec.requires_multimodal_data)

    def route(self, response_options: ResponseOptions) -> tuple[Stage[Any, Any], ...]:
        """The stages that such an answer needs: up to text or up to sound, the text given or written."""
        if response_options.max_tokens == 0 and not self.prefills_ahead:
            return ()
        text_at = self._text_at
        until = (
            text_at if response_options.modality == "text" or response_options.max_tokens == 0 else len(self.chain) - 1
        )
        if response_options.say is None:
            return self.chain[: until + 1]
        recital = Stage(self.chain[text_at].spec, RecitalEngine(), text_to_say)
        return (recital, *self.chain[text_at + 1 : until + 1])

    @property
    def _text_at(self) -> int:
        return next(at for at, stage in enumerate(self.chain) if stage.spec.final_output_type == "text")


async def text_to_say(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[str, None]:
    async for _ in inbox:
        yield request.response_options.say or ""


class RecitalEngine:
    """An engine that writes what it is given."""

    async def generate(self, request_id: str, prompts: AsyncIterator[str]) -> AsyncGenerator[TextChunk, None]:
        async for text in prompts:
            if text:
                yield TextChunk(text)

    async def busy(self) -> int:
        return 0

    async def aclose(self) -> None:
        """Nothing to free."""
