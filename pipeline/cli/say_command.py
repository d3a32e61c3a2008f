"""What the command line says of `aura-pipeline say`, and the engines that it opens."""

import argparse
import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from pipeline.cli.offline import add_model, check_out, engine_args, misplaced, model_of
from pipeline.cli.say import SayResult, VoiceEngines, say
from pipeline.engines.base import Engine
from pipeline.engines.code2wav.chunk_ramp import ChunkRamp
from pipeline.errors import ConfigError, RequestError
from pipeline.models.qwen3_tts.text import spoken
from pipeline.types.chunks import AudioChunk, Clause

CHECKPOINT = "Qwen3-TTS-12Hz-1.7B-CustomVoice"  # as it is published
OF_CHECKPOINTS = ("model", "model_dir", "dtype", "voice", "language", "instructions")


def add_say(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("say", help="speak a text into a WAV file")
    parser.add_argument("text", metavar="TEXT")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="FILE", help="the WAV file to write")
    add_model(parser, CHECKPOINT)
    parser.add_argument("--embedded", action="store_true", help="with the voice of the embedded profile instead")
    parser.add_argument("--voice", help="a speaker of the checkpoint (its first)")
    parser.add_argument("--language", help="a language or dialect of the checkpoint (auto: as it hears it)")
    parser.add_argument("--instructions", metavar="WORDS", help="how to speak")


def run_say(arguments: argparse.Namespace, home: Path) -> None:
    """
    Args:
        home: Where the models are, in `models/`.

    Raises:
        AuraError: The checkpoint, the text or the file is not usable, or an engine failed.
    """
    if arguments.embedded and (faults := misplaced(arguments, OF_CHECKPOINTS, "says nothing beside --embedded")):
        raise ConfigError("say", faults)
    model = None if arguments.embedded else model_of(arguments, home, CHECKPOINT)
    if not spoken(arguments.text):
        raise RequestError("invalid_value", "text: there is nothing in it that can be spoken", "text")
    check_out(arguments.out)
    said = asyncio.run(_say(arguments, model))
    _emit(f"{arguments.out}: {said}", ends=True)


async def _say(arguments: argparse.Namespace, model: Path | None) -> SayResult:
    language, instructions = arguments.language or "auto", arguments.instructions or ""
    engine_settings = Clause("", arguments.voice or "", language=language, instructions=instructions)
    opened = embedded_voice() if model is None else voice_of(model, arguments.dtype, engine_settings)
    async with opened as voice:
        return await say(arguments.text, engine_settings, voice, arguments.out, lambda said: _emit(str(said)))


@asynccontextmanager
async def embedded_voice() -> AsyncGenerator[Engine[Clause, AudioChunk], None]:
    from pipeline.engines.hibari.engine import HibariEngine

    hibari = await HibariEngine.open()
    try:
        yield hibari
    finally:
        await hibari.aclose()


@asynccontextmanager
async def voice_of(model: Path, dtype: str | None, engine_settings: Clause) -> AsyncGenerator[VoiceEngines, None]:
    """Both engines of a checkpoint that can speak in that manner, for one request at a time."""
    told = engine_args("say", dtype)
    from pipeline.engines.code2wav.engine import Code2WavEngine
    from pipeline.engines.qwen3_tts.engine import voice_in
    from pipeline.engines.qwen3_tts.setup import open_talker, read_writer

    read_writer(model).check(voice_in(engine_settings))
    _emit("starting the voice …")
    async with AsyncExitStack() as engines:
        code2wav = await Code2WavEngine.open(model, ramp=ChunkRamp(), slots=1)
        engines.push_async_callback(code2wav.aclose)
        talker = await open_talker(model.parent, model=model.name, max_sessions=1, use_tqdm_on_load=False, **told)
        engines.push_async_callback(talker.aclose)
        yield VoiceEngines(talker, code2wav)


def _emit(line: str, *, ends: bool = False) -> None:
    """On a terminal one line that changes; elsewhere only how it ended."""
    if sys.stderr.isatty():
        print(f"\r{line}\x1b[K", end="\n" if ends else "", file=sys.stderr, flush=True)
    elif ends:
        print(line, file=sys.stderr)
