"""`aura-pipeline say`: a text becomes a WAV file, spoken by the voice of a checkpoint."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from pipeline.engines.base import Engine
from pipeline.errors import RequestError
from pipeline.media.wav import speech_file
from pipeline.topology.processors.clauses import ClauseSplitter
from pipeline.topology.processors.handover import talker2code2wav_async_chunk
from pipeline.types.chunks import AudioChunk, Clause, CodecChunk
from pipeline.types.turn_request import TurnRequest


@dataclass(frozen=True, slots=True)
class VoiceEngines:
    """The two engines that make sound of clauses."""

    talker: Engine[Clause, CodecChunk]
    code2wav: Engine[CodecChunk, AudioChunk]


@dataclass(frozen=True, slots=True)
class SayResult:
    """How far a text has been spoken.

    Attributes:
        sound_s: Of speech.
        first_s: From the text to its first sound.
        taken_s: So far.
    """

    sound_s: float
    first_s: float
    taken_s: float

    @property
    def real_time_factor(self) -> float:
        """Seconds of work for a second of speech."""
        return self.taken_s / self.sound_s if self.sound_s else 0.0

    def __str__(self) -> str:
        return (
            f"{self.sound_s:.1f} s of speech, the first after {self.first_s * 1000:.0f} ms, "
            f"real-time factor {self.real_time_factor:.2f}"
        )


async def say(
    text: str,
    engine_settings: Clause,
    voice: VoiceEngines | Engine[Clause, AudioChunk],
    out: Path,
    emit: Callable[[SayResult], None],
) -> SayResult:
    """Speak `text` into a file: PCM16, 24 kHz mono.

    Args:
        engine_settings: Its voice, language and instructions are those of all that is said.
        emit: Is told after each piece.

    Raises:
        RequestError: There is nothing to speak in it, or the file cannot be written.
        EngineError: The voice failed; what was spoken before is in the file.
    """
    clock = asyncio.get_running_loop().time
    began, said = clock(), SayResult(0.0, 0.0, 0.0)
    chunks = _spoken(text, engine_settings, voice)
    try:
        with speech_file(out) as file:
            async with aclosing(chunks):
                async for audio in chunks:
                    file.writeframes(audio.pcm)
                    taken_s = clock() - began
                    first_s = said.first_s or (taken_s if audio.pcm else 0.0)
                    said = SayResult(said.sound_s + audio.duration_ms / 1000, first_s, taken_s)
                    emit(said)
    except OSError as error:
        raise RequestError("invalid_value", f"out: {out} cannot be written: {error.strerror}", "out") from error
    if not said.sound_s:
        raise RequestError("invalid_value", "text: there is nothing in it that can be spoken", "text")
    return said


async def _spoken(
    text: str, engine_settings: Clause, voice: VoiceEngines | Engine[Clause, AudioChunk]
) -> AsyncGenerator[AudioChunk, None]:
    if not isinstance(voice, VoiceEngines):
        async with aclosing(voice.generate("say", _clauses(text, engine_settings))) as spoken:
            async for audio in spoken:
                yield audio
        return
    codes = voice.talker.generate("say", _clauses(text, engine_settings))
    chunks = talker2code2wav_async_chunk(codes, TurnRequest())
    sound = voice.code2wav.generate("say", chunks)
    async with aclosing(codes), aclosing(chunks), aclosing(sound):
        async for audio in sound:
            yield audio


async def _clauses(text: str, engine_settings: Clause) -> AsyncGenerator[Clause, None]:
    clauses = ClauseSplitter()
    for piece in (*clauses.feed(text), *clauses.finish()):
        yield Clause(
            piece, engine_settings.voice, engine_settings.speed, engine_settings.language, engine_settings.instructions
        )
