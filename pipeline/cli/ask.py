"""`aura-pipeline ask`: what AURA, or the whole pipeline, answers to a question, a video, or both."""

import argparse
import asyncio
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.cli.offline import OfflineStages, check_out, checkpoint_args, ignore, run_offline, some_stages
from pipeline.cli.options import add_model, misplaced, model_of
from pipeline.cli.transcribe import transcribe
from pipeline.context.window import cut, in_bytes, is_due
from pipeline.deployment.loading import Deployment, read_deployment
from pipeline.engines.aura.prompt import LIMITS
from pipeline.errors import ConfigError
from pipeline.media.segmentation import Pcm
from pipeline.media.spoken_sound import SpokenSound
from pipeline.media.video_chunk import VideoChunk
from pipeline.media.wav import read_wav, speech_file
from pipeline.models.qwen3_asr.languages import AUTO
from pipeline.runtime.gpus import gpu_bytes
from pipeline.runtime.orchestrator import running
from pipeline.runtime.preflight import preflight
from pipeline.runtime.profiles import PROFILES
from pipeline.types.chunks import AudioChunk, TextChunk, TurnId
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest
from pipeline.vision.video_file import film_of

CHECKPOINT = "AURA"  # as it is published
NAME = "ask"
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


def run_ask(arguments: argparse.Namespace, home: Path) -> None:
    """Asks, and tells the answer and how long it took.

    Args:
        home: Where the models are, in `models/`.

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
    answered = asyncio.run(_ask(arguments, model, arguments.model_dir or home / "models", film, question))
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
    arguments: argparse.Namespace, model: Path | None, models_dir: Path, film: Iterable[VideoChunk], question: str | Pcm
) -> "AskResult":
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
    preflight(str(path), profile, deployment, models_dir, gpu_bytes())
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


@dataclass(frozen=True, slots=True)
class AskResult:
    """Tells what was answered, and how long that took.

    Attributes:
        question: As it was heard, or written.
        text: Empty: the model was silent.
        pcm: PCM16, 24 kHz mono.
        prefill_ms: For each second of video, read when it was over.
        remembered: Seconds of video that the model saw when it answered.
        unseen: Bytes of a long question, from its beginning, that the model did not see.
        first_ms: From the question's end to the first "words" and the first "sound", if there are any.
        taken_ms: From there to the end.
    """

    question: str
    text: str
    pcm: bytes
    prefill_ms: tuple[float, ...]
    remembered: int
    unseen: int
    first_ms: Mapping[str, float]
    taken_ms: float

    @property
    def video(self) -> str:
        """Tells how the video was read; empty: there was none."""
        if not self.prefill_ms:
            return ""
        seconds, middle = len(self.prefill_ms), sorted(self.prefill_ms)[len(self.prefill_ms) // 2]
        return f"{seconds} s of video ({self.remembered} remembered), {middle:.0f} ms for a second (median)"

    def __str__(self) -> str:
        said = [f"first {what} after {ms:.0f} ms" for what, ms in self.first_ms.items()]
        if self.unseen:
            said.insert(0, f"of the question the first {self.unseen:,} bytes had no room")
        return ", ".join([*said, f"{self.taken_ms:.0f} ms in all"])


async def ask(
    stages: OfflineStages,
    film: Iterable[VideoChunk],
    question: str | Pcm,
    emit: Callable[[str], None],
    emit_heard: Callable[[str], None],
    language: str | None = None,
) -> AskResult:
    """Show it a film second by second, as a camera would, and ask at the end.

    Args:
        question: Sound (float32, 16 kHz mono) or text; empty text: only what is seen may be worth an answer.
        emit: Is told each piece of the answer.
        emit_heard: Is told what was heard of a question.
        language: Of the question, a code or a name; None: it is detected.

    Raises:
        RequestError: There is no sound in the question.
        EngineError: A stage failed.
    """
    clock, limits = asyncio.get_running_loop().time, stages.limits
    options = ResponseOptions(language=language, cache_salt=NAME)
    history, prefill_ms = History(), list[float]()
    for epoch, clip in enumerate(film):
        history = history.with_video_turn(clip)
        if is_due(history, limits):
            history = history.cut(cut(history, limits))
        began, request = clock(), TurnRequest(history, options).unfinished()
        await run_offline(TurnId(NAME, epoch), request, stages.prefill, ignore)
        prefill_ms.append(1_000 * (clock() - began))
    tail_s, unseen, sound = 0.0, 0, None
    if not isinstance(question, str):
        sound = SpokenSound("question", len(question), question) if stages.hears else None
    if not isinstance(question, str) and stages.recogniser:
        heard = await transcribe(question, language, stages.recogniser, emit_heard)
        question, tail_s = heard.text, heard.tail_s
    question = question if isinstance(question, str) else ""
    if question.strip() or sound:
        item = Item("question", "user", question, sound=sound)
        history = history.with_item(item)
        unseen = in_bytes(question.strip()) - in_bytes(limits.text(item))
    began, told, pcm = clock() - tail_s, list[str](), bytearray()
    firsts: dict[str, float] = {}

    def write(chunk: object) -> None:
        match chunk:
            case TextChunk(text) if text:
                firsts.setdefault("words", 1_000 * (clock() - began))
                told.append(text)
                emit(text)
            case AudioChunk(sound) if sound:
                firsts.setdefault("sound", 1_000 * (clock() - began))
                pcm.extend(sound)

    await run_offline(TurnId(NAME, len(prefill_ms)), TurnRequest(history, options), stages.answer, write)
    taken_ms, remembered = 1_000 * (clock() - began), len(history.video_turns)
    return AskResult(question, "".join(told), bytes(pcm), tuple(prefill_ms), remembered, unseen, firsts, taken_ms)
