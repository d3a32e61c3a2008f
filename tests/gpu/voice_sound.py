"""Text → sound: the Talker's engine with Code2Wav behind it, callers in a closed loop."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass
from statistics import median

from pipeline.engines.code2wav.chunk_ramp import FRAME_MS
from pipeline.engines.code2wav.engine import Code2WavEngine
from pipeline.topology.processors.handover import talker2code2wav_async_chunk
from pipeline.turns.stream import Stream
from pipeline.types.chunks import FRAME_S, CodecChunk
from pipeline.types.turn_request import TurnRequest
from tests.gpu.sections import Row
from tests.gpu.voice_measures import Extent, looped
from tests.gpu.voice_speaking import Voice, clauses, spread

MS_A_BYTE = FRAME_MS / 1920 / 2
INFLIGHT = 16  # chunks between the two


@dataclass(frozen=True, slots=True)
class Sounded:
    """One sentence, in milliseconds after its text was given.

    Attributes:
        request: When that was, seconds of the loop's clock.
        codes: When its first frame came.
        pcm: When its first sound came.
        end: When its last sound came.
        dry: How long playback that starts with the first sound would have waited for more.
        frames: How many there were.
    """

    request: float
    codes: float
    pcm: float
    end: float
    dry: float
    frames: int


async def sound(voice: Voice, code2wav: Code2WavEngine, frames: int, name: str) -> Sounded:
    loop = asyncio.get_running_loop()
    request = loop.time()
    codes_at, pcm_at, end, played, dry = 0.0, 0.0, 0.0, 0.0, 0.0

    def now() -> float:
        return 1000 * (loop.time() - request)

    async def talk(link: Stream[CodecChunk]) -> None:
        nonlocal codes_at
        async with link, aclosing(voice.speak(clauses(12, 12), frames, name)) as chunks:
            async for codes in chunks:
                codes_at = codes_at or now()
                await link.send(codes)

    link = Stream[CodecChunk](INFLIGHT)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(talk(link), name=f"{name}: talker")
        chunks = talker2code2wav_async_chunk(link, TurnRequest())
        async with aclosing(code2wav.generate(name, chunks)) as audio:
            async for each in audio:
                if not each.pcm:
                    continue
                end = now()
                pcm_at = pcm_at or end
                played = played or end
                dry += max(0.0, end - played)
                played = max(played, end) + len(each.pcm) * MS_A_BYTE
    return Sounded(request, codes_at, pcm_at, end, dry, frames)


async def closed_loop(voice: Voice, code2wav: Code2WavEngine, extent: Extent) -> list[Row]:
    """Text → first codes → first PCM, by callers who ask for the next sentence when the last one has been heard."""
    rows: list[Row] = []
    loop = asyncio.get_running_loop()
    request = 0

    async def hear(frames: int) -> Sounded:
        nonlocal request
        request += 1
        return await sound(voice, code2wav, frames, f"sound-{request}")

    for callers in extent.callers:
        begun = loop.time()
        by_caller = await looped(callers, extent, hear)
        seconds = loop.time() - begun
        heard = [each for caller in by_caller for each in caller]
        row: Row = {"callers": callers, "sentences": len(heard)}
        row |= spread([each.codes for each in heard], "codes_ms") | spread([each.pcm for each in heard], "pcm_ms")
        row["ms_a_frame"] = median((each.end - each.pcm) / (each.frames - 1) for each in heard)
        row["ran_dry"] = sum(each.dry > 1 for each in heard)
        row["dry_ms_worst"] = max(each.dry for each in heard)
        row["audio_s_a_second"] = sum(each.frames for each in heard) * FRAME_S / seconds
        row["audio_s_a_second_while_all_speak"] = while_all_speak(by_caller)
        rows.append(row)
    return rows


def while_all_speak(by_caller: list[list[Sounded]]) -> float:
    """Seconds of audio a second from when the last caller has begun until the first has ended: no start, no tail."""
    begin = max(caller[0].request for caller in by_caller)
    end = min(caller[-1].request + caller[-1].end / 1000 for caller in by_caller)
    made = 0.0
    for each in (sentence for caller in by_caller for sentence in caller):
        first, last = (each.request + ms / 1000 for ms in (each.pcm, each.end))
        share = (min(last, end) - max(first, begin)) / max(last - first, 1e-9)
        made += max(0.0, share) * each.frames * FRAME_S
    return made / (end - begin) if end > begin else 0.0
