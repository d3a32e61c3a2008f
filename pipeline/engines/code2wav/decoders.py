"""Opens the speech decoder of whichever checkpoint lies in a folder."""

from dataclasses import dataclass
from pathlib import Path

import torch

from pipeline.models.qwen3_omni.code2wav import Code2Wav, load_code2wav
from pipeline.models.qwen3_omni.config import FILE, MODEL_TYPE, read_omni
from pipeline.models.qwen3_tts.codec.decoder import CodecDecoder, load_decoder, ready
from pipeline.models.qwen3_tts.codec.streams import Decode
from pipeline.models.qwen3_tts.config import read_codec
from pipeline.models.shared.fields import read_object


@dataclass(frozen=True, slots=True)
class OpenedDecoder:
    """A speech decoder that can run.

    Attributes:
        entries: Entries of a codebook.
        lead: How many of a stream's first samples mean nothing.
    """

    decode: Decode
    entries: int
    lead: int = 0


def open_decoder(folder: Path, device: torch.device, dtype: torch.dtype, *, made_up: bool) -> OpenedDecoder:
    """Loads the decoder of a checkpoint of Qwen3-TTS, or of Qwen3-Omni.

    Args:
        made_up: Weights are not read: they only take their time.

    Raises:
        ConfigError: It is another model's, incomplete or damaged.
    """
    if _is_omni(folder):
        config = read_omni(folder).code2wav
        omni = ready(Code2Wav(config), device, dtype) if made_up else load_code2wav(folder, device, dtype)
        return OpenedDecoder(omni, config.codebook_size, omni.lead)
    codec = read_codec(folder)
    decoder = ready(CodecDecoder(codec), device, dtype) if made_up else load_decoder(folder, device, dtype)
    return OpenedDecoder(decoder, codec.codebook_size)


def _is_omni(folder: Path) -> bool:
    return (folder / FILE).exists() and read_object(folder / FILE).get("model_type") == MODEL_TYPE
