"""What this wire adds to the protocol: given texts, hypotheses, a client's own ears, camera pictures."""

import asyncio
from dataclasses import replace

import aiohttp
import pytest

from pipeline.engines.fake import writes
from pipeline.speech.vad_frontend import Pcm
from pipeline.turns.stages import PipelineStages
from tests.contract.wire_caller import calling
from tests.contract.wire_media import loud, picture, quiet, said
from tests.scenario import Line
from tests.served import served

pytestmark = pytest.mark.contract


async def test_a_given_text_is_spoken_as_it_is_and_kept() -> None:
    async with served() as pipeline, calling(pipeline) as caller:
        await caller.send("response.create", response={"metadata": {"say": "Hello. I am here."}})
        response = (await caller.until("response.done"))["response"]
        assert response["output"][0]["content"][0]["transcript"] == "Hello. I am here."
        assert pipeline.line.questions == []
        await caller.asks()
        assert pipeline.line.questions[-1].messages[0].text == "Hello. I am here."


async def test_hypotheses_come_only_to_those_who_asked() -> None:
    async with served() as pipeline:
        async with calling(pipeline) as caller:
            aura = (await caller.until("session.created"))["session"]["aura"]
            assert (aura["partials"], aura["proactive"], aura["camera"]) == (False, "speak", True)
            await caller.sounds(said())
            await caller.until("response.done")
            assert caller.all("input_audio_buffer.partial") == []
        async with calling(pipeline) as caller:
            await caller.updates(aura={"partials": True})
            await caller.listens(turn_detection=None)
            await caller.sounds(loud(0.6) + quiet(0.4))
            partial = await caller.until("input_audio_buffer.partial")
            assert partial["text"] == "What is the capital of France?"
            assert (partial["kind"], partial["settled"]) == ("speech", True)
            assert 900 < partial["audio_end_ms"] < 1_100


class Seeing(Line):
    def stages(self) -> PipelineStages:
        blind = Line.stages(self)
        writer, voice = blind.chain
        return replace(blind, chain=(replace(writer, spec=replace(writer.spec, requires_multimodal_data=True)), voice))


@pytest.mark.parametrize(("line", "sees"), [(Line(), False), (Seeing(), True)])
async def test_a_client_is_told_whether_its_pictures_are_looked_at(line: Line, sees: bool) -> None:
    async with served(line) as pipeline, calling(pipeline) as caller:
        assert (await caller.until("session.created"))["session"]["aura"]["sees"] is sees
        assert (await caller.updates(aura={"camera": True}))["aura"]["sees"] is sees


async def test_a_client_with_ears_of_its_own_says_when_a_person_speaks() -> None:
    async with served() as pipeline, calling(pipeline) as caller:
        await caller.updates(aura={"partials": True})
        await caller.listens(turn_detection=None)
        await caller.send("input_audio_buffer.activity", speaking=True)
        await caller.sounds(quiet(0.4))  # nothing that our own detection would notice
        await caller.send("input_audio_buffer.activity", speaking=False)
        assert (await caller.until("input_audio_buffer.partial"))["settled"]


async def test_camera_pictures_are_counted_and_never_pile_up() -> None:
    async with served() as pipeline, calling(pipeline) as caller:
        for at in range(3):
            await caller.send("input_video_buffer.append", image=picture(), timestamp_ms=at * 500)
        image = {"type": "input_image", "image_url": f"data:image/jpeg;base64,{picture()}"}
        item = {"id": "frame", "type": "message", "role": "user", "content": [image]}
        await caller.send("conversation.item.create", item=item)
        assert (await caller.until("conversation.item.done"))["item"]["content"] == [{"type": "input_image"}]
        await caller.asks()
        await caller.send("conversation.item.delete", item_id="frame")
        assert (await caller.until("conversation.item.deleted"))["item_id"] == "frame"
        await caller.send("conversation.item.delete", item_id="frame")
        assert (await caller.refusal())["code"] == "item_delete_invalid_item_id"
        async with aiohttp.ClientSession(pipeline.url) as http, http.get("/metrics") as figures:
            assert "aura_camera_frames_total 4.0" in await figures.text()
    assert len(pipeline.line.questions[-1].messages) == 1


async def test_two_callers_do_not_hear_each_other() -> None:
    line = Line(aura=writes(lambda chat: " ".join(message.text for message in chat.messages) + "."))
    async with served(line) as pipeline, calling(pipeline) as one, calling(pipeline) as two:
        await one.says("My name is One.")
        await two.says("My name is Two.")
        answers = await asyncio.gather(one.asks("Who am I?"), two.asks("Who am I?"))
    texts = [answer["output"][0]["content"][0]["transcript"] for answer in answers]
    assert texts == ["My name is One. Who am I?.", "My name is Two. Who am I?."]
    assert len({chat.cache_salt for chat in line.questions}) == 2


class Half:
    """Judges nothing: whoever speaks may have finished or not."""

    async def judge(self, pcm: Pcm) -> float:
        return 0.5


async def test_how_likely_somebody_has_finished_is_told_to_who_asks_for_hypotheses_and_to_nobody_else() -> None:
    async with served(end_model=Half()) as pipeline:
        async with calling(pipeline) as caller:
            await caller.listens(turn_detection={"type": "semantic_vad", "eagerness": "high"})
            await caller.sounds(said(pause=1.5))
            await caller.until("response.done")
            assert caller.all("aura.end_of_turn") == []
        async with calling(pipeline) as caller:
            await caller.updates(aura={"partials": True})
            await caller.listens(turn_detection=None)
            await caller.sounds(loud(0.6) + quiet(0.4))
            told = await caller.until("aura.end_of_turn")
            if not (partials := caller.all("input_audio_buffer.partial")):
                partials = [await caller.until("input_audio_buffer.partial")]
            partial = partials[-1]
            assert (told["item_id"], told["probability"]) == (partial["item_id"], 0.5)
