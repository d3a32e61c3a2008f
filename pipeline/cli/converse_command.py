"""What the command line says of `aura-pipeline ask` with sound: the whole chain, from one file to another."""

import argparse
import asyncio
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from pipeline.cli.converse import SpokenAnswer, converse
from pipeline.cli.offline import check_out
from pipeline.deployment.loading import Deployment, read_deployment
from pipeline.media.segmentation import Pcm
from pipeline.media.video_chunk import VideoChunk
from pipeline.media.wav import read_wav, speech_file
from pipeline.models.qwen3_asr.languages import AUTO
from pipeline.runtime.gpus import gpu_bytes
from pipeline.vision.video_file import film_of

PROFILE = "vllm"


def add_sound(parser: argparse.ArgumentParser) -> None:
    sound = parser.add_argument_group("with sound, the whole pipeline answers")
    sound.add_argument("--audio", type=Path, metavar="FILE", help="the question, in place of --text")
    sound.add_argument("-o", "--out", type=Path, metavar="FILE", help="the WAV file for the answer")
    spoken = "of the question: a code such as `en`, or a name (auto: as it hears it)"
    sound.add_argument("--language", help=spoken)
    sound.add_argument("--stage-configs-path", type=Path, metavar="FILE", help="stage configuration (for 80 GB)")


def wants_sound(arguments: argparse.Namespace) -> bool:
    return arguments.audio is not None or arguments.out is not None


def run_converse(arguments: argparse.Namespace, home: Path) -> None:
    """
    Raises:
        AuraError: A file, the deployment or a checkpoint is not usable, or a stage failed.
    """
    film = film_of(arguments.video)
    if arguments.out:
        check_out(arguments.out)
    question = read_wav(arguments.audio) if arguments.audio else arguments.text.strip()
    spoken = asyncio.run(_converse(arguments, arguments.model_dir or home / "models", film, question))
    print(spoken.text or "(silent)")
    if arguments.out:
        with speech_file(arguments.out) as file:
            file.writeframes(spoken.pcm)
    print(spoken, file=sys.stderr)


async def _converse(
    arguments: argparse.Namespace, models_dir: Path, film: Iterable[VideoChunk], question: str | Pcm
) -> SpokenAnswer:
    from pipeline.runtime.orchestrator import running
    from pipeline.runtime.preflight import preflight
    from pipeline.runtime.profiles import PROFILES

    profile = PROFILES[PROFILE]
    path = arguments.stage_configs_path or profile.deployment
    language = None if arguments.language == AUTO else arguments.language
    deployment = heard_in(language, read_deployment(path, profile.topology, profile.engine_keys(models_dir)))
    preflight(str(path), profile, deployment, models_dir, gpu_bytes())
    async with running(profile, deployment, models_dir) as pipeline:
        return await converse(pipeline.stages, film, question, _emit, language)


def heard_in(language: str | None, deployment: Deployment) -> Deployment:
    """The same, but the first stage hears that language: one that it lacks is told before it is loaded."""
    if language is None:
        return deployment
    vad, *others = deployment.stages
    vad = replace(vad, engine_args={**vad.engine_args, "language": language})
    return replace(deployment, stages=(vad, *others))


def _emit(heard: str) -> None:
    print(f"heard: {heard}", file=sys.stderr)
