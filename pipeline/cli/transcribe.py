"""`aura-pipeline transcribe`: what is said in a sound, heard piece by piece as if it were being spoken."""

import argparse
import asyncio
import sys
from pathlib import Path

from pipeline.asking.stages import checkpoint_args, some_stages
from pipeline.asking.transcription import TranscribeResult, transcribe
from pipeline.cli.options import add_model, model_of
from pipeline.media.segmentation import Pcm
from pipeline.media.wav import read_wav
from pipeline.models.qwen3_asr.languages import AUTO
from pipeline.runtime.profiles import PROFILES

CHECKPOINT = "Qwen3-ASR-1.7B"  # as it is published


def add_transcribe(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command and its options."""
    parser = commands.add_parser("transcribe", help="write down what a WAV file says, with a Qwen3-ASR checkpoint")
    parser.add_argument("file", type=Path, metavar="FILE", help="any rate, any number of channels")
    add_model(parser, CHECKPOINT)
    parser.add_argument("--language", default=AUTO, help="a code such as `en`, or a name (auto: as it hears it)")
    parser.add_argument("--context", default="", help="words that may be said, such as names")


def run_transcribe(arguments: argparse.Namespace, home: Path) -> None:
    """Writes down what the file says, and tells how long that took.

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
    told = checkpoint_args("transcribe", model, arguments.dtype)
    told |= {"language": arguments.language, "context": arguments.context}
    async with some_stages(PROFILES["vllm"], model.parent, {"asr": told}) as stages:
        assert stages.recogniser
        return stages.seconds["asr"], await transcribe(pcm, None, stages.recogniser, print)
