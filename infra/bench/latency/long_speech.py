"""Measures what long speech costs at its end: from the last word to the transcript, of 3 s and of 24 s."""

import asyncio
from collections.abc import Callable

from agent.turns.endpointing import TURNS
from infra.bench.base.speech import PersonVoice, Sound, as_wire, silence
from infra.bench.base.wire import Wire, wired
from infra.bench.latency.asking import SESSION

SENTENCES = (
    "I went down to the harbour this morning to look at the boats.",
    "There was a market, and I bought some bread, two fish and a bag of apples.",
    "My brother called and told me that he will come to visit us on Sunday.",
    "He wants to see the new bridge and the old lighthouse behind it.",
    "We talked about our holiday in the mountains, and how cold it was there.",
    "Then it began to rain, so I took the bus home and made a pot of tea.",
    "Do you think that we should go there together at the weekend?",
)
LULL_S = 0.4  # between two sentences; no pause for the agent would be answered in it
LONG_S, SHORT_S = 25.0, 3.5
TRANSCRIBED = "conversation.item.input_audio_transcription.completed"


def speech(say: Callable[[str], Sound], seconds: float) -> bytes:
    """Whole sentences, the last of which ends the question: PCM16, 24 kHz mono, of about that length.

    Args:
        say: Speaks a text: PCM16, 48 kHz mono.
    """
    *before, last = [as_wire(say(sentence)) for sentence in SENTENCES]
    lull, spoken = as_wire(silence(LULL_S)), last
    for sentence in reversed(before):
        if len(sentence) + len(lull) + len(spoken) > seconds * 48_000:
            break
        spoken = sentence + lull + spoken
    return spoken


async def measure(url: str, key: str, count: int) -> dict[str, list[float]]:
    """Both lengths in turn, so often."""
    voice, waited = PersonVoice(), dict[str, list[float]]()
    async with wired(url, key, SESSION) as wire:
        for _ in range(count):
            for seconds in (SHORT_S, LONG_S):
                sound = speech(voice.say, seconds)
                name = f"last speech → words, after {len(sound) / 48_000:.0f} s"
                waited.setdefault(name, []).append(await _transcribed(wire, sound))
    return waited


async def _transcribed(wire: Wire, sound: bytes) -> float:
    """Say it in one turn, with its pauses as voice activity tells them, and return how long its words take."""
    clock, turns = asyncio.get_running_loop().time, TURNS["browser"]
    wire.firsts.clear()
    began_ms, spoken_ms = wire.sent_ms, len(sound) // 48
    onset = int(turns.onset_s * 48_000)
    await wire.speak(sound[:onset])
    await wire.send("input_audio_buffer.activity", speaking=True, audio_ms=began_ms)
    await wire.speak(sound[onset:])
    ended = clock()
    await wire.speak(bytes(int(turns.silence_s * 48_000)))
    await wire.send("input_audio_buffer.activity", speaking=False, audio_ms=began_ms + spoken_ms)
    await wire.speak(bytes(int((turns.early_end_s - turns.silence_s) * 48_000)))
    await wire.send("input_audio_buffer.commit")
    transcribed = (await wire.first(TRANSCRIBED)).at
    await wire.send("response.create")
    await wire.send("response.cancel")
    await wire.first("response.done")
    return transcribed - ended
