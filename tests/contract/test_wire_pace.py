"""When the events of an answer come: sound at the pace of playback, all else at once, and nothing after the end."""

import asyncio
from base64 import b64decode
from random import Random

import pytest

from pipeline.engines.fake import speaks, writes
from tests.contract.wire_caller import Caller, calling
from tests.contract.wire_media import loud, quiet
from tests.scenario import Line
from tests.served import served

pytestmark = pytest.mark.contract

COUNT = " ".join(f"Number {n}." for n in range(1, 41))


def now() -> float:
    return asyncio.get_running_loop().time()


async def begins(caller: Caller) -> None:
    """A long answer sounds."""
    await caller.says("Count to forty.")
    await caller.send("response.create")
    await caller.until("response.output_audio.delta")


async def test_nothing_of_a_cancelled_answer_follows_its_end() -> None:
    moments = Random(3)
    without_end = " ".join(f"Number {n}." for n in range(3_000))  # something is on its way in every moment
    line = Line(aura=writes(without_end), tts=speaks(ms_per_word=1))
    async with served(line) as pipeline, calling(pipeline) as caller:
        for _ in range(25):
            await caller.send("response.create")
            await caller.until("response.created")
            await asyncio.sleep(moments.uniform(0, 0.03))
            await caller.send("response.cancel")
            await caller.until("response.done")
        await asyncio.sleep(0.05)
        await caller.updates()
    assert "cancelled" in {done["response"]["status"] for done in caller.all("response.done")}
    for at, event in enumerate(caller.told):
        if event["type"] == "response.done":
            later = [told for told in caller.told[at + 1 :] if told.get("response_id") == event["response"]["id"]]
            assert later == []


async def test_sound_comes_at_most_a_second_and_a_half_ahead() -> None:
    line = Line(aura=writes("word " * 12 + "end."), tts=speaks(ms_per_word=250))
    async with served(line) as pipeline, calling(pipeline) as caller:
        await caller.send("response.create")
        played_s, began, ahead = 0.0, None, []
        while (event := await caller.next())["type"] != "response.done":
            if event["type"] == "response.output_audio.delta":
                began = began or now()
                ahead.append(played_s - (now() - began))
                played_s += len(b64decode(event["delta"])) / 48_000
    assert played_s == pytest.approx(13 * 0.25)
    assert 1.0 < max(ahead) < 2.25, "all of it would be 3.0"


async def test_silence_that_is_committed_interrupts_nobody() -> None:
    async with served(Line(aura=writes(COUNT))) as pipeline, calling(pipeline) as caller:
        await begins(caller)
        await caller.sounds(quiet(0.2))
        await caller.send("input_audio_buffer.commit")
        await caller.until("conversation.item.input_audio_transcription.completed")
        assert caller.all("response.done") == []
        await caller.send("response.cancel")
        assert (await caller.until("response.done"))["response"]["status_details"]["reason"] == "client_cancelled"


async def test_all_else_overtakes_sound() -> None:
    async with served(Line(aura=writes(COUNT))) as pipeline, calling(pipeline) as caller:
        await caller.listens(turn_detection=None)
        await begins(caller)
        request, sounded = now(), len(caller.all("response.output_audio.delta"))
        await caller.send("nonsense")
        await caller.refusal()
        await caller.sounds(loud(0.2))
        await caller.send("input_audio_buffer.clear")
        await caller.until("input_audio_buffer.cleared")
        words = "".join(event["delta"] for event in caller.all("response.output_audio_transcript.delta"))
        assert words.startswith("Number 1. Number 2. Number 3. Number 4."), "words are ahead of their sound"
        await caller.send("response.cancel")
        await caller.until("response.done")
        between = len(caller.all("response.output_audio.delta")) - sounded
        assert between <= 8 + (now() - request) * 5, "pieces of 200 ms: what had left already, and what was due"
