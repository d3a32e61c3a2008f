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
from pipeline.types.chunks import CODEBOOKS


def main() -> None:
    inbox, send = open_pipes(Question)
    settings = inbox.get()
    assert isinstance(settings, DecoderSettings)
    try:
        decoder, ready = _opened(settings)
    except ConfigError as error:
        send(SettingsRefused(settings.number, error.faults))
        sys.exit(1)
    except Exception as error:  # torch is missing, the GPU has no room, or a kernel does not compile
        send(SettingsRefused(settings.number, [f"{type(error).__name__}: {error}"]))
        sys.exit(1)
    heap.freeze_startup_objects()
    send(ready)
    serve(decoder, inbox, send, settings.slots)


def _opened(settings: DecoderSettings) -> tuple[BatchDecoder, DecoderReady]:
    import torch

    from pipeline.engines.code2wav.decoders import open_decoder
    from pipeline.models.qwen3_tts.codec.streams import CodecStreams

    torch.set_num_threads(settings.threads)
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda", settings.device) if torch.cuda.is_available() else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    dtype = getattr(torch, settings.dtype)
    made_up = settings.load_format == "dummy"
    opened = open_decoder(Path(settings.folder), device, dtype, made_up=made_up)
    streams = CodecStreams(opened.decode, settings.slots, CODEBOOKS, device)
    if device.type == "cuda":
        streams.capture(shapes(settings.sizes, settings.slots))
    return streams, DecoderReady(settings.number, opened.entries, str(device), streams.graphs, opened.lead)


if __name__ == "__main__":
    main()
