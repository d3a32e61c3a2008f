"""What Code2Wav and its process say to each other."""

from pipeline.engines.child_messages import BusyCount, CountRequest, Numbered, RequestDropped, SettingsRefused
from pipeline.types.chunks import CODEBOOKS


class DecoderSettings(Numbered, frozen=True, tag=True):
    """The first thing that the process is told; answered with `DecoderReady` or `SettingsRefused`.

    Attributes:
        folder: The checkpoint's: Qwen3-TTS', which holds `speech_tokenizer/`, or Qwen3-Omni's.
        load_format: `auto`, or `dummy` for weights that only take their time.
        dtype: `float16`, `float32` or `bfloat16`.
        slots: Most streams at once.
        sizes: Frames that chunks may have.
        device: Which GPU, where there is one.
        threads: CPU threads, where there is none.
    """

    folder: str
    load_format: str
    dtype: str
    slots: int
    sizes: tuple[int, ...]
    device: int
    threads: int


class DecodeRequest(Numbered, frozen=True, tag=True):
    """The next frames of a slot's stream; answered with `DecodedPcm`.

    Attributes:
        frames: int16, native order, CODEBOOKS a frame.
        begins: True if they are the first ones of a sentence.
    """

    slot: int
    frames: bytes
    begins: bool


class DropRequest(Numbered, frozen=True, tag=True):
    """Whatever waits for that slot is not wanted; answered with `RequestDropped` when nothing is computed for it."""

    slot: int


class DecoderReady(Numbered, frozen=True, tag=True):
    """Answers `DecoderSettings`: the decoder is loaded, and takes codes.

    Attributes:
        entries: Entries of a codebook; codes lie below this number.
        graphs: How many CUDA graphs were captured.
        lead: How many of a sentence's first samples mean nothing.
    """

    entries: int
    device: str
    graphs: int
    lead: int = 0


class DecodedPcm(Numbered, frozen=True, tag=True):
    pcm: bytes


Question = DecoderSettings | DecodeRequest | DropRequest | CountRequest
Answer = DecoderReady | SettingsRefused | DecodedPcm | RequestDropped | BusyCount


def frame_count(decode: DecodeRequest) -> int:
    return len(decode.frames) // (2 * CODEBOOKS)
