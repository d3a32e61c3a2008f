"""What a Qwen3-TTS checkpoint says of itself, read strictly from its JSON files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pipeline.models.shared.decoder_config import DecoderConfig
from pipeline.models.shared.fields import Few, FieldPath, Size, made_of, read_config

TALKER_FILE = "config.json"
CODEC_FILE = "speech_tokenizer/config.json"
GENERATION_FILE = "generation_config.json"

Kind = Literal["custom_voice", "voice_design", "base"]


@dataclass(frozen=True, slots=True)
class PredictorConfig(DecoderConfig):
    """The code predictor: a small decoder over the 16 codebooks of one frame."""

    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: Few
    num_attention_heads: Size
    num_key_value_heads: Size
    head_dim: Size
    vocab_size: Size
    num_code_groups: Few
    rms_norm_eps: float
    rope_theta: float


@dataclass(frozen=True, slots=True)
class TalkerConfig(DecoderConfig):
    """The Talker: a decoder that writes codebook 0 of one frame a step.

    Attributes:
        codec_language_id: Languages and dialects by their lower-case names.
        spk_id: Speakers by their lower-case names; empty where voices are described in words.
        spk_is_dialect: For each speaker the dialect that is native to them, or False.
    """

    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: Few
    num_attention_heads: Size
    num_key_value_heads: Size
    head_dim: Size
    vocab_size: Size
    text_vocab_size: Size
    text_hidden_size: Size
    rms_norm_eps: float
    rope_theta: float
    codec_pad_id: int
    codec_bos_id: int
    codec_eos_token_id: int
    codec_think_id: int
    codec_nothink_id: int
    codec_think_bos_id: int
    codec_think_eos_id: int
    codec_language_id: Mapping[str, int]
    spk_id: Mapping[str, int]
    spk_is_dialect: Mapping[str, str | bool]


@dataclass(frozen=True, slots=True)
class VoiceConfig:
    """A whole checkpoint: its Talker, its predictor, and the ids of the text side.

    Attributes:
        tts_model_type: Whether voices are chosen by name, described, or cloned from a recording.
        tts_model_size: `1b7` or `0b6`.
    """

    tts_model_type: Kind
    tts_model_size: str
    tts_pad_token_id: int
    tts_bos_token_id: int
    tts_eos_token_id: int
    talker: Annotated[TalkerConfig, FieldPath("talker_config")]
    predictor: Annotated[PredictorConfig, FieldPath("talker_config.code_predictor_config")]

    def disagreements(self, where: str) -> Iterator[str]:
        if self.tts_model_type == "base":
            yield f"`{where}tts_model_type` is `base`: voices are cloned from recordings, which is not done"


@dataclass(frozen=True, slots=True)
class CodecConfig:
    """The decoder half of the 12 Hz speech tokenizer, which makes sound of codes."""

    latent_dim: Size
    codebook_dim: Size
    codebook_size: Size
    decoder_dim: Size
    hidden_size: Size
    intermediate_size: Size
    head_dim: Size
    num_attention_heads: Size
    num_key_value_heads: Size
    num_hidden_layers: Few
    num_quantizers: Size
    num_semantic_quantizers: Size
    rms_norm_eps: float
    rope_theta: float
    sliding_window: Size
    upsample_rates: tuple[int, ...]
    upsampling_ratios: tuple[int, ...]


def read_voice(folder: Path) -> VoiceConfig:
    """Reads the configuration of the checkpoint in `folder`.

    Raises:
        ConfigError: It is missing, no JSON, another model's, or lacks fields; names every one.
    """
    return read_config(VoiceConfig, folder / TALKER_FILE, "qwen3_tts")


def voice_config(raw: Mapping[str, Any], source: Path) -> VoiceConfig:
    """The same, of a configuration that has been parsed already."""
    return made_of(VoiceConfig, raw, source)


@dataclass(frozen=True, slots=True)
class SpeechTokenizerConfig:
    """The speech tokenizer, of which only the decoder is used."""

    decoder: Annotated[CodecConfig, FieldPath("decoder_config")]


def read_codec(folder: Path) -> CodecConfig:
    """Reads the configuration of the speech tokenizer that comes with the checkpoint in `folder`.

    Raises:
        ConfigError: As `read_voice`.
    """
    return read_config(SpeechTokenizerConfig, folder / CODEC_FILE, "qwen3_tts_tokenizer_12hz").decoder


@dataclass(frozen=True, slots=True)
class GenerationConfig:
    """How codes are drawn: the fields of `generation_config.json`, with the defaults of the official package.

    Attributes:
        subtalker_dosample: Whether codebooks 1 to 15 are drawn; the fields beside it are theirs.
    """

    do_sample: bool = True
    temperature: float = 0.9
    top_k: int = 50
    top_p: float = 1.0
    repetition_penalty: float = 1.05
    subtalker_dosample: bool = True
    subtalker_temperature: float = 0.9
    subtalker_top_k: int = 50
    subtalker_top_p: float = 1.0


def read_generation(folder: Path) -> GenerationConfig:
    """Reads how the checkpoint in `folder` wants to be drawn from; it need not say.

    Raises:
        ConfigError: The file cannot be read, or a field has a value of another type.
    """
    path = folder / GENERATION_FILE
    return read_config(GenerationConfig, path) if path.exists() else GenerationConfig()
