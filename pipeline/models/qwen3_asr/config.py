"""What a Qwen3-ASR checkpoint says of itself, read strictly from its JSON files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import ConfigError
from pipeline.models.qwen3_asr import mel
from pipeline.models.qwen3_asr.windows import CHUNK
from pipeline.models.shared.agreement import equal_faults, head_faults
from pipeline.models.shared.fields import Few, part, read_fields, read_json, read_object
from pipeline.models.shared.mrope import section_faults

CONFIG_FILE = "config.json"
SOUND_FILE = "preprocessor_config.json"


@dataclass(frozen=True, slots=True)
class AsrEncoderConfig:
    """The encoder.

    Attributes:
        n_window: Half of the frames that its convolutions see at once.
        n_window_infer: The frames that its attention sees at once.
    """

    num_mel_bins: int
    encoder_layers: Few
    n_window: int
    n_window_infer: int


@dataclass(frozen=True, slots=True)
class AsrTextConfig:
    """The decoder, a Qwen3."""

    num_hidden_layers: Few
    num_key_value_heads: int
    head_dim: int
    tie_word_embeddings: bool


@dataclass(frozen=True, slots=True)
class AsrConfig:
    """A whole checkpoint.

    Attributes:
        support_languages: Their English names.
    """

    support_languages: Sequence[str]
    audio_token_id: int
    tower: AsrEncoderConfig
    text: AsrTextConfig


@dataclass(frozen=True, slots=True)
class AsrAudioConfig:
    """How the checkpoint wants its spectrum made."""

    feature_size: int
    sampling_rate: int
    hop_length: int
    n_fft: int


def read_recogniser(folder: Path) -> AsrConfig:
    """The configuration of the checkpoint in `folder`.

    Raises:
        ConfigError: A file is missing, no JSON, another model's, lacks fields, has sizes that do not agree, or
            asks for another spectrum than ours; names every fault.
    """
    path = folder / CONFIG_FILE
    raw = read_json(path, "qwen3_asr")
    faults: list[str] = []
    thinker = part(raw, "thinker_config", faults)
    at = "thinker_config."
    heard, written = (part(thinker, name, faults, at) for name in ("audio_config", "text_config"))
    tower = read_fields(AsrEncoderConfig, heard, f"{at}audio_config.", faults)
    text = read_fields(AsrTextConfig, written, f"{at}text_config.", faults)
    faults += head_faults(heard, "encoder_attention_heads", "d_model", f"{at}audio_config.")
    faults += equal_faults(heard, "output_dim", f"{at}audio_config.", written, "hidden_size", f"{at}text_config.")
    faults += section_faults(written, f"{at}text_config.", needed=False)
    whole = {**raw, "audio_token_id": thinker.get("audio_token_id"), "tower": tower, "text": text}
    if tower is None or text is None or (config := read_fields(AsrConfig, whole, "", faults)) is None or faults:
        raise ConfigError(str(path), faults)
    if 2 * tower.n_window != CHUNK or tower.n_window_infer % CHUNK or tower.num_mel_bins != mel.BANDS:
        raise ConfigError(str(path), [f"its encoder is of another kind: {tower}"])
    _check_sound(folder / SOUND_FILE)
    return config


def _check_sound(path: Path) -> None:
    faults: list[str] = []
    sound = read_fields(AsrAudioConfig, read_object(path), "", faults)
    if sound is not None and sound != AsrAudioConfig(mel.BANDS, mel.RATE, mel.HOP, mel.FFT):
        faults.append(f"it asks for another spectrum: {sound}")
    if faults:
        raise ConfigError(str(path), faults)
