"""Writes the prompt of Qwen3-ASR, as the template of its checkpoints and the official package do."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.models.qwen3_asr.tokenizer import AUDIO, Tokenizer
from pipeline.models.qwen3_asr.transcript import TAG

AUDIO_TEXT = f"<|audio_start|>{AUDIO}<|audio_end|>"


@dataclass(frozen=True, slots=True)
class AsrPrompt:
    """Holds the tokens of one pass, with one that stands for the sound.

    Attributes:
        audio_at: Where in `token_ids` the one token is that stands for the sound.
    """

    token_ids: tuple[int, ...]
    audio_at: int

    def spread(self, counts: Sequence[int]) -> tuple[int, ...]:
        """The ids with so many audio tokens for each window of the sound."""
        at = self.audio_at
        return (*self.token_ids[:at], *(sum(counts) * self.token_ids[at : at + 1]), *self.token_ids[at + 1 :])


@dataclass(frozen=True, slots=True)
class AsrPromptWriter:
    """Writes the prompt of a pass: context, sound, language and what is heard already.

    Attributes:
        audio_id: The id of `<|audio_pad|>`.
        context: Words that may be said, names, subjects, where a caller gives none. Holds no names of added tokens.
    """

    tokenizer: Tokenizer
    audio_id: int
    context: str = ""

    def write(self, language: str | None, prefix: str, context: str = "") -> AsrPrompt:
        """Writes the prompt of one pass in the checkpoint's chat format.

        Args:
            language: As Qwen3-ASR names it; None leaves it to the model, which then writes it first.
            prefix: What the transcript begins with, whatever is heard.
            context: A caller's own, in place of the writer's. Names of added tokens in it are broken up.
        """
        forced = f"language {language}{TAG}" if language else ""
        told = self.tokenizer.escape(context) or self.context
        ids = self.tokenizer.encode(
            f"<|im_start|>system\n{told}<|im_end|>\n<|im_start|>user\n{AUDIO_TEXT}<|im_end|>\n"
            f"<|im_start|>assistant\n{forced}{prefix}"
        )
        return AsrPrompt(tuple(ids), ids.index(self.audio_id))
