"""One whole turn offline: what was shown, a question that is heard or written, and the answer in words and sound."""

import asyncio
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from pipeline.cli.transcribe import transcribe
from pipeline.context.window import cut, in_bytes, is_due
from pipeline.media.segmentation import Pcm
from pipeline.media.video_chunk import VideoChunk
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stages import PipelineStages
from pipeline.turns.turn import chain, prefill
from pipeline.types.chunks import TextChunk, TurnId
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest

NAME = "ask"


@dataclass(frozen=True, slots=True)
class SpokenAnswer:
    """
    Attributes:
        question: As it was heard, or written.
        text: Empty: the model was silent.
        pcm: PCM16, 24 kHz mono.
        text_ms, sound_ms: From the question's end to the first words and the first sound; None: there are none.
        taken_ms: To the end.
        unseen: Bytes of a long question, from its beginning, that the model did not see.
    """

    question: str
    text: str
    pcm: bytes
    text_ms: float | None
    sound_ms: float | None
    taken_ms: float
    unseen: int = 0

    def __str__(self) -> str:
        first_chunks = (("words", self.text_ms), ("sound", self.sound_ms))
        said = [f"first {what} after {ms:.0f} ms" for what, ms in first_chunks if ms is not None]
        if self.unseen:
            said.insert(0, f"of the question the first {self.unseen:,} bytes had no room")
        return ", ".join([*said, f"{self.taken_ms:.0f} ms in all"])


async def converse(
    stages: PipelineStages,
    film: Iterable[VideoChunk],
    question: str | Pcm,
    emit: Callable[[str], None],
    language: str | None = None,
) -> SpokenAnswer:
    """
    Args:
        film: Second by second, as a camera would have shown it before the question was asked.
        question: Sound (float32, 16 kHz mono) or text; empty text: only what is seen may be worth an answer.
        emit: Is told what was heard.
        language: Of the question, a code or a name; None: it is detected.

    Raises:
        RequestError: There is no sound in the question.
        EngineError: A stage failed.
    """
    response_options = ResponseOptions(language=language, cache_salt=NAME)
    history, epoch = History(), 0
    for epoch, clip in enumerate(film, 1):
        history = history.with_video_turn(clip)
        if is_due(history, stages.limits):
            history = history.cut(cut(history, stages.limits))
        await prefill(TurnId(NAME, epoch), TurnRequest(history, response_options).unfinished(), stages)
    tail_s = 0.0
    if not isinstance(question, str):
        heard = await transcribe(question, language, stages.recogniser, emit)
        question, tail_s = heard.text, heard.tail_s
    unseen = 0
    if question.strip():
        item = Item("question", "user", question)
        history = history.with_item(item)
        unseen = in_bytes(question.strip()) - in_bytes(stages.limits.text(item))
    request, output = TurnRequest(history, response_options), SpeculativeOutput(math.inf)
    began = asyncio.get_running_loop().time() - tail_s
    async with output:
        await chain(TurnId(NAME, epoch + 1), request, stages.route(response_options), output)
    return replace(await _spoken(question, output, began), unseen=unseen)


async def _spoken(question: str, output: SpeculativeOutput, began: float) -> SpokenAnswer:
    if output.error:
        raise output.error
    output.commit()
    text = "".join([word.text async for word in output.words() if isinstance(word, TextChunk)])
    pcm = b"".join([pcm async for pcm in output.sound()])
    ended = asyncio.get_running_loop().time()
    return SpokenAnswer(
        question,
        text,
        pcm,
        _ms(output.first_chunks.text, began),
        _ms(output.first_chunks.pcm, began),
        _ms(ended, began) or 0,
    )


def _ms(at: float | None, began: float) -> float | None:
    return None if at is None else 1_000 * (at - began)
