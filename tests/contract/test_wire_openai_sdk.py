"""The openai package's realtime client drives the pipeline: what it asks, it is answered in order."""

import asyncio
from base64 import b64decode
from typing import Any

import numpy as np
import pytest

from pipeline.engines.fake import hears, speaks, writes
from tests.contract.wire_media import hertz, loud, picture, quiet, said
from tests.contract.wire_sdk import talking
from tests.contract.wire_wait import eventually
from tests.scenario import Line

pytestmark = pytest.mark.contract

PARIS = "The capital is Paris."
COUNT = " ".join(f"Number {n}." for n in range(1, 41))
ANSWER = [
    "response.created",
    "response.output_item.added",
    "conversation.item.added",
    "response.content_part.added",
    "response.output_audio_transcript.delta",
    "response.output_audio.delta",
    "response.output_audio.done",
    "response.output_audio_transcript.done",
    "response.content_part.done",
    "response.output_item.done",
    "conversation.item.done",
    "response.done",
]


async def test_a_typed_question_is_answered_in_writing() -> None:
    async with talking() as talk:
        assert (await talk.updates(output_modalities=["text"])).output_modalities == ["text"]
        question = await talk.asks("What is the capital of France?")
        await talk.connection.response.create()
        done = await talk.until("response.done")
    written = [kind.replace("output_audio_transcript", "output_text") for kind in ANSWER if "output_audio." not in kind]
    assert talk.tap.types()[-len(written) :] == written
    assert done.response.status == "completed"
    assert done.response.output[0].content[0].text == PARIS
    added = talk.tap.all("conversation.item.added")[-1]
    assert added["previous_item_id"] == talk.tap.all("conversation.item.done")[-1]["previous_item_id"] == question
    assert talk.tap.line.tts.prompts == []


async def test_a_spoken_question_is_heard_and_answered_aloud() -> None:
    async with talking() as talk:
        assert (await talk.listens(turn_detection=None)).audio.input.turn_detection is None
        await talk.sounds(loud(1.0))
        await talk.connection.input_audio_buffer.commit()
        heard = await talk.until("conversation.item.input_audio_transcription.completed")
        assert heard.transcript == "What is the capital of France?"
        assert heard.usage.seconds == pytest.approx(1.0, abs=0.1)
        await asyncio.sleep(0.1)
        assert talk.tap.all("response.created") == [], "a commit is never answered by itself"
        await talk.connection.response.create()
        done = await talk.until("response.done")
    assert talk.tap.types()[2:5] == [
        "input_audio_buffer.committed",
        "conversation.item.added",
        "conversation.item.done",
    ]
    assert talk.tap.types()[-len(ANSWER) :] == ANSWER
    assert done.response.output[0].content[0].transcript == PARIS
    sound = b"".join(b64decode(event["delta"]) for event in talk.tap.all("response.output_audio.delta"))
    pcm = np.frombuffer(sound, "<i2")
    assert len(pcm) == 4 * 0.3 * 24_000
    assert hertz(pcm, 24_000) == pytest.approx(440, abs=2)


async def test_a_question_with_a_picture_is_taken_and_shown() -> None:
    content: Any = [
        {"type": "input_text", "text": "What is this?"},
        {"type": "input_image", "image_url": f"data:image/jpeg;base64,{picture()}"},
    ]
    async with talking() as talk:
        item: Any = {"id": "with-picture", "type": "message", "role": "user", "content": content}
        await talk.connection.conversation.item.create(item=item)
        added = await talk.until("conversation.item.added")
        assert [part.type for part in added.item.content] == ["input_text", "input_image"]
        await talk.connection.response.create()
        assert (await talk.until("response.done")).response.status == "completed"
    assert talk.tap.line.questions[-1].messages[-1].text == "What is this?"


@pytest.mark.parametrize("by_id", [True, False])
async def test_an_answer_is_cancelled_and_stays_as_far_as_it_was_heard(by_id: bool) -> None:
    async with talking(Line(aura=writes(COUNT))) as talk:
        await talk.asks("Count to forty.")
        await talk.connection.response.create()
        created = await talk.until("response.created")
        await talk.until("response.output_audio.delta")
        await asyncio.sleep(0.2)
        if by_id:
            await talk.connection.response.cancel(response_id=created.response.id)
        else:
            await talk.connection.response.cancel()
        done = await talk.until("response.done")
        assert done.response.status == "cancelled"
        assert (done.response.status_details.type, done.response.status_details.reason) == (
            "cancelled",
            "client_cancelled",
        )
        item_id = done.response.output[0].id
        await talk.connection.conversation.item.retrieve(item_id=item_id)
        kept = (await talk.until("conversation.item.retrieved")).item
    assert kept.status == "incomplete"
    assert COUNT.startswith(kept.content[0].transcript)
    assert len(kept.content[0].transcript) < len(talk.tap.all("response.output_audio_transcript.done")[0]["transcript"])
    assert talk.tap.types()[-2:] == ["response.done", "conversation.item.retrieved"]


async def test_what_was_heard_is_what_the_next_question_builds_on() -> None:
    line = Line(aura=writes("The capital is Paris. It is large."))
    async with talking(line) as talk:
        await talk.asks("What is the capital of France?")
        await talk.connection.response.create()
        item_id = (await talk.until("response.done")).response.output[0].id
        await talk.connection.conversation.item.truncate(item_id=item_id, content_index=0, audio_end_ms=1_300)
        truncated = await talk.until("conversation.item.truncated")
        assert (truncated.item_id, truncated.audio_end_ms) == (item_id, 1_300)
        await talk.asks("And of Spain?")
        await talk.connection.response.create()
        await talk.until("response.done")
    assert [message.text for message in line.questions[-1].messages] == [
        "What is the capital of France?",
        "The capital is Paris.",
        "And of Spain?",
    ]


async def test_an_item_is_put_in_front_retrieved_and_deleted() -> None:
    async with talking() as talk:
        await talk.asks("Hello?")
        item: Any = {
            "id": "first",
            "type": "message",
            "role": "system",
            "content": [{"type": "input_text", "text": "Be short."}],
        }
        await talk.connection.conversation.item.create(item=item, previous_item_id="root")
        added = await talk.until("conversation.item.added")
        assert (added.item.id, added.previous_item_id) == ("first", None)
        await talk.connection.conversation.item.retrieve(item_id="first")
        retrieved = await talk.until("conversation.item.retrieved")
        assert (retrieved.item.role, retrieved.item.content[0].text) == ("system", "Be short.")
        await talk.connection.response.create()
        await talk.until("response.done")
        await talk.connection.conversation.item.delete(item_id="first")
        assert (await talk.until("conversation.item.deleted")).item_id == "first"
        await talk.connection.response.create()
        await talk.until("response.done")
    prompts = [[message.text for message in chat.messages] for chat in talk.tap.line.questions]
    assert prompts == [["Be short.", "Hello?"], ["Hello?", PARIS]]


async def test_by_default_the_server_hears_when_a_question_ends_and_answers_it() -> None:
    async with talking() as talk:
        created = await talk.until("session.created")
        assert created.session.audio.input.turn_detection.type == "server_vad"
        await talk.sounds(said())
        done = await talk.until("response.done")
    assert talk.tap.types()[1:7] == [
        "input_audio_buffer.speech_started",
        "input_audio_buffer.speech_stopped",
        "input_audio_buffer.committed",
        "conversation.item.added",
        "conversation.item.done",
        "response.created",
    ]
    assert done.response.output[0].content[0].transcript == PARIS
    assert talk.tap.sent_types() == ["input_audio_buffer.append"] * len(talk.tap.sent), "the client asked for nothing"


async def test_speech_interrupts_the_answer_and_the_next_question_is_answered() -> None:
    line = Line(asr=hears("Count to forty.", "What is the capital of France?"), tts=speaks(ms_per_word=400))
    line.aura = writes(lambda chat: COUNT if "Count" in chat.messages[-1].text else PARIS)
    async with talking(line) as talk:
        await talk.sounds(said())
        await talk.until("response.output_audio.delta")
        await talk.sounds(loud(0.2))
        done = await talk.until("response.done")
        assert (done.response.status, done.response.status_details.reason) == ("cancelled", "turn_detected")
        await talk.sounds(said())
        done = await talk.until("response.done")
    assert done.response.output[0].content[0].transcript == PARIS
    types = [event["type"] for event in talk.tap.told]
    assert types.count("input_audio_buffer.speech_started") == 2
    second = len(types) - 1 - types[::-1].index("input_audio_buffer.speech_started")
    assert second < types.index("response.done"), "first it is told why"
    assert await line.aura.busy() == await line.tts.busy() == 0


async def test_semantic_turn_detection_waits_longer_for_an_unfinished_sentence() -> None:
    line = Line(asr=hears("What is the capital of", "What is the capital of France?"))
    async with talking(line) as talk:
        session = await talk.listens(turn_detection={"type": "semantic_vad", "eagerness": "high"})
        assert session.audio.input.turn_detection.eagerness == "high"
        await talk.sounds(said(0.6, 0.7))
        await asyncio.sleep(0.1)
        assert talk.tap.all("input_audio_buffer.speech_stopped") == [], "it does not end with `of`"
        await talk.sounds(said(0.6, 0.35))
        await eventually(lambda: len(line.asr.prompts) == 2)
        await asyncio.sleep(0.05)
        await talk.sounds(quiet(0.4))
        done = await talk.until("response.done")
    assert done.response.output[0].content[0].transcript == PARIS
    assert [event["transcript"] for event in talk.tap.all("conversation.item.input_audio_transcription.completed")] == [
        "What is the capital of France?"
    ]


async def test_a_turn_may_end_without_an_answer() -> None:
    async with talking() as talk:
        await talk.listens(turn_detection={"type": "server_vad", "create_response": False})
        await talk.sounds(said())
        await talk.until("conversation.item.input_audio_transcription.completed")
        await asyncio.sleep(0.1)
    assert talk.tap.all("response.created") == []
