"""The process that holds the speech decoder. It is told what to load, and ends when its input closes."""

import os
import signal
import sys
import threading
from pathlib import Path
from queue import SimpleQueue

from pipeline.aio import startup_objects as heap
from pipeline.engines.code2wav.batches import shapes
from pipeline.engines.code2wav.messages import DecodeRefused, DecoderReady, DecoderSettings
from pipeline.engines.code2wav.service import BatchDecoder, Inbox, answers_to, read_questions, serve
from pipeline.errors import ConfigError


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the pipeline too, which closes our input in its time
    send = answers_to(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # what libraries print is no answer
    inbox: Inbox = SimpleQueue()
    threading.Thread(target=read_questions, args=(0, inbox), name="questions", daemon=True).start()
    settings = inbox.get()
    assert isinstance(settings, DecoderSettings)
    try:
        decoder, ready = _opened(settings)
    except ConfigError as error:
        send(DecodeRefused(settings.number, error.faults))
        sys.exit(1)
    except (ImportError, RuntimeError) as error:  # torch is missing, or has no room on the GPU
        send(DecodeRefused(settings.number, [f"{type(error).__name__}: {error}"]))
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
