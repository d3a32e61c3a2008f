"""Qwen3-Omni behind `/v1/realtime`, on a tiny checkpoint: it hears, sees, speaks, is interrupted, and comes back."""

import asyncio
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.vllm.chain import Chain, comes_to_rest, notices, started
from tests.contract.vllm.chain_caller import caller, speaks
from tests.contract.vllm.tiny_asr import write_recogniser
from tests.contract.vllm.tiny_omni import write_omni
from tests.contract.wire_caller import ENDED, Caller
from tests.contract.wire_media import picture
from tests.contract.wire_schema import Event
from tests.served import lent

pytestmark = pytest.mark.vllm

CONFIG = Path(__file__).with_name("omni.yaml")
STAGES = ("thinker", "talker", "asr")
LONG = "This is said at length, and then some more of it. " * 12
AGAIN_S = 300.0  # until an engine that was killed has started again
SECOND_TOKENS = 300  # of 640 x 480
TRANSCRIBED = "conversation.item.input_audio_transcription.completed"


@pytest.fixture(scope="module")
def chain(vllm_on_a_cpu: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    folder = tmp_path_factory.mktemp("omni")
    write_omni(folder / "omni")
    write_recogniser(folder / "asr")
    with started(CONFIG, folder, folder / "log", vllm_stages=STAGES) as chain:
        chain.until_ready()
        with lent(chain.url):
            yield chain


async def asked(it: Caller, **response: Any) -> Event:
    """The answer to what was said or written; it has ended."""
    await it.send("response.create", response=response)
    done: Event = (await it.until("response.done"))["response"]
    return done


async def says_at_length(it: Caller) -> None:
    await it.send("response.create", response={"metadata": {"say": LONG}})


def sound_of(it: Caller) -> bytes:
    return b"".join(b64decode(event["delta"]) for event in it.all("response.output_audio.delta"))


async def test_a_spoken_question_is_heard_answered_aloud_and_written_down_beside_that(chain: Chain) -> None:
    async with caller() as it:
        await speaks(it, 1.0)
        await it.send("input_audio_buffer.commit")
        response = await asked(it)
        assert response["status"] in ENDED
        content = response["output"][0]["content"][0]
        assert content["type"] == "output_audio" and content["transcript"]
        assert len(sound_of(it)) >= 2 * 1_920, "at least one frame"
        moments = it.all("response.output_audio.delta")[0]["timings"]
        order = ["thinker_began", "first_text", "talker_first", "code2wav_began", "first_pcm", "first_sent"]
        assert [moments[name] for name in order] == sorted(moments[name] for name in order)
        if not it.all(TRANSCRIBED):
            await it.until(TRANSCRIBED)
    await comes_to_rest(chain)


async def test_a_text_that_is_given_is_spoken_and_what_was_heard_of_it_is_remembered(chain: Chain) -> None:
    async with caller() as it:
        await says_at_length(it)
        item_id = (await it.until("response.output_item.added"))["item"]["id"]
        await it.until("response.output_audio.delta")
        await it.send("response.cancel")
        assert (await it.until("response.done"))["response"]["status"] == "cancelled"
        await it.send("conversation.item.truncate", item_id=item_id, content_index=0, audio_end_ms=80)
        await it.until("conversation.item.truncated")
        await it.send("conversation.item.retrieve", item_id=item_id)
        heard = (await it.until("conversation.item.retrieved"))["item"]["content"][0]["transcript"]
        assert LONG.startswith(heard) and len(heard) < len(LONG)
        await comes_to_rest(chain)
        await it.says("And then?")
        assert (await asked(it))["status"] in ENDED, "with what was heard in front of it"


async def test_pictures_and_a_camera_are_seen_and_the_voice_is_told_of_them(chain: Chain) -> None:
    async with caller() as it:
        await it.updates(aura={"proactive": "off"})
        for at in range(4):
            await it.send("input_video_buffer.append", image=picture(640, 480), timestamp_ms=500 * at)
        image = {"type": "input_image", "image_url": f"data:image/jpeg;base64,{picture()}"}
        content = [{"type": "input_text", "text": "This?"}, image]
        await it.send("conversation.item.create", item={"type": "message", "role": "user", "content": content})
        response = await asked(it)
        assert response["status"] in ENDED and sound_of(it)
        await it.says("And that?")  # on a machine too busy to decode them in time, the frames stand in front of this
        assert (await asked(it))["usage"]["input_token_details"]["image_tokens"] > SECOND_TOKENS


async def test_two_callers_at_once_in_two_voices(chain: Chain) -> None:
    async with caller() as one, caller() as other:
        for it, voice in ((one, "ethan"), (other, "chelsie")):
            await it.send(
                "response.create", response={"metadata": {"say": "Good day."}, "audio": {"output": {"voice": voice}}}
            )
        done = [(await it.until("response.done"))["response"] for it in (one, other)]
        assert [each["output"][0]["content"][0]["transcript"] for each in done] == ["Good day."] * 2
        assert sound_of(one) and sound_of(one) != sound_of(other)


@pytest.mark.parametrize("state", ["response.created", "response.output_audio.delta"])
async def test_an_answer_is_cancelled_in_every_stage_and_leaves_every_engine_idle(chain: Chain, state: str) -> None:
    async with caller() as it:
        await speaks(it, 1.0)
        await it.send("input_audio_buffer.commit")
        await it.send("response.create")
        await it.until(state)
        await it.send("response.cancel")
        assert (await it.until("response.done"))["response"]["status"] == "cancelled"
        await comes_to_rest(chain)


async def test_functions_are_refused_by_field_and_the_session_tells_what_there_is(chain: Chain) -> None:
    async with caller() as it:
        tool = {"type": "function", "name": "now", "parameters": {"type": "object", "properties": {}}}
        await it.send("session.update", session={"tools": [tool]})
        assert (await it.refusal())["param"] == "session.tools"
        there = (await it.updates())["aura"]
        assert there["voices"][:1] == ["ethan"] and there["transcribes"] is True
        await it.still_works()


@pytest.mark.parametrize("stage", ["talker", "thinker"])
async def test_an_engine_that_is_killed_is_started_again_and_the_session_lives_on(chain: Chain, stage: str) -> None:
    async with caller() as it:
        await says_at_length(it)
        await it.until("response.output_audio.delta")
        chain.kill(stage)
        await notices(chain)
        assert chain.ready()["away"] == [stage]
        await it.until("response.done")
        async with asyncio.timeout(AGAIN_S):
            while not chain.ready()["ready"]:
                await it.updates()
                await asyncio.sleep(0.5)
        assert chain.ready()["restarts"][stage] == 1
        await it.still_works()
