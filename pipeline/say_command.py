"""What the command line says of `aura-pipeline say`, and the engines that it opens."""

import argparse
import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from pipeline.chunks import Audio, Clause
from pipeline.engines.base import Engine
from pipeline.engines.hibari import Hibari
from pipeline.errors import ConfigError, RequestError
from pipeline.processors.codec_chunks import Ramp
from pipeline.say import Said, Voice, say


def add_say(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("say", help="speak a text into a WAV file")
    parser.add_argument("text", metavar="TEXT")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="FILE", help="the WAV file to write")
    parser.add_argument(
        "--model", type=Path, metavar="DIR", help="folder of a Qwen3-TTS checkpoint (the voice of the embedded profile)"
    )
    parser.add_argument("--voice", default="", help="a speaker of the checkpoint (its first)")
    parser.add_argument("--language", default="auto", help="a language or dialect of the checkpoint (as it hears it)")
    parser.add_argument("--instructions", default="", help="in words, how to speak")
    parser.add_argument("--dtype", default="", help="of the weights (bfloat16 on a GPU, float32 without one)")


def run_say(arguments: argparse.Namespace) -> None:
    """
    Raises:
        AuraError: The checkpoint, the text or the file is not usable, or an engine failed.
    """
    if arguments.model and not arguments.model.is_dir():
        raise ConfigError("--model", [f"{arguments.model} is no folder"])
    if not arguments.text.strip():
        raise RequestError("invalid_value", "text: it is empty", "text")
    said = asyncio.run(_say(arguments))
    print(f"\r{arguments.out}: {said}\x1b[K" if sys.stderr.isatty() else f"{arguments.out}: {said}", file=sys.stderr)


async def _say(arguments: argparse.Namespace) -> Said:
    manner = Clause("", arguments.voice, language=arguments.language, instructions=arguments.instructions)
    async with voice_of(arguments.model, arguments.dtype) as voice:
        return await say(arguments.text, manner, voice, arguments.out, _show if sys.stderr.isatty() else _hush)


@asynccontextmanager
async def voice_of(model: Path | None, dtype: str) -> AsyncGenerator[Voice | Engine[Clause, Audio], None]:
    """Both engines of a checkpoint, for one request at a time; or the one of the embedded profile."""
    if model is None:
        hibari = await Hibari.open()
        try:
            yield hibari
        finally:
            await hibari.aclose()
        return
    try:
        import torch

        from pipeline.engines.code2wav import Code2Wav
        from pipeline.engines.talker_setup import open_talker
    except ImportError as error:
        raise ConfigError("say", [f"needs the extra `vllm`: {error}"]) from error
    on_gpu = torch.cuda.is_available()
    on_cpu: dict[str, Any] = {"enforce_eager": True, "block_size": 32, "distributed_executor_backend": "uni"}
    async with AsyncExitStack() as engines:
        talker = await open_talker(
            model.parent,
            model=model.name,
            max_sessions=1,
            dtype=dtype or ("bfloat16" if on_gpu else "float32"),
            **({} if on_gpu else on_cpu),
        )
        engines.push_async_callback(talker.aclose)
        code2wav = await Code2Wav.open(model, ramp=Ramp(), slots=1)
        engines.push_async_callback(code2wav.aclose)
        yield Voice(talker, code2wav)


def _show(said: Said) -> None:
    print(f"\r{said}", end="", file=sys.stderr, flush=True)


def _hush(said: Said) -> None:
    """Nobody looks."""
