"""The four real models behind `/v1/realtime`, on tiny checkpoints: what the protocol promises, cancels and deaths."""

import asyncio
from base64 import b64decode
from collections.abc import Iterator

import aiohttp
import pytest

from tests.contract.test_wire_http import (
    test_a_key_that_is_not_even_text,
    test_only_what_is_behind_the_key_wants_it,
    test_who_brings_no_websocket_is_told_so,
)
from tests.contract.test_wire_refusals import (
    test_a_picture_that_cannot_be_taken,
    test_an_item_that_is_there_already,
    test_sound_after_the_final_commit,
    test_sound_in_a_format_that_is_not_served,
    test_too_little_sound_to_commit,
    test_what_cannot_be_done,
    test_what_is_no_event,
)
from tests.contract.test_wire_resume import test_a_connection_that_only_its_caller_knows_is_lost_is_taken_over
from tests.contract.test_wire_sockets import (
    test_nobody_comes_in_without_the_key,
    test_what_cannot_be_answered_closes_the_socket,
)
from tests.contract.vllm.chain import IDLE, Chain, comes_to_rest, notices, serving
from tests.contract.vllm.chain_caller import caller, speaks
from tests.contract.wire_caller import ENDED, Caller
from tests.contract.wire_media import picture
from tests.contract.wire_sdk import talking
from tests.served import lent

__all__ = (  # unchanged, they hold for these models too
    "test_a_connection_that_only_its_caller_knows_is_lost_is_taken_over",
    "test_a_key_that_is_not_even_text",
    "test_a_picture_that_cannot_be_taken",
    "test_an_item_that_is_there_already",
    "test_nobody_comes_in_without_the_key",
    "test_only_what_is_behind_the_key_wants_it",
    "test_sound_after_the_final_commit",
    "test_sound_in_a_format_that_is_not_served",
    "test_too_little_sound_to_commit",
    "test_what_cannot_be_answered_closes_the_socket",
    "test_what_cannot_be_done",
    "test_what_is_no_event",
    "test_who_brings_no_websocket_is_told_so",
)

pytestmark = pytest.mark.vllm

LONG = "This is said at length, and then some more of it. " * 12
SECOND_TOKENS = 300  # of 640 x 480
AGAIN_S = 300.0  # until an engine that was killed has started again: 15 s on a quiet machine


@pytest.fixture(scope="module")
def chain(vllm_on_a_cpu: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    with serving(tmp_path_factory.mktemp("chain")) as chain:
        yield chain


@pytest.fixture(autouse=True)
def on_the_chain(chain: Chain) -> Iterator[None]:
    with lent(chain.url):
        yield


async def comes_back(chain: Chain, it: Caller) -> None:
    """Returns when the engine that has died is there again; the caller does not fall silent meanwhile."""
    async with asyncio.timeout(AGAIN_S):
        while not chain.ready()["ready"]:
            await it.updates()
            await asyncio.sleep(0.5)


async def says_at_length(caller: Caller) -> None:
    await caller.send("response.create", response={"metadata": {"say": LONG}})


async def test_every_stage_is_ready_and_has_been_warm_before_the_first_caller(chain: Chain) -> None:
    await comes_to_rest(chain)  # callers of other tests may just have left
    ready = chain.ready()
    assert (ready["ready"], ready["free_sessions"]) == (True, 4)
    told = chain.log.read_text(errors="replace")
    apart = [told.index(f"starting {line}") for line in ("asr (1", "qwen3_tts (3", "code2wav (4")]
    started = [told.index(f"{stage} started") for stage in ("asr", "qwen3_tts", "code2wav")]
    after = [told.index(line) for line in ("starting aura (2", "aura started", "warm after", "ready on ")]
    assert max(apart) < min(started), "three start side by side"
    assert max(started) < after[0], "the one that measures what is left waits for them"
    assert after == sorted(after)
    assert set(chain.stages().values()) == {"asr", "aura", "qwen3_tts", "code2wav"}, "their processes are told apart"
    async with aiohttp.ClientSession(chain.url) as http, http.get("/metrics") as figures:
        page = await figures.text()
    assert all(f'aura_engine_start_seconds{{stage="{stage}"}}' in page for stage in IDLE)


async def test_a_spoken_question_is_heard_and_answered_aloud(chain: Chain) -> None:
    async with caller() as it:
        await speaks(it, 1.0)
        await it.send("input_audio_buffer.commit")
        heard = await it.until("conversation.item.input_audio_transcription.completed")
        assert heard["transcript"]
        await it.send("response.create")
        response = (await it.until("response.done"))["response"]
        assert response["status"] in ENDED
        content = response["output"][0]["content"][0]
        assert content["type"] == "output_audio" and content["transcript"]
        sound = b"".join(b64decode(event["delta"]) for event in it.all("response.output_audio.delta"))
        assert len(sound) >= 2 * 1_920, "at least one frame"
        moments = it.all("response.output_audio.delta")[0]["timings"]
        order = ["heard", "aura_began", "first_text", "qwen3_tts_began", "qwen3_tts_first", "first_pcm", "first_sent"]
        assert [moments[name] for name in order] == sorted(moments[name] for name in order)
        assert moments["qwen3_tts_first"] <= moments["code2wav_began"] <= moments["first_pcm"]


async def test_what_is_said_is_read_and_answered_ahead_and_the_guess_is_adopted_or_dropped(chain: Chain) -> None:
    async with caller() as it:
        await it.updates(aura={"partials": True})
        for goes_on in (True, False):
            await speaks(it, 1.0)
            await it.send("input_audio_buffer.activity", speaking=False)
            while not (await it.until("input_audio_buffer.partial"))["settled"]:
                pass
            if goes_on:
                await speaks(it, 0.5)
            await it.send("input_audio_buffer.commit")
            await it.send("response.create")
            assert (await it.until("response.done"))["response"]["status"] in ENDED
        await comes_to_rest(chain)


async def test_a_given_text_is_spoken_as_it_is(chain: Chain) -> None:
    async with caller() as it:
        await it.send("response.create", response={"metadata": {"say": "Hello. I am here."}})
        response = (await it.until("response.done"))["response"]
        assert response["output"][0]["content"][0]["transcript"] == "Hello. I am here."
        assert it.all("response.output_audio.delta")


async def test_the_openai_package_is_answered_in_writing_without_a_sound() -> None:
    async with talking() as talk:
        await talk.updates(output_modalities=["text"])
        await talk.asks("What is the capital of France?")
        await talk.connection.response.create()
        done = await talk.until("response.done")
        assert done.response.status in ENDED
        assert talk.tap.all("response.output_audio.delta") == []


async def test_what_a_camera_shows_reaches_the_model_and_is_offered(chain: Chain) -> None:
    async with caller() as it:
        await it.updates(aura={"proactive": "offer"})
        for at in range(4):
            await it.send("input_video_buffer.append", image=picture(640, 480), timestamp_ms=500 * at)
        offer = await it.until("aura.offer")
        await it.send("response.create", response={"metadata": {"offer_id": offer["offer_id"]}})
        response = (await it.until("response.done"))["response"]
        assert response["output"][0]["content"][0]["transcript"].strip() == offer["text"]
        image = {"type": "input_image", "image_url": f"data:image/jpeg;base64,{picture()}"}
        item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "This?"}, image]}
        await it.send("conversation.item.create", item=item)
        await it.still_works()


async def test_what_a_camera_shows_while_a_person_speaks_has_been_read_when_they_are_answered(chain: Chain) -> None:
    async with caller() as it:
        await it.updates(aura={"proactive": "off"})
        for at in range(5):
            await it.send("input_video_buffer.append", image=picture(640, 480), timestamp_ms=500 * at)
            await speaks(it, 0.5)
            await asyncio.sleep(0.5)
        await it.send("input_audio_buffer.commit")
        await it.send("response.create")
        usage = (await it.until("response.done"))["response"]["usage"]
        details = usage["input_token_details"]
        assert details["image_tokens"] == 3 * SECOND_TOKENS, "the last second has one frame so far"
        left = usage["input_tokens"] - details["cached_tokens"]
        assert left < 3 * SECOND_TOKENS // 2, "words, and on a machine too slow to read each frame the open second"


@pytest.mark.parametrize(
    "state", ["response.created", "response.output_audio_transcript.delta", "response.output_audio.delta"]
)
async def test_an_answer_is_cancelled_in_every_state_and_leaves_every_engine_idle(chain: Chain, state: str) -> None:
    async with caller() as it:
        await says_at_length(it)
        await it.until(state)
        await it.send("response.cancel")
        assert (await it.until("response.done"))["response"]["status"] == "cancelled"
        await comes_to_rest(chain)
        await it.still_works()


async def test_a_question_is_dropped_while_it_is_heard_and_a_caller_may_vanish(chain: Chain) -> None:
    async with caller() as it:
        await speaks(it, 3.0)
        await it.send("input_audio_buffer.clear")
        await comes_to_rest(chain)
        await it.says("Hello?")
        await it.send("response.create")
        await it.until("response.created")
        await it.socket.close()
    await comes_to_rest(chain)
    assert chain.ready()["free_sessions"] == 4


async def test_a_decoder_that_dies_in_mid_turn_ends_the_turn_and_not_the_session(chain: Chain) -> None:
    async with caller() as it:
        await says_at_length(it)
        await it.until("response.output_audio.delta")
        chain.kill("code2wav")
        failed = (await it.until("response.done"))["response"]
        assert failed["status_details"]["error"]["message"].startswith("code2wav: ")
        await notices(chain)
        assert chain.ready()["away"] == ["code2wav"]
        await comes_back(chain, it)
        assert chain.ready()["restarts"] == {"asr": 0, "aura": 0, "qwen3_tts": 0, "code2wav": 1}
        await it.still_works()


async def test_an_engine_that_dies_in_mid_turn_is_started_again_while_the_server_stays_up(chain: Chain) -> None:
    async with caller() as it:
        await says_at_length(it)
        await it.until("response.output_audio.delta")
        chain.kill("qwen3_tts")
        failed = (await it.until("response.done"))["response"]
        assert failed["status_details"]["error"]["message"].startswith("qwen3_tts: the engine has died")
        await notices(chain)
        assert (await it.asks(output_modalities=["text"]))["status"] in ENDED, "what is left serves"
        with pytest.raises(aiohttp.WSServerHandshakeError):
            async with caller():
                pass
        await comes_back(chain, it)
        await it.still_works()


async def test_a_death_of_what_hears_or_writes_is_told_and_what_is_left_still_speaks(chain: Chain) -> None:
    async with caller() as it:
        chain.kill("aura")
        failed = await it.asks(output_modalities=["text"])
        assert failed["status_details"]["error"]["message"].startswith("aura: the engine has died")
        await speaks(it, 1.0)
        chain.kill("asr")
        await it.send("input_audio_buffer.commit")
        await it.until("conversation.item.input_audio_transcription.failed")
        await notices(chain)
        await it.send("response.create", response={"metadata": {"say": "I am still here."}})
        assert (await it.until("response.done"))["response"]["status"] == "completed"
