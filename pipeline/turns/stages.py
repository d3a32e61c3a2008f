"""The stages of a running pipeline, and which of them answer what. Shared by all sessions."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pipeline.context.window import WindowLimits
from pipeline.engines.base import Engine
from pipeline.media.picture_decoding import DecodePicture, in_thread
from pipeline.turns.stage import Stage
from pipeline.turns.stream import Stream
from pipeline.types.chunks import AsrInput, TextChunk, Transcript
from pipeline.types.local_time import LocalClock, local_time
from pipeline.types.turn_request import Modality, ResponseOptions, TurnRequest


@dataclass(frozen=True, slots=True)
class PipelineStages:
    """A recogniser, and the stages that answer.

    Attributes:
        recogniser: None: nobody writes down what is said.
        chain: Each behind those that it reads; one has final text or final audio at the least.
        prefills_ahead: Whether what is still being said is prefilled already.
        limits: What is remembered of a conversation.
        decode_picture: Makes pixels of a picture in a file's form.
        early_answer_ms: Most speech that the newest hypothesis may lack for an answer to begin with its words, beside
            the pass that confirms them; 0: an answer begins when they are settled.
        clock: Tells day and time to whoever asks for them.
        answers_sound: What is said is answered by who hears it, and waits for no words.
    """

    recogniser: Engine[AsrInput, Transcript] | None
    chain: tuple[Stage[Any, Any], ...]
    prefills_ahead: bool = True
    limits: WindowLimits = field(default_factory=WindowLimits)
    decode_picture: DecodePicture = in_thread
    early_answer_ms: int = 0
    clock: LocalClock = local_time
    answers_sound: bool = False

    @property
    def sees(self) -> bool:
        """Some stage looks at what a camera shows."""
        return any(stage.spec.requires_multimodal_data for stage in self.chain)

    @property
    def hears(self) -> bool:
        """Some stage hears the question itself, and the conversation keeps its sound."""
        return any(stage.spec.hears for stage in self.chain)

    @property
    def writer_sees(self) -> bool:
        """The model that answers looks at pictures itself."""
        return self._writer.spec.requires_multimodal_data

    @property
    def remarks(self) -> bool:
        """The model that sees writes, and so may be asked whether there is something to say of its own accord."""
        return self.writer_sees and self._final("text") is not None

    @property
    def eyes(self) -> tuple[Stage[Any, Any], ...]:
        """The stages that what a camera shows goes through before anybody asks: up to the one that looks at it."""
        if self.writer_sees:
            return self._up_to(self._writer) if self.prefills_ahead else ()
        return tuple(stage for stage in self.chain if stage.spec.is_optional)

    def route(self, response_options: ResponseOptions) -> tuple[Stage[Any, Any], ...]:
        """The stages that such an answer needs: up to text or up to sound, the text given or written."""
        is_prefill = response_options.max_tokens == 0
        if is_prefill and not self.prefills_ahead:
            return ()
        writer = self._writer
        ends = [writer] if is_prefill or response_options.modality == "text" else [writer, self._final("audio")]
        if response_options.say is None or not writer.recites:
            return self._up_to(*ends)
        recital = Stage(replace(writer.spec, input_sources=()), RecitalEngine(), text_to_say, writer.inflight)
        return tuple(recital if stage is writer else stage for stage in self._up_to(*ends, past=writer))

    @property
    def _writer(self) -> Stage[Any, Any]:
        """The stage with final text; in a pipeline that writes none, the one that speaks."""
        return self._final("text") or self._final("audio") or self.chain[-1]

    def _final(self, kind: Modality) -> Stage[Any, Any] | None:
        return next((stage for stage in self.chain if stage.spec.final_output_type == kind), None)

    def _up_to(self, *ends: Stage[Any, Any] | None, past: Stage[Any, Any] | None = None) -> tuple[Stage[Any, Any], ...]:
        """Those stages and all that they read, in order.

        Args:
            past: A stage that needs nothing of those in front of it.
        """
        needed, found = {end.spec.stage_id for end in ends if end}, list[Stage[Any, Any]]()
        for stage in reversed(self.chain):
            if stage.spec.stage_id in needed:
                found.append(stage)
                needed |= set() if stage is past else {*stage.spec.input_sources}
        return tuple(reversed(found))


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


def joined(stages: Sequence[Stage[Any, Any]]) -> dict[tuple[int, int], Stream[Any]]:
    """A stream for each two stages of which the second reads the first, by the ids of both."""
    by_id, streams = {stage.spec.stage_id: stage for stage in stages}, dict[tuple[int, int], Stream[Any]]()
    for reader in stages:
        sources = [by_id[source] for source in reader.spec.input_sources if source in by_id]
        beside: tuple[Stream[Any], ...] = Stream.side_by_side([each.inflight for each in sources])
        for source, stream in zip(sources, beside, strict=True):
            streams[source.spec.stage_id, reader.spec.stage_id] = stream
    return streams
