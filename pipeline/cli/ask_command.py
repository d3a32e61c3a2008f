"""What the command line says of `aura-pipeline ask`, and the engine that it opens."""

import argparse
import asyncio
import math
import sys
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pipeline.cli.ask import AskResult, ask
from pipeline.cli.converse_command import add_sound, run_converse, wants_sound
from pipeline.cli.offline import add_model, engine_args, misplaced, model_of
from pipeline.engines.aura.prompt import LIMITS
from pipeline.engines.base import Engine
from pipeline.errors import ConfigError
from pipeline.media.video_chunk import VideoChunk
from pipeline.vision.video_file import film_of

CHECKPOINT = "AURA"  # as it is published


def add_ask(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("ask", help="ask an AURA checkpoint about a video, or anything")
    parser.add_argument("--text", default="", help="the question (none: it says something if that is needed)")
    parser.add_argument("--video", type=Path, metavar="FILE", help="what the camera shows until the question ends")
    add_model(parser, CHECKPOINT)
    add_sound(parser)
    parser.add_argument("--temperature", type=_temperature, metavar="T", help="0 takes the likeliest words (0)")


def run_ask(arguments: argparse.Namespace, home: Path) -> None:
    """
    Raises:
        AuraError: The checkpoint, the question or the video is not usable, or the engine failed.
    """
    if faults := _faults(arguments):
        raise ConfigError("ask", faults)
    if wants_sound(arguments):
        return run_converse(arguments, home)
    model = model_of(arguments, home, CHECKPOINT)
    answered = asyncio.run(_ask(arguments, model, film_of(arguments.video)))
    print("" if answered.text else "(silent)", flush=True)
    print(answered, file=sys.stderr)


def _faults(arguments: argparse.Namespace) -> list[str]:
    """What cannot be asked together."""
    if wants_sound(arguments):
        why = "is for AURA alone: with --audio or --out the whole pipeline answers"
        faults = misplaced(arguments, ("model", "dtype", "temperature"), why)
    else:
        why = "is for the whole pipeline, which answers with --audio or --out"
        faults = misplaced(arguments, ("stage_configs_path", "language"), why)
    text = arguments.text.strip()
    if text and arguments.audio:
        faults.append("--audio and --text are two questions")
    if not (text or arguments.audio or arguments.video):
        faults.append("there is neither --text nor --audio nor --video")
    if (size := LIMITS.count(text)) > LIMITS.item_tokens:
        faults.append(f"--text has {size:,} bytes, and there is room for {LIMITS.item_tokens:,}")
    return faults


async def _ask(arguments: argparse.Namespace, model: Path, film: Iterable[VideoChunk]) -> AskResult:
    async with aura_of(model, arguments.dtype, arguments.temperature or 0.0) as aura:
        return await ask(arguments.text.strip(), film, aura, LIMITS, _emit)


@asynccontextmanager
async def aura_of(model: Path, dtype: str | None, temperature: float) -> AsyncGenerator[Engine[Any, Any], None]:
    """The engine of a checkpoint, for one caller at a time."""
    told = engine_args("ask", dtype, skip_mm_profiling=True, kv_cache_memory_bytes=1 << 30)
    from pipeline.engines.aura.setup import open_aura
    from pipeline.engines.vllm.sampling_defaults import SamplingDefaults

    aura = await open_aura(
        model.parent, model=model.name, max_sessions=1, sampling_defaults=SamplingDefaults(temperature), **told
    )
    try:
        yield aura
    finally:
        await aura.aclose()


def _temperature(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 2:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 2")
    return value


def _emit(text: str) -> None:
    print(text, end="", flush=True)
