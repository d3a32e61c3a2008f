"""Lays a text and a voice out as the ids that the Talker reads, position by position. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pipeline.errors import RequestError
from pipeline.models.qwen3_tts.config import VoiceConfig
from pipeline.models.shared.control_tokens import ControlTokens

NO_CODEC = -1  # a position at which only text is read
AUTO = "auto"
MOST_INSTRUCTIONS = 500  # characters, where nobody says it
LANGUAGES: Mapping[str, str] = {  # ISO 639-1 → the names that the checkpoints use
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "ja": "japanese",
    "ko": "korean",
    "pt": "portuguese",
    "ru": "russian",
    "zh": "chinese",
}

Layout = Literal["streaming", "whole"]
Tokenize = Callable[[str], list[int]]


@dataclass(frozen=True, slots=True)
class VoiceChoice:
    """Who speaks, and how.

    Attributes:
        speaker: A speaker of the checkpoint, in any case; empty for none.
        language: A language or dialect of the checkpoint, an ISO 639-1 code, or `auto`.
        instructions: In words, how to speak; in a VoiceDesign checkpoint also who speaks.
    """

    speaker: str = ""
    language: str = AUTO
    instructions: str = ""


@dataclass(frozen=True, slots=True)
class TalkerPrompt:
    """What the Talker reads before the first frame, and beside the others.

    The embedding of a position is that of its text id plus that of its codec id. Frame `i` is read
    back together with `trailing[i]`, and after the last of those with the padding of the text side.

    Attributes:
        text: Text ids, one a position.
        codec: Codec ids, one a position; `NO_CODEC` where there is none.
        trailing: Text ids that are read one a frame.
    """

    text: tuple[int, ...]
    codec: tuple[int, ...]
    trailing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TalkerPromptWriter:
    """Writes the prompts of one checkpoint, as `Qwen3TTSForConditionalGeneration.generate` of `qwen-tts` 0.1.1 does.

    Attributes:
        max_instructions_length: Most characters of a voice's instructions.
        control: Names of tokens that instructions must not hold: there they are broken up.
    """

    config: VoiceConfig
    tokenize: Tokenize
    max_instructions_length: int = MOST_INSTRUCTIONS
    control: ControlTokens = field(default_factory=ControlTokens)

    @property
    def placeholder(self) -> int:
        """The id that a prompt has at all of its positions: what is read there is made elsewhere."""
        return self.config.talker.codec_pad_id

    @property
    def most_instructions(self) -> int:
        """The most characters of instructions that this checkpoint takes; 0 if it takes none."""
        is_small = self.config.tts_model_type == "custom_voice" and self.config.tts_model_size == "0b6"
        return 0 if is_small else self.max_instructions_length

    def write(self, text_ids: Sequence[int], voice: VoiceChoice, layout: Layout, *, ended: bool = True) -> TalkerPrompt:
        """The prompt for a text.

        Args:
            text_ids: Ids of the text, or of its beginning; at least one.
            layout: `streaming` reads the first text id before the first frame and the others beside
                the frames, so that more may follow; `whole` reads all of them before it.
            ended: Whether this is all of the text. Only the streaming layout may leave it open.

        Raises:
            RequestError: The checkpoint has no such speaker or language, or takes no instructions or none so long.
        """
        assert text_ids and (ended or layout == "streaming")
        config, talker = self.config, self.config.talker
        opening = self._opening(voice)
        role = self.tokenize("<|im_start|>assistant\n")
        bare = [*self._instructions(voice), *role]
        text = [*bare, *[config.tts_pad_token_id] * (len(opening) - 1), config.tts_bos_token_id]
        codec = [*[NO_CODEC] * len(bare), *opening]
        if layout == "streaming":
            text.append(text_ids[0])
            codec.append(talker.codec_bos_id)
            return TalkerPrompt(tuple(text), tuple(codec), self.trailing(text_ids[1:], ended=ended))
        text += [*text_ids, config.tts_eos_token_id, config.tts_pad_token_id]
        codec += [*[talker.codec_pad_id] * (len(text_ids) + 1), talker.codec_bos_id]
        return TalkerPrompt(tuple(text), tuple(codec), ())

    def trailing(self, text_ids: Sequence[int], *, ended: bool) -> tuple[int, ...]:
        """More text of a prompt in the streaming layout, closed if it is the last."""
        return (*text_ids, self.config.tts_eos_token_id) if ended else tuple(text_ids)

    def check(self, voice: VoiceChoice) -> None:
        """Checks, without writing a prompt, that the checkpoint can speak as the voice is chosen.

        Raises:
            RequestError: As `write`.
        """
        self._opening(voice)
        self._instructions(voice)

    def _opening(self, voice: VoiceChoice) -> list[int]:
        """Codec ids that name language and speaker, up to the padding in front of the text."""
        talker = self.config.talker
        speaker = voice.speaker.lower()
        if speaker and speaker not in talker.spk_id:
            raise RequestError("invalid_value", _unknown("voice", voice.speaker, talker.spk_id), "voice")
        language = self._language(voice.language, speaker)
        if language is None:
            tag = [talker.codec_nothink_id, talker.codec_think_bos_id, talker.codec_think_eos_id]
        else:
            id_ = talker.codec_language_id[language]
            tag = [talker.codec_think_id, talker.codec_think_bos_id, id_, talker.codec_think_eos_id]
        return [*tag, *([talker.spk_id[speaker]] if speaker else []), talker.codec_pad_id]

    def _language(self, language: str, speaker: str) -> str | None:
        """The name to announce, or None to let the model find out. Some speakers have a native dialect."""
        talker = self.config.talker
        name = language.lower() or AUTO
        name = name if name in talker.codec_language_id else LANGUAGES.get(name, name)
        dialect = talker.spk_is_dialect.get(speaker)
        if name in (AUTO, "chinese") and isinstance(dialect, str):
            return dialect
        if name == AUTO:
            return None
        if name not in talker.codec_language_id:
            raise RequestError("invalid_value", _unknown("language", language, talker.codec_language_id), "language")
        return name

    def _instructions(self, voice: VoiceChoice) -> list[int]:
        if not voice.instructions:
            return []
        if not (most := self.most_instructions):
            raise RequestError("invalid_value", "this checkpoint takes no instructions (size `0b6`)", "instructions")
        if (length := len(voice.instructions)) > most:
            message = f"instructions: {length} characters, of which {most} have room"
            raise RequestError("invalid_value", message, "instructions")
        return self.tokenize(f"<|im_start|>user\n{self.control.escape(voice.instructions)}<|im_end|>\n")


def _unknown(what: str, name: str, known: Mapping[str, int]) -> str:
    return f"unknown {what} `{name}`; this checkpoint has {', '.join(sorted(known)) or 'none'}"
