"""Somebody in a room with a camera on, who asks, listens, and now and then speaks over the answer."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from random import Random

import numpy as np
from livekit import rtc

from infra.bench.base.speech import Sound
from infra.bench.person.grant import Grant
from infra.bench.person.person import Person, joined
from tests.gpu.room_table import HeardTurn

WIDTH, HEIGHT = 640, 480
FRAMES_PER_S = 5
SCENES = 8  # pictures that the camera shows in turn
GRAIN = 16  # pixels of a square of a picture's noise
SPOKEN_S = 0.5  # of an answer, before somebody speaks over it
PAUSE_S = (0.6, 1.4)  # between an answer's end and the next question
LEAST_S = 0.1  # in which nobody falls silent for being spoken to: what ends sooner has ended of itself
STAGGER_S = 0.15  # by so much each caller comes later than the one before


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a caller waits for what, in seconds, before they go on without it."""

    greeting: float = 30.0
    answer: float = 10.0
    end: float = 20.0


@dataclass(frozen=True, slots=True)
class Call:
    """What one caller does.

    Attributes:
        turns: Questions; every second answer is spoken over, which makes one more.
    """

    room: int
    grant: Grant
    questions: Sequence[Sound]
    turns: int
    patience: Patience
    seed: int = 0


async def converse(call: Call, heard: list[HeardTurn]) -> None:
    """Join, ask so many times, and leave. What was heard is in `heard` at once."""
    chance = Random(f"{call.seed}:{call.room}")
    await asyncio.sleep(STAGGER_S * call.room)
    async with joined(f"caller {call.room}", call.grant) as person, _filming(person, call.seed + call.room):
        async with asyncio.timeout(call.patience.greeting):
            await person.greeted()
        for turn in range(call.turns):
            await asyncio.sleep(chance.uniform(*PAUSE_S))
            asked = await _ask(person, call, chance.choice(call.questions))
            heard.append(asked)
            if asked.began is None:
                continue
            if turn % 2:
                heard.append(asked := await _interrupt(person, call, chance.choice(call.questions), asked))
            await _over(person, call, asked.ended)


async def _ask(person: Person, call: Call, question: Sound) -> HeardTurn:
    begun, over = person.say(question)
    onset, ended = await begun, await over
    early = any(stretch.ended > onset + LEAST_S for stretch in person.heard.stretches)
    return await _answered(person, call, ended, early=early)


async def _answered(person: Person, call: Call, ended: float, *, early: bool = False) -> HeardTurn:
    def began() -> float | None:
        return next((stretch.began for stretch in person.heard.stretches if stretch.began > ended), None)

    turn = HeardTurn(call.room, next(reversed(person.told("aura.connection")), ""), ended, early=early)
    known = len(person.told("aura.timings"))
    try:
        at = await person.diary.until(began, call.patience.answer, "an answer")
    except AssertionError:
        return turn
    await asyncio.sleep(0.2)  # in which the agent says what it measured
    told = person.told("aura.timings")[known:]
    return replace(turn, began=at, told=told[0] if told else "")


async def _interrupt(person: Person, call: Call, question: Sound, over: HeardTurn) -> HeardTurn:
    """Speak over the answer to `over`, and wait for what is answered to this."""
    try:
        await person.diary.until(lambda: person.heard.loud_s(over.ended) > SPOKEN_S, call.patience.answer, "its words")
    except AssertionError:
        return over
    sounded = bool(person.heard.sounds)
    begun, ends = person.say(question)
    onset, ended = await begun, await ends
    before = [stretch for stretch in person.heard.stretches if stretch.began < onset]
    quiet = before[-1].ended if sounded and before and onset + LEAST_S < before[-1].ended < ended - LEAST_S else None
    return replace(await _answered(person, call, ended), onset=onset, quiet=quiet)


async def _over(person: Person, call: Call, since: float) -> None:
    """Returns when the answer has been heard, or at the end of their patience."""
    try:
        async with asyncio.timeout(call.patience.end):
            await person.answered(since)
    except TimeoutError:
        person.diary.note("no end of the answer")


@asynccontextmanager
async def _filming(person: Person, seed: int) -> AsyncGenerator[None]:
    """A camera whose pictures change."""
    source = rtc.VideoSource(WIDTH, HEIGHT)
    track = rtc.LocalVideoTrack.create_video_track("camera", source)
    options = rtc.TrackPublishOptions(
        source=rtc.TrackSource.SOURCE_CAMERA,
        simulcast=False,
        video_encoding=rtc.VideoEncoding(max_framerate=FRAMES_PER_S, max_bitrate=1_000_000),
    )
    async with asyncio.TaskGroup() as tasks:
        filming = tasks.create_task(_film(source, scenes(seed)), name="caller:camera")
        await person.room.local_participant.publish_track(track, options)
        yield
        filming.cancel()


async def _film(source: rtc.VideoSource, pictures: Sequence[bytes]) -> None:
    clock = asyncio.get_running_loop().time
    due, at = clock(), 0
    while True:
        source.capture_frame(rtc.VideoFrame(WIDTH, HEIGHT, rtc.VideoBufferType.I420, pictures[at % len(pictures)]))
        at, due = at + 1, due + 1 / FRAMES_PER_S
        await asyncio.sleep(due - clock())


def scenes(seed: int) -> list[bytes]:
    """Pictures as I420: coarse noise, so that a codec has something to do, and grey colours."""
    chance = np.random.default_rng(seed)
    coarse = (chance.integers(40, 216, (HEIGHT // GRAIN, WIDTH // GRAIN), np.uint8) for _ in range(SCENES))
    colours = bytes([128]) * (WIDTH * HEIGHT // 2)
    return [np.kron(squares, np.ones((GRAIN, GRAIN), np.uint8)).tobytes() + colours for squares in coarse]


async def one_way(grants: tuple[Grant, Grant], sound: Sound, times: int) -> list[float]:
    """Seconds from a mouth to an ear in a room without an agent: what WebRTC takes, both SDKs included."""
    took: list[float] = []
    async with joined("mouth", grants[0]) as mouth, _listening(grants[1]) as ear:
        await asyncio.sleep(1.0)
        for _ in range(times):
            begun, over = mouth.say(sound)
            onset, ended = await begun, await over
            await asyncio.sleep(0.6)
            came = [stretch for stretch in ear.heard.stretches if stretch.ended > onset]
            took += [came[-1].ended - ended] if came else []
    return took


@asynccontextmanager
async def _listening(grant: Grant) -> AsyncGenerator[Person]:
    """A person who takes everybody for an agent, and so hears a person."""
    async with joined("ear", grant) as person, asyncio.TaskGroup() as tasks:
        listening: list[asyncio.Task[None]] = []

        def hear(track: rtc.Track, *_: object) -> None:
            if track.kind == rtc.TrackKind.KIND_AUDIO:
                listening.append(tasks.create_task(person.heard.listen(track), name="ear:listen"))

        person.room.on("track_subscribed", hear)
        for someone in person.room.remote_participants.values():
            for publication in someone.track_publications.values():
                if publication.track:
                    hear(publication.track)
        yield person
        for task in listening:
            task.cancel()
