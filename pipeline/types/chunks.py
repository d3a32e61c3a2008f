"""What flows between stages: frozen values, one type for each direction of each engine."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from pipeline.media.sample_rates import SPEECH_RATE, VOICE_RATE
from pipeline.media.video_chunk import VideoChunk
from pipeline.types.function_tools import FunctionCall, ToolOptions, WrittenCall

CODEBOOKS = 16  # codes in a frame of the 12 Hz speech tokenizer: one semantic, fifteen acoustic
FRAME_SAMPLES = 1_920  # samples that a frame becomes: 80 ms, 12.5 frames a second
FRAME_S = FRAME_SAMPLES / VOICE_RATE

MOST_ROWS = 512  # of a chunk of hidden states: so a stream's bound is one of memory, too

Role = Literal["system", "user", "assistant"]
Phase = Literal["prefill", "decode"]  # of a model: it reads its prompt, or writes
FinishReason = Literal["stop", "length"]  # of what is written: it is complete, or there was no room for more


class Priority(IntEnum):
    """Whose prompt a language model that many share serves first: that of the lower number, as vLLM counts.

    QUESTION: somebody waits for it. PREFILL: what is only prefilled, of somebody who speaks, or may at any moment, and
    will wait soon. OFFER: what may be said unasked of what is seen while nobody speaks. SEEN: what is only prefilled of
    that. PRUNED: what pruning will leave of a conversation, which is prefilled as well.
    """

    QUESTION = 0
    PREFILL = 1
    OFFER = 2
    SEEN = 3
    PRUNED = 4


@dataclass(frozen=True, slots=True)
class TurnId:
    """Names one turn of one caller; every request and every task of the turn carries it.

    Attributes:
        attempt: Which of the attempts to prefill its question or to answer it: one that was given up may still be under
            way beside what took its place.
    """

    session: str
    epoch: int
    attempt: int = 0

    def __str__(self) -> str:
        return f"{self.session}.{self.epoch}" + (f".{self.attempt}" if self.attempt else "")


@dataclass(frozen=True, slots=True, eq=False)
class AsrInput:
    """An utterance as far as it has been heard: what a recogniser is asked to transcribe.

    Attributes:
        pcm: float32 in [-1, 1], shape [samples], 16 kHz mono, from the utterance's first sample.
        language: ISO 639-1 code such as `en`, or None to detect it.
        settles: True if its transcript will stand: the person is silent at the window's end, or the
            window is full.
        context: Words that may be said, such as names; empty: those of the deployment.
    """

    pcm: NDArray[np.float32]
    language: str | None
    settles: bool
    context: str = ""

    @property
    def audio_end_ms(self) -> int:
        return len(self.pcm) * 1000 // SPEECH_RATE


@dataclass(frozen=True, slots=True)
class DraftOutcome:
    """What became of the draft that a recogniser was given to verify in one step (speculative decoding).

    Attributes:
        tokens: How many tokens the draft has.
        right: How many of them stand before the first that the recogniser would not write; 0 if the engine does not
            tell.
    """

    tokens: int
    right: int


@dataclass(frozen=True, slots=True)
class Transcript:
    """Holds what a recogniser heard in one window.

    Attributes:
        stable_chars: How many leading characters stand, however the sound goes on.
        language: Its English name or its ISO 639-1 code, if the recogniser says it.
        draft: What became of the draft of its pass; None: it had none.
        sentence_end: Probability that a sentence ends behind its last word, as the recogniser weighs the mark there;
            None: it does not tell.
    """

    text: str
    audio_end_ms: int
    settles: bool
    stable_chars: int = 0
    language: str = ""
    draft: DraftOutcome | None = None
    sentence_end: float | None = None


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a chat prompt.

    Attributes:
        calls: Functions that the model called with it.
        call_id: It is the output of that call; empty: it is none.
    """

    role: Role
    text: str
    calls: tuple[FunctionCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """A prompt for a chat language model.

    Attributes:
        cache_salt: Whose prompt it is. Prompts of one salt share a prefix cache, others never do.
        max_tokens: Most tokens to write; 0 only prefills it, into the prefix cache: its last message may go on.
        stem: How many of the first messages come in other calls too: their prefilled state is kept for these.
        plain_answer: What a model says that is too small for this question; empty: it answers by itself.
        tools: What the model may call. None: its prompt says nothing of calls.
    """

    messages: tuple[ChatMessage, ...]
    cache_salt: str
    max_tokens: int = 200
    temperature: float = 0.0
    stem: int = 0
    plain_answer: str = ""
    tools: ToolOptions = field(default=ToolOptions())

    def with_fault(self, call: WrittenCall, words: str, fault: str) -> Self:
        """Returns the prompt once the model has written `words` and a call, and is told what is wrong with that."""
        written = FunctionCall("wrong", call.name or "unknown", call.arguments or "{}")
        said = ChatMessage("assistant", words.strip(), (written,))
        return replace(self, messages=(*self.messages, said, ChatMessage("user", fault, call_id="wrong")))


@dataclass(frozen=True, slots=True)
class MultimodalPrompt:
    """A prompt for a language model that sees.

    Attributes:
        parts: Text with the marks of the chat template in it, and between them what is seen.
        cache_salt, max_tokens: As in `ChatPrompt`.
        tools: As in `ChatPrompt`; the parts tell of them already.
    """

    parts: tuple[str | VideoChunk, ...]
    cache_salt: str
    max_tokens: int = 200
    priority: Priority = Priority.QUESTION
    tools: ToolOptions = field(default=ToolOptions())

    def with_fault(self, call: WrittenCall, words: str, fault: str) -> Self:
        """As `ChatPrompt.with_fault`."""
        told = (
            f"{words}{call.raw}<|im_end|>\n<|im_start|>user\n<tool_response>\n{fault}\n</tool_response><|im_end|>\n"
            "<|im_start|>assistant\n"
        )
        return replace(self, parts=(*self.parts, told))


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Counts the tokens of the language model that writes, not those of hearing and of the voice.

    Attributes:
        prompt: What it was given: all that stands before the question, and the question.
        seen: How many of `prompt` are pictures and films.
        cached: How many of `prompt` were prefilled before, in an earlier turn or ahead, and not computed again.
        written: What it wrote, whether anybody hears it or not: the end is a token, and so is silence.
    """

    prompt: int = 0
    seen: int = 0
    cached: int = 0
    written: int = 0


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A piece of the answer, as it is written. Pieces concatenate to the whole answer.

    Attributes:
        text: Empty in a last piece that only brings `usage`.
        usage: All that the answer has taken so far, if the engine counts.
        finish_reason: In the last piece, why it is the last; None: more may come, or the engine does not say.
        ends: A message ends with it: what follows belongs to another one, and is spoken by itself.
    """

    text: str
    usage: TokenUsage | None = field(default=None, compare=False)
    finish_reason: FinishReason | None = field(default=None, compare=False)
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of the answer: what is spoken in one breath, or for a voice that takes text as it is written, a word.

    Clauses concatenate to the whole answer, but for those that are only begun.

    Attributes:
        speed: 1 is the voice's own; a voice that knows no other speed, such as Qwen3-TTS, keeps to it.
        language: A name or an ISO 639-1 code; `auto` leaves it to the voice.
        instructions: In words, how to speak.
        is_begun: More letters may be added to it: the next clause has its text again, whole. A voice may begin with it,
            and lets nobody hear what comes of it before.
    """

    text: str
    voice: str
    speed: float = 1.0
    language: str = "auto"
    instructions: str = ""
    is_begun: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class CodecChunk:
    """A piece of speech as codec frames.

    Attributes:
        frames: int16, shape [frames, CODEBOOKS], 80 ms each.
        text: As in `AudioChunk`: the text whose speech begins with this chunk's first frame; empty if it
            goes on with what the chunk before began. May come with no frames.
        ends: True if the sentence ends with this chunk's last frame: whoever waits for more frames
            waits no longer, and the next frame is decoded as a beginning. May come with no frames.
    """

    frames: NDArray[np.int16]
    text: str = ""
    ends: bool = False

    @property
    def duration_ms(self) -> float:
        return len(self.frames) * FRAME_SAMPLES * 1000 / VOICE_RATE


@dataclass(frozen=True, slots=True, eq=False)
class HiddenStates:
    """Rows of chosen layers, one for each token.

    Prompt and answer are never in one chunk. A chunk owns its rows: they are freed when the last who holds it lets go,
    which streams do as soon as a turn is cancelled or its reader has left.

    Attributes:
        phase: Whether they are of the prompt, or of what the model writes.
        token_ids: Of which tokens, in order.
        layers: By layer, `0` being the embeddings: shape [tokens, width]; an array, a tensor, or a handle that the
            reading engine opens.

    Raises:
        ValueError: There are no tokens, or more than `MOST_ROWS`.
    """

    phase: Phase
    token_ids: tuple[int, ...]
    layers: Mapping[str, Any] = field(repr=False)

    def __post_init__(self) -> None:
        if not 1 <= len(self.token_ids) <= MOST_ROWS:
            raise ValueError(f"hidden states of {len(self.token_ids)} tokens: 1 to {MOST_ROWS} are a chunk")


@dataclass(frozen=True, slots=True)
class AudioChunk:
    """Synthesised speech.

    Attributes:
        pcm: PCM16 little endian, 24 kHz mono.
        text: The text whose speech begins with this chunk's first sample; empty if it goes on with
            what the chunk before began. May come with no audio (nothing in it can be spoken).
    """

    pcm: bytes
    text: str = ""

    @property
    def duration_ms(self) -> float:
        return len(self.pcm) * 1000 / (2 * VOICE_RATE)
