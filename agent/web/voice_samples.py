"""Short samples of the pipeline's voices, each made once, one at a time, by the pipeline itself."""

import asyncio
import io
import wave
from base64 import b64decode
from collections import OrderedDict

from agent.persona.changes import PersonaChanges
from agent.persona.language import ENGLISH
from agent.persona.persona import AURA, Persona, Phrase
from agent.settings.agent import PipelineSettings
from pipeline.realtime.about import PipelineAbout
from pipeline.realtime.client import ConnectionLost, Event, connect

RATE = 24_000  # samples a second of PCM16, which a session speaks unless it asks for something else
LONGEST_S = 15.0  # of a sample; what comes after it is not waited for
KEPT_SAMPLES = 32  # of more, the oldest is made again


class SampleFailed(Exception):
    """The pipeline has not spoken the sample."""


class VoiceSamples:
    """Has voices say the greetings of personas.

    A sample takes a place of the pipeline while it is made, as a call does. So one is made at a time, and whoever asks
    for a voice again hears what was made first.

    Args:
        pipeline: Where the voices are, and the key that it asks for.
        made_within_s: One that is not complete by then is given up.
    """

    def __init__(self, pipeline: PipelineSettings, made_within_s: float = 30.0) -> None:
        self._pipeline, self._made_within_s = pipeline, made_within_s
        self._kept: OrderedDict[tuple[str, str, Phrase], bytes] = OrderedDict()
        self._one_at_a_time = asyncio.Lock()

    async def of(self, persona: Persona, voice: str, about: PipelineAbout) -> bytes:
        """How a persona greets with a voice, as a WAV file: PCM16, 24 kHz, mono.

        Args:
            about: What the pipeline says of itself now: another model's voice of the same name is another one.

        Raises:
            SampleFailed: It is not spoken.
            PipelineError: The pipeline cannot be talked to, or every place is taken.
        """
        phrase = _phrase(persona, about.voice_languages)
        key = (about.model, voice, phrase)
        async with self._one_at_a_time:
            if key not in self._kept:
                self._kept[key] = _wav(await self._spoken(voice, phrase, about))
                if len(self._kept) > KEPT_SAMPLES:
                    self._kept.popitem(last=False)
            return self._kept[key]

    async def _spoken(self, voice: str, phrase: Phrase, about: PipelineAbout) -> bytes:
        try:
            async with asyncio.timeout(self._made_within_s), connect(self._pipeline.url, self._pipeline.key) as session:
                await session.send(_request(voice, phrase, about))
                pcm = bytearray()
                async for event in session:
                    pcm += _sound(event)
                    if event["type"] == "response.done" or len(pcm) >= 2 * RATE * LONGEST_S:
                        break
        except TimeoutError as error:
            raise SampleFailed("it was not spoken in time") from error
        except ConnectionLost as error:
            raise SampleFailed("the connection to the speech server was lost") from error
        if not pcm:
            raise SampleFailed("there was no sound in it")
        return bytes(pcm)


def _phrase(persona: Persona, spoken: tuple[str, ...]) -> Phrase:
    """The greeting, in English if the voices speak it; where there is none, the one that AURA would have."""
    languages = (ENGLISH, *spoken) if ENGLISH in spoken or not spoken else spoken
    own = persona.greeting_in(languages)
    return own if own.text else PersonaChanges({"name": persona.name}).applied(AURA).greeting_in(languages)


def _request(voice: str, phrase: Phrase, about: PipelineAbout) -> Event:
    language = {"language": phrase.language} if phrase.language in about.voice_languages else {}
    response = {
        "output_modalities": ["audio"],
        "conversation": "none",
        "audio": {"output": {"voice": voice, **language}},
        "metadata": {"say": phrase.text},
    }
    return {"type": "response.create", "event_id": "sample", "response": response}


def _sound(event: Event) -> bytes:
    """The PCM16 that an event brings.

    Raises:
        SampleFailed: The pipeline refuses, or the answer has failed.
    """
    match event:
        case {"type": "response.output_audio.delta", "delta": str(delta)}:
            return b64decode(delta)
        case {"type": "error", "error": {"message": str(why)}}:
            raise SampleFailed(why)
        case {"type": "response.done", "response": {"status": str(status)}} if status != "completed":
            raise SampleFailed(f"its answer was {status}")
    return b""


def _wav(pcm: bytes) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(pcm)
    return file.getvalue()
