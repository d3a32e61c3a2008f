"""One answer as the thinker writes it: its words for people, its tokens for the talker. Pure."""

from collections.abc import Iterator
from dataclasses import replace

from pipeline.engines.qwen3_omni.thought import HeardStates, ThoughtChunk
from pipeline.engines.silent_answer import SILENT
from pipeline.models.qwen3_omni.text import OmniText
from pipeline.models.shared.engine_io import EngineOutput
from pipeline.types.chunks import FinishReason, TextChunk, TokenUsage

Piece = TextChunk | ThoughtChunk


class Writing:
    """Both are held back while they may still become the mark of silence; of a silent answer nothing leaves.

    Args:
        heard: What came before the answer.
        seen: How many tokens of the prompt are pictures and films.

    Attributes:
        is_silent: It has begun with the mark: what else is written is of no interest.
    """

    def __init__(self, text: OmniText, heard: HeardStates, seen: int) -> None:
        self.is_silent = False
        self._stops = text.stops
        self._decoder = text.decoder()
        self._usage = TokenUsage(seen=seen)
        self._heard: HeardStates | None = heard
        self._held: list[ThoughtChunk] | None = []
        self._finish_reason: FinishReason | None = None

    def feed(self, written: EngineOutput) -> Iterator[Piece]:
        ids, ended = written.token_ids, written.chunk_ended
        if ended:
            self._finish_reason = "stop" if written.stopped else "length"
        counted = self._usage.written + len(ids)
        self._usage = TokenUsage(written.prompt_tokens, self._usage.seen, written.cached_tokens, counted)
        text = "".join(self._decoder.feed([each for each in ids if each not in self._stops]))
        if ended:
            text += "".join(self._decoder.finish())
        thought = ThoughtChunk(ids, ids[:-1] if ended and ids else ids, ended, self._heard, text)
        self._heard = None
        if self._held is None:
            yield from self._told(thought)
            return
        self._held.append(thought)
        said = "".join(each.text for each in self._held).lstrip()
        self.is_silent = said.startswith(SILENT)
        if not self.is_silent and (ended or not SILENT.startswith(said)):
            for each in self._opened(self._held):
                yield from self._told(each)
            self._held = None

    def finish(self) -> TextChunk:
        """What it has taken, and why it ended."""
        return TextChunk("", self._usage, "stop" if self.is_silent else self._finish_reason)

    def _told(self, thought: ThoughtChunk) -> Iterator[Piece]:
        if thought.text:
            yield TextChunk(thought.text, self._usage)
        yield thought

    @staticmethod
    def _opened(held: list[ThoughtChunk]) -> Iterator[ThoughtChunk]:
        """Without white space in front."""
        in_front = True
        for each in held:
            text = each.text.lstrip() if in_front else each.text
            in_front = in_front and not text
            yield replace(each, text=text)
