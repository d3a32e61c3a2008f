"""What the command line says of `aura-pipeline transcribe`, and the engine that it opens."""

import argparse
import asyncio
import sys
from pathlib import Path

from pipeline.cli.offline import add_model, engine_args, model_of
from pipeline.cli.transcribe import TranscribeResult, transcribe
from pipeline.engines.base import Engine
from pipeline.media.segmentation import Pcm
from pipeline.media.wav import read_wav
from pipeline.models.qwen3_asr.languages import AUTO
from pipeline.types.chunks import AsrInput, Transcript

CHECKPOINT = "Qwen3-ASR-1.7B"  # as it is published


def add_transcribe(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("transcribe", help="write down what a WAV file says, with a Qwen3-ASR checkpoint")
    parser.add_argument("file", type=Path, metavar="FILE", help="any rate, any number of channels")
    add_model(parser, CHECKPOINT)
    parser.add_argument("--language", default=AUTO, help="a code such as `en`, or a name (auto: as it hears it)")
    parser.add_argument("--context", default="", help="words that may be said, such as names")


def run_transcribe(arguments: argparse.Namespace, home: Path) -> None:
    """
    Args:
        home: Where the models are, in `models/`.

    Raises:
        AuraError: The checkpoint, its language or the file is not usable, or the engine failed.
    """
    model = model_of(arguments, home, CHECKPOINT)
    pcm = read_wav(arguments.file)
    from pipeline.engines.qwen3_asr.setup import read_folder

    read_folder(model.parent, model.name, arguments.language, "auto")
    load_s, heard = asyncio.run(_transcribe(pcm, arguments, model))
    print(f"{arguments.file}: {heard}; the model was loaded in {load_s:.1f} s", file=sys.stderr)


async def _transcribe(pcm: Pcm, arguments: argparse.Namespace, model: Path) -> tuple[float, TranscribeResult]:
    clock = asyncio.get_running_loop().time
    began = clock()
    engine = await _open(model, arguments)
    load_s = clock() - began
    try:
        return load_s, await transcribe(pcm, None, engine, print)
    finally:
        await engine.aclose()


async def _open(model: Path, arguments: argparse.Namespace) -> Engine[AsrInput, Transcript]:
    """For one utterance at a time."""
    told = engine_args("transcribe", arguments.dtype)
    told |= {"language": arguments.language, "context": arguments.context}
    from pipeline.engines.qwen3_asr.setup import open_qwen3_asr

    return await open_qwen3_asr(model.parent, model=model.name, max_sessions=1, **told)
