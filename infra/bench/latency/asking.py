"""Measures the pipeline alone, over its wire: speaks in real time, and takes turns as the agent does."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.livekit.capabilities import PipelineCapabilities
from agent.livekit.session_settings import PipelineSessionSettings
from agent.persona.persona import AURA
from agent.turns.endpointing import TURNS
from infra.bench.base.wire import Wire, wired

ENGLISH = PipelineCapabilities(voice_languages=("en",))  # as the embedded profile says: its prompts are read by then
SESSION = PipelineSessionSettings(AURA, spoken=True, camera=False).session(ENGLISH)


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question that has been answered.

    Attributes:
        since_speech: Seconds from the last word to the first sound of the answer.
        since_create: Seconds from `response.create` to the first sound of the answer.
        moments: When what happened inside, on the session's clock, as the pipeline tells it.
    """

    since_speech: float
    since_create: float
    moments: Mapping[str, float]

    def between(self, earlier: str, later: str) -> float:
        return self.moments[later] - self.moments[earlier]


async def ask(wire: Wire, sound: bytes, *, to_its_end: bool = True) -> AnsweredQuestion:
    """Say a question, and return when its answer is over.

    Args:
        sound: PCM16, 24 kHz mono, that ends with the last word.
        to_its_end: False cancels the answer once it is heard.
    """
    clock, turns = asyncio.get_running_loop().time, TURNS["browser"]
    wire.firsts.clear()
    began_ms, spoken_ms = wire.sent_ms, len(sound) // 48
    await wire.speak(sound[: int(turns.onset_s * 48_000)])
    await wire.send("input_audio_buffer.activity", speaking=True, audio_ms=began_ms)
    await wire.speak(sound[int(turns.onset_s * 48_000) :])
    ended = clock()
    await wire.speak(bytes(int(turns.silence_s * 48_000)))
    await wire.send("input_audio_buffer.activity", speaking=False, audio_ms=began_ms + spoken_ms)
    await wire.speak(bytes(int((turns.early_end_s - turns.silence_s) * 48_000)))
    await wire.send("input_audio_buffer.commit")
    await wire.send("response.create")
    created = clock()
    sounded = (await wire.first("response.output_audio.delta")).at
    if not to_its_end:
        await wire.send("response.cancel")
    done = await wire.first("response.done")
    moments = json.loads(done.event["response"]["metadata"]["timings"])
    return AnsweredQuestion(sounded - ended, sounded - created, moments)


async def measure(url: str, key: str, questions: Sequence[bytes]) -> dict[str, list[float]]:
    """Every question once."""
    async with wired(url, key, SESSION) as wire:
        asked = [await ask(wire, question) for question in questions]
    return {
        "pipeline: last speech → first audio": [each.since_speech for each in asked],
        "pipeline: response.create → first audio": [each.since_create for each in asked],
        "  of it: until the first text": [each.between("created", "first_text") for each in asked],
        "  of it: from text to sound": [each.between("first_text", "first_pcm") for each in asked],
    }
