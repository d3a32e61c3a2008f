"""What a Qwen3-ASR checkpoint says of itself, read strictly from its JSON files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pipeline.errors import ConfigError
from pipeline.models.qwen3_asr import mel
from pipeline.models.qwen3_asr.windows import CHUNK
from pipeline.models.shared.decoder_config import DecoderConfig
from pipeline.models.shared.fields import UNTOLD, Few, FieldPath, Size, read_config, undivided, unequal
from pipeline.models.shared.processor_files import read_processor


@dataclass(frozen=True, slots=True)
class AsrEncoderConfig:
    """The encoder.

    Attributes:
        n_window: Half of the frames that its convolutions see at once.
        n_window_infer: The frames that its attention sees at once.
    """

    num_mel_bins: Size
    encoder_layers: Few
    n_window: Size
    n_window_infer: Size
    d_model: Size = UNTOLD
    encoder_attention_heads: Size = UNTOLD
    encoder_ffn_dim: Size = UNTOLD
    downsample_hidden_size: Size = UNTOLD
    output_dim: Size = UNTOLD

    def disagreements(self, where: str) -> Iterator[str]:
        yield from undivided(where, "encoder_attention_heads", self.encoder_attention_heads, "d_model", self.d_model)
        told = self.num_mel_bins, 2 * self.n_window, self.n_window_infer % CHUNK
        if told != (mel.BANDS, CHUNK, 0):
            yield f"its encoder is of another kind: {self}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AsrTextConfig(DecoderConfig):
    """Has no defaults for the sizes from which the room for keys and values follows."""

    num_key_value_heads: Size
    head_dim: Size
    tie_word_embeddings: bool

    def disagreements(self, where: str) -> Iterator[str]:
        return self.section_faults(where, needed=False)


@dataclass(frozen=True, slots=True)
class AsrConfig:
    """A whole checkpoint.

    Attributes:
        support_languages: Their English names.
    """

    support_languages: Sequence[str]
    tower: Annotated[AsrEncoderConfig, FieldPath("thinker_config.audio_config")]
    text: Annotated[AsrTextConfig, FieldPath("thinker_config.text_config")]
    audio_token_id: Annotated[int, FieldPath("thinker_config.audio_token_id")]

    def disagreements(self, where: str) -> Iterator[str]:
        here, there = f"{where}thinker_config.audio_config.output_dim", f"{where}thinker_config.text_config.hidden_size"
        yield from unequal(here, self.tower.output_dim, there, self.text.hidden_size)


@dataclass(frozen=True, slots=True)
class AsrAudioConfig:
    """How the checkpoint wants its spectrum made."""

    feature_size: Size
    sampling_rate: Size
    hop_length: Size
    n_fft: Size


def read_recogniser(folder: Path) -> AsrConfig:
    """Reads the configuration of the checkpoint in `folder`.

    Raises:
        ConfigError: It is missing, no JSON, another model's, lacks fields, or has sizes that do not agree; names
            every fault.
    """
    return read_config(AsrConfig, folder / "config.json", "qwen3_asr")


def check_sound(folder: Path) -> None:
    """Checks that the checkpoint's spectrum is the one that `mel` computes.

    Raises:
        ConfigError: A file is missing or damaged, or the checkpoint asks for another spectrum than ours.
    """
    sound, source, _ = read_processor(AsrAudioConfig, folder, "preprocessor_config.json", "feature_extractor")
    if sound != AsrAudioConfig(mel.BANDS, mel.RATE, mel.HOP, mel.FFT):
        raise ConfigError(source, [f"it asks for another spectrum: {sound}"])
