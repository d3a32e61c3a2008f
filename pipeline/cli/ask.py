"""`aura-pipeline ask`: what AURA, or the whole pipeline, answers to a question, a video, or both."""

import argparse
import asyncio
import math
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from pipeline.asking.question import NAME, AskResult, ask
from pipeline.asking.stages import OfflineStages, checkpoint_args, some_stages
from pipeline.cli.offline import check_out
from pipeline.cli.options import add_model, misplaced, model_of
from pipeline.deployment.loading import Deployment, read_deployment
from pipeline.engines.aura.prompt import LIMITS
from pipeline.errors import ConfigError
from pipeline.media.segmentation import Pcm
from pipeline.media.video_chunk import VideoChunk
from pipeline.media.wav import read_wav, speech_file
from pipeline.models.qwen3_asr.languages import AUTO
from pipeline.runtime.checks.gpus import gpu_bytes
from pipeline.runtime.checks.preflight import preflight
from pipeline.runtime.orchestrator import running
from pipeline.runtime.profiles import PROFILES
from pipeline.vision.video_file import film_of

CHECKPOINT = "AURA"  # as it is published
CPU_CACHE_BYTES = 1 << 30


def add_ask(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command and its options."""
    parser = commands.add_parser(NAME, help="ask an AURA checkpoint about a video, or anything")
    parser.add_argument("--text", default="", help="the question (none: it says something if that is needed)")
    parser.add_argument("--video", type=Path, metavar="FILE", help="what the camera shows until the question ends")
    add_model(parser, CHECKPOINT)
    sound = parser.add_argument_group("with sound, the whole pipeline answers")
    sound.add_argument("--audio", type=Path, metavar="FILE", help="the question, in place of --text")
    sound.add_argument("-o", "--out", type=Path, metavar="FILE", help="the WAV file for the answer")
    spoken = "of the question: a code such as `en`, or a name (auto: as it hears it)"
    sound.add_argument("--language", help=spoken)
    sound.add_argument("--stage-configs-path", type=Path, metavar="FILE", help="stage configuration (for 80 GB)")
    parser.add_argument("--temperature", type=_temperature, metavar="T", help="0 takes the likeliest words (0)")


def run_ask(arguments: argparse.Namespace, home: Path, visible_gpus: str | None = None) -> None:
    """Asks, and tells the answer and how long it took.

    Args:
        home: Where the models are, in `models/`.
        visible_gpus: `CUDA_VISIBLE_DEVICES`.

    Raises:
        AuraError: A file, the question, the deployment or a checkpoint is not usable, or a stage failed.
    """
    if faults := _faults(arguments):
        raise ConfigError(NAME, faults)
    model = None if _wants_sound(arguments) else model_of(arguments, home, CHECKPOINT)
    film = film_of(arguments.video)
    if arguments.out:
        check_out(arguments.out)
    question = read_wav(arguments.audio) if arguments.audio else arguments.text.strip()
    models_dir = arguments.model_dir or home / "models"
    answered = asyncio.run(_ask(arguments, model, models_dir, film, question, visible_gpus))
    print("" if answered.text else "(silent)", flush=True)
    if arguments.out:
        with speech_file(arguments.out) as file:
            file.writeframes(answered.pcm)
    seen = [answered.video] if model else []
    print("; ".join(filter(None, [*seen, str(answered)])), file=sys.stderr)


def _wants_sound(arguments: argparse.Namespace) -> bool:
    return arguments.audio is not None or arguments.out is not None


def _faults(arguments: argparse.Namespace) -> list[str]:
    """Lists what cannot be asked together."""
    if _wants_sound(arguments):
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


def _temperature(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 2:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 2")
    return value


async def _ask(
    arguments: argparse.Namespace,
    model: Path | None,
    models_dir: Path,
    film: Iterable[VideoChunk],
    question: str | Pcm,
    visible_gpus: str | None,
) -> AskResult:
    """Asks that checkpoint; or without one the whole pipeline, once its deployment has been looked at."""
    profile = PROFILES["vllm"]
    if model:
        told = checkpoint_args(NAME, model, arguments.dtype, kv_cache_memory_bytes=CPU_CACHE_BYTES)
        drawn = {"temperature": arguments.temperature or 0.0}
        async with some_stages(profile, model.parent, {"aura": told}, drawn) as stages:
            return await ask(stages, film, question, _emit_text, _emit_heard)
    language = None if arguments.language == AUTO else arguments.language
    path = arguments.stage_configs_path or profile.deployment
    deployment = heard_in(language, read_deployment(path, profile.topology, profile.engine_keys(models_dir)))
    preflight(str(path), profile, deployment, models_dir, gpu_bytes(visible_gpus))
    async with running(profile, deployment, models_dir) as pipeline:
        return await ask(OfflineStages.of(pipeline.stages), film, question, _emit_text, _emit_heard, language)


def heard_in(language: str | None, deployment: Deployment) -> Deployment:
    """Has the recogniser, the first stage, hear that language: one that it lacks is told before it is loaded."""
    if language is None:
        return deployment
    recogniser, *others = deployment.stages
    recogniser = replace(recogniser, engine_args={**recogniser.engine_args, "language": language})
    return replace(deployment, stages=(recogniser, *others))


def _emit_text(text: str) -> None:
    print(text, end="", flush=True)


def _emit_heard(heard: str) -> None:
    print(f"heard: {heard}", file=sys.stderr)
