"""A voice runs ahead of its playback so far, and goes on at beats that all voices share."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from pipeline.engines.vllm.scheduling.playback_lead import BEAT_FRAMES, BEAT_S, PlaybackLead
from pipeline.types.chunks import FRAME_S, Clause
from tests.pipeline.engines.qwen3_tts.fake_requests import FRAME_S as DRAWN_S
from tests.pipeline.engines.qwen3_tts.fake_requests import FakeRequests
from tests.pipeline.engines.qwen3_tts.test_engine import frames, talker

LONG_S = 30.0


async def drawn(lead: PlaybackLead, frame_s: float, seconds: float = LONG_S) -> list[tuple[float, int]]:
    """Draws frames as long as it is given room for them: when it was given some, and how much."""
    clock, given = asyncio.get_running_loop().time, list[tuple[float, int]]()
    ends = clock() + seconds
    while clock() < ends:
        room = await lead.room(37)
        given.append((clock(), room))
        for _ in range(room):
            await asyncio.sleep(frame_s)
            lead.drew(1)
    return given


async def test_a_voice_runs_ahead_at_once_and_then_goes_on_a_beat_at_a_time() -> None:
    given = await drawn(PlaybackLead(2.0), 0.004)
    assert given[0] == (0.0, 17), "two seconds but for a beat, which it takes up at the first one"
    at, room = given[1]
    assert at == pytest.approx(BEAT_S) and room == 16
    assert all(at / BEAT_S == pytest.approx(round(at / BEAT_S), abs=1e-5) for at, _ in given), "beats"
    assert {room for _, room in given[2:]} == {BEAT_FRAMES}


@pytest.mark.parametrize("frame_s", [0.004, 0.02, 0.05])
async def test_what_is_drawn_is_never_far_from_the_lead_nor_beyond_it(frame_s: float) -> None:
    began, made = asyncio.get_running_loop().time(), 0
    for at, room in await drawn(PlaybackLead(2.0), frame_s):
        played = max(0.0, at - began - frame_s)
        assert made + room <= played / FRAME_S + 25.5, f"{at} s"
        assert made == 0 or made * FRAME_S - played > 2.0 - 2 * BEAT_S - 25 * frame_s - FRAME_S, f"{at} s"
        made += room


async def test_voices_that_began_at_different_times_go_on_at_the_same_ones() -> None:
    async def later(by_s: float) -> list[tuple[float, int]]:
        await asyncio.sleep(by_s)
        return await drawn(PlaybackLead(2.0), 0.004)

    one, other = await asyncio.gather(later(0.0), later(0.31))
    began, ended = max(one[2][0], other[2][0]), min(one[-1][0], other[-1][0])
    shared = [{round(at, 6) for at, _ in given if began <= at <= ended} for given in (one, other)]
    assert shared[0] == shared[1]
    assert len(shared[0]) > 20


async def test_playback_waits_for_frames_that_are_late() -> None:
    lead = PlaybackLead(2.0)
    lead.drew(1)
    await asyncio.sleep(5.0)
    lead.drew(1)
    assert await lead.room(37) == 16, "a frame is to be played, not fewer than none"


async def test_a_few_frames_that_are_wanted_need_no_more_room_than_that() -> None:
    lead = PlaybackLead(2.0)
    lead.drew(14)
    assert await lead.room(3) == 3
    assert asyncio.get_running_loop().time() == 0.0


async def test_without_a_lead_there_is_always_room() -> None:
    lead = PlaybackLead(0.0)
    lead.drew(1_000)
    assert await lead.room(37) == 37


async def test_a_talker_keeps_to_the_lead_over_sentences() -> None:
    async def written() -> AsyncIterator[Clause]:
        yield Clause("One.", "")
        yield Clause(" Two.", "")

    requests = FakeRequests(stops=[60, 60])
    engine = talker(requests)
    engine._engine_settings = replace(engine._engine_settings, playback_lead_s=2.0)
    began = asyncio.get_running_loop().time()
    spoken = [chunk async for chunk in engine.generate("r", written())]
    took_s = asyncio.get_running_loop().time() - began
    assert frames(spoken) == 120
    assert 120 * FRAME_S - 2.0 - DRAWN_S < took_s < 120 * FRAME_S, "the sound of it takes 9.6 s"
    assert requests.request["r.0"][0] == (0.0, 17)
    assert requests.request["r.1"][0][1] < 2 * BEAT_FRAMES, "the second sentence is no nearer to being played"
