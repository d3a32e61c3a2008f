"""The process that holds the speech decoder. It is told what to load, and ends when its input closes."""

import sys
from pathlib import Path

from pipeline.aio import startup_objects as heap
from pipeline.engines.child_messages import SettingsRefused
from pipeline.engines.child_pipes import open_pipes
from pipeline.engines.code2wav.batches import shapes
from pipeline.engines.code2wav.messages import DecoderReady, DecoderSettings, Question
from pipeline.engines.code2wav.service import BatchDecoder, serve
from pipeline.errors import ConfigError


def main() -> None:
    inbox, send = open_pipes(Question)
    settings = inbox.get()
    assert isinstance(settings, DecoderSettings)
    try:
        decoder, ready = _opened(settings)
    except ConfigError as error:
        send(SettingsRefused(settings.number, error.faults))
        sys.exit(1)
    except (ImportError, RuntimeError) as error:  # torch is missing, or has no room on the GPU
        send(SettingsRefused(settings.number, [f"{type(error).__name__}: {error}"]))
        sys.exit(1)
    heap.freeze_startup_objects()
    send(ready)
    serve(decoder, inbox, send, settings.slots)


def _opened(settings: DecoderSettings) -> tuple[BatchDecoder, DecoderReady]:
    import torch

    from pipeline.models.qwen3_tts.codec.decoder import CodecDecoder, load_decoder, ready
    from pipeline.models.qwen3_tts.codec.streams import CodecStreams
    from pipeline.models.qwen3_tts.config import read_codec

    torch.set_num_threads(settings.threads)
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda", settings.device) if torch.cuda.is_available() else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    dtype = {"float32": torch.float32, "bfloat16": torch.bfloat16}[settings.dtype]
    folder = Path(settings.folder)
    config = read_codec(folder)
    if settings.load_format == "dummy":
        decoder = ready(CodecDecoder(config), device, dtype)
    else:
        decoder = load_decoder(folder, device, dtype)
    streams = CodecStreams(decoder, settings.slots, config.num_quantizers, device)
    if device.type == "cuda":
        streams.capture(shapes(settings.sizes, settings.slots))
    return streams, DecoderReady(settings.number, config.codebook_size, str(device), streams.graphs)


if __name__ == "__main__":
    main()
