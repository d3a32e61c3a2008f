"""Qwen3-Omni behind `/v1/realtime`, on a tiny checkpoint: it hears, sees, speaks, is interrupted, and comes back."""

from base64 import b64decode
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.contract.vllm.chain import Chain, comes_to_rest, started
from tests.contract.vllm.tiny_asr import write_recogniser
from tests.contract.vllm.tiny_omni import write_omni
from tests.contract.wire_caller import ENDED, Caller, calling
from tests.contract.wire_media import loud
from tests.served import lent, served

pytestmark = pytest.mark.vllm

CONFIG = Path(__file__).with_name("omni.yaml")
STAGES = ("thinker", "talker", "asr")
LONG = "This is said at length, and then some more of it. " * 12
AGAIN_S = 300.0


@pytest.fixture(scope="module")
def chain(vllm_on_a_cpu: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    folder = tmp_path_factory.mktemp("omni")
    write_omni(folder / "omni")
    write_recogniser(folder / "asr")
    with started(CONFIG, folder, folder / "log", vllm_stages=STAGES) as chain:
        chain.until_ready()
        with lent(chain.url):
            yield chain


@asynccontextmanager
async def caller() -> AsyncGenerator[Caller, None]:
    async with served() as pipeline, calling(pipeline) as caller:
        await caller.listens(turn_detection=None)
        yield caller


async def speaks(caller: Caller, seconds: float) -> None:
    """By the caller's own ears: to the model of voices a tone is none."""
    await caller.send("input_audio_buffer.activity", speaking=True)
    await caller.sounds(loud(seconds))


async def asked(it: Caller) -> dict:
    await it.send("response.create")
    response = (await it.until("response.done"))["response"]
    assert response["status"] in ENDED
    return response


def sound_of(it: Caller) -> bytes:
    return b"".join(b64decode(event["delta"]) for event in it.all("response.output_audio.delta"))


async def test_a_spoken_question_is_heard_and_answered_aloud_and_written_down_beside_that(chain: Chain) -> None:
    async with caller() as it:
        await speaks(it, 1.0)
        await it.send("input_audio_buffer.commit")
        response = await asked(it)
        content = response["output"][0]["content"][0]
        assert content["type"] == "output_audio" and content["transcript"]
        assert len(sound_of(it)) >= 2 * 1_920
        await it.until("conversation.item.input_audio_transcription.completed")
    await comes_to_rest(chain)
