"""`aura-pipeline say`: a text becomes a WAV file, spoken by the voice of a checkpoint."""

import argparse
import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.asking.stages import checkpoint_args, run_offline, some_stages
from pipeline.cli.offline import check_out
from pipeline.cli.options import add_model, misplaced, model_of
from pipeline.errors import ConfigError, RequestError
from pipeline.media.wav import speech_file
from pipeline.models.qwen3_tts.text import spoken
from pipeline.runtime.profiles import EMBEDDED, PROFILES
from pipeline.topology.processors.clauses import ClauseSplitter
from pipeline.turns.stage import Stage
from pipeline.types.chunks import AudioChunk, Clause, TurnId
from pipeline.types.turn_request import ResponseOptions, TurnRequest

CHECKPOINT = "Qwen3-TTS-12Hz-1.7B-CustomVoice"  # as it is published
OF_CHECKPOINTS = ("model", "model_dir", "dtype", "voice", "language", "instructions")
NAME = "say"


def add_say(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command and its options."""
    parser = commands.add_parser(NAME, help="speak a text into a WAV file")
    parser.add_argument("text", metavar="TEXT")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="FILE", help="the WAV file to write")
    add_model(parser, CHECKPOINT)
    parser.add_argument("--embedded", action="store_true", help="with the voice of the embedded profile instead")
    parser.add_argument("--voice", help="a speaker of the checkpoint (its first)")
    parser.add_argument("--language", help="a language or dialect of the checkpoint (auto: as it hears it)")
    parser.add_argument("--instructions", metavar="WORDS", help="how to speak")


def run_say(arguments: argparse.Namespace, home: Path) -> None:
    """Speaks the text, and tells how long that took.

    Args:
        home: Where the models are, in `models/`.

    Raises:
        AuraError: The checkpoint, the text or the file is not usable, or an engine failed.
    """
    if arguments.embedded and (faults := misplaced(arguments, OF_CHECKPOINTS, "says nothing beside --embedded")):
        raise ConfigError(NAME, faults)
    model = None if arguments.embedded else model_of(arguments, home, CHECKPOINT)
    if not spoken(arguments.text):
        raise RequestError("invalid_value", "text: there is nothing in it that can be spoken", "text")
    check_out(arguments.out)
    said = asyncio.run(_say(arguments, model))
    _emit(f"{arguments.out}: {said}", ends=True)


async def _say(arguments: argparse.Namespace, model: Path | None) -> "SayResult":
    language, instructions = arguments.language or "auto", arguments.instructions or ""
    manner = Clause("", arguments.voice or "", language=language, instructions=instructions)
    if model is None:
        opening = some_stages(PROFILES[EMBEDDED], Path(), {"tts": {}})
    else:
        talker = checkpoint_args(NAME, model, arguments.dtype) | {"use_tqdm_on_load": False}
        from pipeline.engines.qwen3_tts.engine import voice_in
        from pipeline.engines.qwen3_tts.setup import read_writer

        read_writer(model).check(voice_in(manner))
        told = {"qwen3_tts": talker, "code2wav": {"model": model.name}}
        opening = some_stages(PROFILES["vllm"], model.parent, told)
        _emit("starting the voice …")
    async with opening as stages:
        return await say(arguments.text, manner, stages.answer, arguments.out, _emit)


def _emit(line: object, *, ends: bool = False) -> None:
    """Writes one line that changes, on a terminal; elsewhere only how it ended."""
    if sys.stderr.isatty():
        print(f"\r{line}\x1b[K", end="\n" if ends else "", file=sys.stderr, flush=True)
    elif ends:
        print(line, file=sys.stderr)


@dataclass(frozen=True, slots=True)
class SayResult:
    """Tells how far a text has been spoken.

    Attributes:
        sound_s: Of speech.
        first_s: From the text to its first sound.
        taken_s: So far.
    """

    sound_s: float
    first_s: float
    taken_s: float

    def __str__(self) -> str:
        factor = self.taken_s / self.sound_s if self.sound_s else 0.0
        first_ms = self.first_s * 1000
        return f"{self.sound_s:.1f} s of speech, the first after {first_ms:.0f} ms, real-time factor {factor:.2f}"


async def say(
    text: str, manner: Clause, voice: tuple[Stage[Any, Any], ...], out: Path, emit: Callable[[SayResult], None]
) -> SayResult:
    """Speak `text` into a file: PCM16, 24 kHz mono.

    Args:
        manner: Its voice, language and instructions are those of all that is said.
        voice: The stages that make sound of clauses.
        emit: Is told after each piece.

    Raises:
        RequestError: There is nothing to speak in it, or the file cannot be written.
        EngineError: The voice failed; what was spoken before is in the file.
    """
    clock = asyncio.get_running_loop().time
    began, said = clock(), SayResult(0.0, 0.0, 0.0)
    speaker, *others = voice
    stages = (replace(speaker, process=partial(_clauses, manner)), *others)
    request = TurnRequest(response_options=ResponseOptions(say=text))
    try:
        with speech_file(out) as file:

            def write(audio: object) -> None:
                nonlocal said
                if isinstance(audio, AudioChunk):
                    file.writeframes(audio.pcm)
                    taken_s = clock() - began
                    first_s = said.first_s or (taken_s if audio.pcm else 0.0)
                    said = SayResult(said.sound_s + audio.duration_ms / 1000, first_s, taken_s)
                    emit(said)

            await run_offline(TurnId(NAME, 0), request, stages, write)
    except OSError as error:
        raise RequestError("invalid_value", f"out: {out} cannot be written: {error.strerror}", "out") from error
    if not said.sound_s:
        raise RequestError("invalid_value", "text: there is nothing in it that can be spoken", "text")
    return said


async def _clauses(
    manner: Clause, inbox: AsyncIterator[TurnRequest], request: TurnRequest
) -> AsyncGenerator[Clause, None]:
    clauses = ClauseSplitter()
    async for each in inbox:
        for piece in (*clauses.feed(each.response_options.say or ""), *clauses.finish()):
            yield replace(manner, text=piece)
