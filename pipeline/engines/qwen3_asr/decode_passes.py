"""An utterance's sound becomes prompts for Qwen3-ASR, each beginning with what is no longer in doubt."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.engines.common_prefix import common_prefix
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.models.qwen3_asr.mel import LogMel, Pcm
from pipeline.models.qwen3_asr.prompt import AsrPrompt, AsrPromptWriter
from pipeline.models.qwen3_asr.tokenizer import Tokenizer
from pipeline.models.qwen3_asr.transcript import TAG, certain_chars, read_transcript
from pipeline.models.qwen3_asr.windows import EncoderWindow, EncoderWindows
from pipeline.types.chunks import AsrInput, Transcript

NO_SOUND: Pcm = np.zeros(0, np.float32)
MARKS = " .,;:!?…。，、；：！？"  # with which a recogniser ends what it has heard only in part


@dataclass(frozen=True, slots=True)
class Doubt:
    """Says how much of a transcript the next pass may change, by the official package's numbers.

    Attributes:
        all_ms: While less sound has been heard, all of the transcript (two of the package's pieces, of 2 s).
        tokens: Later, so many of its newest tokens.
    """

    all_ms: int = 4_000
    tokens: int = 5


@dataclass(frozen=True, slots=True, eq=False)
class DecodePass:
    """Is one pass of the recogniser over all sound so far.

    Attributes:
        language: As Qwen3-ASR names it, if it is asked for.
        prefix: What the transcript begins with.
        windows: The spectrum, in pieces that are encoded one by one.
        expected: What the pass before wrote behind the prefix, without the marks with which it ended the sentence: its
            sound broke off.
        draft: As `expected`, for speculative decoding; empty if more than half of what was expected of the pass before
            was not what it wrote.
    """

    window: AsrInput
    language: str | None
    prefix: str
    prompt: AsrPrompt
    windows: tuple[EncoderWindow, ...]
    expected: tuple[int, ...] = ()
    draft: tuple[int, ...] = ()


class DecodePasses:
    """The passes over one utterance. A transcript is forced to begin with that of the pass before, but for its end.

    As the official package streams, with one difference: what was forced once stays. The official package takes
    five tokens back again when a pass has written fewer.

    Args:
        frames: How many frames of the spectrum the encoder's attention sees at once.
    """

    def __init__(self, writer: AsrPromptWriter, frames: int, doubt: Doubt) -> None:
        self._writer = writer
        self._doubt = doubt
        self._heard = NO_SOUND
        self._mel = LogMel()
        self._pieces = EncoderWindows(frames)
        self._prefix = ""
        self._raw = ""  # what the pass before wrote, with what it was forced to begin with
        self._keeps_to_words = True

    def ask(self, window: AsrInput, language: str | None) -> DecodePass:
        pcm = window.pcm
        if not np.array_equal(pcm[: len(self._heard)], self._heard):
            self._mel, self._prefix, self._raw = LogMel(), "", ""
        self._heard = pcm
        prompt = self._writer.write(language, self._prefix, window.context)
        expected = tuple(self._writer.tokenizer.encode(self._raw.rstrip(MARKS)[len(self._prefix) :]))
        draft = expected if self._keeps_to_words else ()
        return DecodePass(window, language, self._prefix, prompt, self._pieces(self._mel(pcm)), expected, draft)

    def note(self, request: DecodePass, token_ids: Sequence[int]) -> Transcript:
        """Take what was written in answer; the passes that follow build on it."""
        self._keeps_to_words = 2 * common_prefix(request.expected, token_ids) >= len(request.expected)
        self._raw = raw = request.prefix + self._writer.tokenizer.decode(list(token_ids), special=False)
        if len(request.window.pcm) * 1000 >= self._doubt.all_ms * SPEECH_RATE:
            self._prefix = max(request.prefix, without_end(raw, self._doubt.tokens, self._writer.tokenizer), key=len)
        read = read_transcript(raw, request.language)
        stable = stable_chars(self._prefix, request.language)
        return Transcript(read.text, request.window.audio_end_ms, request.window.settles, stable, read.language)


def without_end(raw: str, tokens: int, tokenizer: Tokenizer) -> str:
    """`raw` without its last tokens, and without half a character at its end."""
    ids = tokenizer.encode(raw)
    for end in range(len(ids) - tokens, 0, -1):
        kept = tokenizer.decode(ids[:end])
        if "\ufffd" not in kept:
            return kept
    return ""


def stable_chars(prefix: str, language: str | None) -> int:
    """How much of a transcript stands if all that follow begin with `prefix`."""
    if language is None and TAG not in prefix:
        return 0
    return certain_chars(read_transcript(prefix, language).text)
