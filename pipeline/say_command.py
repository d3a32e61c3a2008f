"""What the command line says of `aura-pipeline say`, and the engines that it opens."""

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from pipeline.chunks import Clause
from pipeline.errors import ConfigError, RequestError
from pipeline.models.qwen3_tts.text import spoken
from pipeline.processors.codec_chunks import Ramp
from pipeline.say import Said, Voice, say


def add_say(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("say", help="speak a text into a WAV file, with a Qwen3-TTS checkpoint")
    parser.add_argument("text", metavar="TEXT")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="FILE", help="the WAV file to write")
    parser.add_argument("--model", type=Path, required=True, metavar="DIR", help="folder of the checkpoint")
    parser.add_argument("--voice", default="", help="a speaker of the checkpoint (its first)")
    parser.add_argument("--language", default="auto", help="a language or dialect of the checkpoint (as it hears it)")
    parser.add_argument("--instructions", default="", help="in words, how to speak")
    parser.add_argument("--dtype", default="", help="of the weights (bfloat16 on a GPU, float32 without one)")


def run_say(arguments: argparse.Namespace) -> None:
    """
    Raises:
        AuraError: The checkpoint, the text or the file is not usable, or an engine failed.
    """
    if not arguments.model.is_dir():
        raise ConfigError("--model", [f"{arguments.model} is no folder"])
    if not spoken(arguments.text):
        raise RequestError("invalid_value", "text: there is nothing in it that can be spoken", "text")
    out, folder = arguments.out, arguments.out.parent
    if out.is_dir() or not os.access(out if out.exists() else folder, os.W_OK):
        raise RequestError("invalid_value", f"out: {out} cannot be written", "out")
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")  # vLLM reads it from the environment only
    said = asyncio.run(_say(arguments))
    _tell(f"{arguments.out}: {said}", ends=True)


async def _say(arguments: argparse.Namespace) -> Said:
    manner = Clause("", arguments.voice, language=arguments.language, instructions=arguments.instructions)
    async with voice_of(arguments.model, arguments.dtype, manner) as voice:
        return await say(arguments.text, manner, voice, arguments.out, lambda said: _tell(str(said)))


@asynccontextmanager
async def voice_of(model: Path, dtype: str, manner: Clause) -> AsyncGenerator[Voice, None]:
    """Both engines of a checkpoint that can speak in that manner, for one request at a time."""
    try:
        import torch

        from pipeline.engines.code2wav import Code2Wav
        from pipeline.engines.talker import voice_in
        from pipeline.engines.talker_setup import open_talker, read_checkpoint
    except ImportError as error:
        raise ConfigError("say", [f"needs the extra `vllm`: {error}"]) from error
    read_checkpoint(model).writer.check(voice_in(manner))
    _tell("starting the voice …")
    on_gpu = torch.cuda.is_available()
    on_cpu: dict[str, Any] = {"enforce_eager": True, "block_size": 32, "distributed_executor_backend": "uni"}
    async with AsyncExitStack() as engines:
        code2wav = await Code2Wav.open(model, ramp=Ramp(), slots=1)
        engines.push_async_callback(code2wav.aclose)
        talker = await open_talker(
            model.parent,
            model=model.name,
            max_sessions=1,
            dtype=dtype or ("bfloat16" if on_gpu else "float32"),
            **({} if on_gpu else on_cpu),
        )
        engines.push_async_callback(talker.aclose)
        yield Voice(talker, code2wav)


def _tell(line: str, *, ends: bool = False) -> None:
    """On a terminal one line that changes; elsewhere only how it ended."""
    if sys.stderr.isatty():
        print(f"\r{line}\x1b[K", end="\n" if ends else "", file=sys.stderr, flush=True)
    elif ends:
        print(line, file=sys.stderr)
