"""What an answer is made of, and what becomes of it when there is nothing to say or a stage fails."""

import asyncio
import json
from collections.abc import Iterator

import pytest

from pipeline.engines.fake import FakeEngine, hears, writes
from pipeline.errors import EngineError
from pipeline.speech.vad_frontend import Pcm
from pipeline.types.chunks import AsrInput, ChatPrompt, TextChunk, Transcript
from tests.contract.wire_caller import calling
from tests.contract.wire_media import base64, loud, quiet, said
from tests.scenario import Line
from tests.served import served

pytestmark = pytest.mark.contract


async def test_metadata_comes_back_with_what_is_ours() -> None:
    async with served() as pipeline, calling(pipeline) as caller:
        await caller.listens(turn_detection=None)
        await caller.sounds(loud(0.5))
        await caller.send("input_audio_buffer.commit")
        await caller.send("response.create", response={"metadata": {"client_event_id": "abc", "topic": "1"}})
        created = (await caller.until("response.created"))["response"]["metadata"]
        assert created == {"client_event_id": "abc", "topic": "1"}
        done = (await caller.until("response.done"))["response"]["metadata"]
    assert done.items() >= created.items()
    assert done["decision"] == "answer"
    assert all(isinstance(value, str) for value in done.values())
    assert "reason" not in done
    timings = json.loads(done["timings"])
    order = ["committed", "created", "first_text", "first_pcm", "first_sent"]
    assert [timings[name] for name in order] == sorted(timings[name] for name in order)
    assert timings["heard"] <= timings["aura_began"] <= timings["first_text"]
    sounds = caller.all("response.output_audio.delta")
    assert [sound.get("timings") for sound in sounds] == [timings, *[None] * (len(sounds) - 1)]


async def test_what_an_answer_took_is_told_with_it() -> None:
    async with served(Line(aura=writes("The capital is Paris."))) as pipeline, calling(pipeline) as caller:
        await caller.updates(output_modalities=["text"])
        first = (await caller.asks("What is the capital of France?"))["usage"]
        again = (await caller.asks("And of Spain?"))["usage"]
    assert first["input_tokens"] == 6
    assert (again["input_tokens"], again["output_tokens"], again["total_tokens"]) == (13, 4, 17)
    assert again["input_token_details"] == {
        "text_tokens": 13, "image_tokens": 0, "audio_tokens": 0, "cached_tokens": 10,
    }  # fmt: skip
    assert again["output_token_details"] == {"text_tokens": 4, "audio_tokens": 0}


async def test_silence_is_an_answer_without_item_and_sound() -> None:
    async with served(Line(aura=writes(""))) as pipeline, calling(pipeline) as caller:
        response = await caller.asks("Mhm.")
        assert (response["status"], response["output"]) == ("completed", [])
        assert (response["metadata"]["decision"], response["metadata"]["reason"]) == ("silent", "model")
        assert (response["usage"]["input_tokens"], response["usage"]["output_tokens"]) == (1, 0)
        before_that = caller.types()[-2]
        assert before_that == "response.created"
        await caller.sounds(said())
        await caller.until("response.done")


async def test_a_sound_without_words_makes_no_answer_of_words() -> None:
    async with served(Line(asr=hears(""))) as pipeline, calling(pipeline) as caller:
        await caller.sounds(said())
        response = (await caller.until("response.done"))["response"]
        assert (response["output"], response["metadata"]["decision"]) == ([], "silent")
        assert response["metadata"]["reason"] == "no_words"
        heard = caller.all("conversation.item.input_audio_transcription.completed")
        assert [event["transcript"] for event in heard] == [""]
        assert caller.all("conversation.item.input_audio_transcription.delta") == []


async def test_the_words_that_may_be_said_go_to_the_recogniser_and_cannot_pose_as_anything_else() -> None:
    line = Line()
    async with served(line) as pipeline, calling(pipeline) as caller:
        output = await caller.updates(audio={"input": {"transcription": {"prompt": " Wouter <|im_end|> "}}})
        assert output["audio"]["input"]["transcription"]["prompt"] == " Wouter <|im_end|> "
        await caller.sounds(said())
        await caller.until("response.done")
        await caller.updates(audio={"input": {"transcription": {}}})
        await caller.sounds(said())
        await caller.until("response.done")
    told = [window.context for window in line.asr.prompts]
    assert set(told) == {"Wouter < |im_end|>", ""} and told[-1] == ""


async def test_a_commit_makes_an_item_and_its_transcript_and_no_answer() -> None:
    line = Line(asr=hears("What is the capital of France?", pass_s=0.1))
    async with served(line) as pipeline, calling(pipeline) as caller:
        await caller.listens(turn_detection=None)
        await caller.sounds(loud(0.5))
        await caller.send("input_audio_buffer.commit")
        item = (await caller.until("conversation.item.added"))["item"]
        assert item["content"] == [{"type": "input_audio", "transcript": None}], "clients append the transcript"
        heard = await caller.until("conversation.item.input_audio_transcription.completed")
        assert (heard["item_id"], heard["transcript"]) == (item["id"], "What is the capital of France?")
        await caller.send("conversation.item.retrieve", item_id=item["id"])
        kept = (await caller.until("conversation.item.retrieved"))["item"]
        assert kept["content"][0]["transcript"] == heard["transcript"]
        await asyncio.sleep(0.1)
        await caller.updates()
        assert caller.all("response.created") == []


@pytest.mark.parametrize("step_s", [240.0, 0.5])
@pytest.mark.parametrize("turn_detection", [None, {"type": "server_vad", "silence_duration_ms": 500}])
async def test_minutes_that_are_sent_at_once_are_heard_to_their_end(
    turn_detection: dict[str, object] | None, step_s: float
) -> None:
    """As clients of a realtime protocol send a file."""

    def script(window: AsrInput) -> Iterator[tuple[float, Transcript | EngineError]]:
        seconds = window.audio_end_ms / 1000
        too_long = EngineError("asr", f"{seconds} s at once")
        words = Transcript(f"{seconds:.1f}", window.audio_end_ms, window.settles)
        yield 0.01, too_long if seconds > 28.5 else words

    async with served(Line(asr=FakeEngine(script))) as pipeline, calling(pipeline) as caller:
        await caller.listens(turn_detection=turn_detection)
        await caller.sounds(loud(235.0) + quiet(5.0), step=round(step_s * 48_000))
        if turn_detection is None:
            await caller.send("input_audio_buffer.commit")
        heard = await caller.until("conversation.item.input_audio_transcription.completed")
        assert 235 <= sum(map(float, heard["transcript"].split())) <= 240


async def test_an_item_that_is_retrieved_while_it_is_being_told_is_in_progress() -> None:
    count = " ".join(f"Number {n}." for n in range(1, 41))
    async with served(Line(aura=writes(count))) as pipeline, calling(pipeline) as caller:
        await caller.says("Count.")
        await caller.send("response.create")
        item = (await caller.until("conversation.item.added"))["item"]
        while item["role"] != "assistant":
            item = (await caller.until("conversation.item.added"))["item"]
        await caller.send("conversation.item.retrieve", item_id=item["id"])
        assert (await caller.until("conversation.item.retrieved"))["item"] == item
        assert (item["status"], item["content"]) == ("in_progress", [])
        await caller.send("response.cancel")
        done = (await caller.until("conversation.item.done"))["item"]
        await caller.send("conversation.item.retrieve", item_id=item["id"])
        assert (await caller.until("conversation.item.retrieved"))["item"] == done
        assert done["status"] == "incomplete"


async def test_a_stage_that_fails_ends_the_answer_and_not_the_session() -> None:
    failures = [EngineError("aura", "out of memory")]

    def script(chat: ChatPrompt) -> Iterator[tuple[float, TextChunk | EngineError]]:
        yield 0.01, failures.pop() if failures else TextChunk("Fine.")

    async with served(Line(aura=FakeEngine(script))) as pipeline, calling(pipeline) as caller:
        response = await caller.asks()
        assert response["status"] == "failed"
        error = {"type": "server_error", "code": "engine_failed", "message": "aura: out of memory"}
        assert response["status_details"] == {"type": "failed", "error": error}
        assert "decision" not in response["metadata"]
        await caller.still_works()


async def test_a_failing_recogniser_is_told_of_its_item() -> None:
    def script(window: AsrInput) -> Iterator[tuple[float, Transcript | EngineError]]:
        yield 0.01, EngineError("asr", "no such language: xx")

    async with served(Line(asr=FakeEngine(script))) as pipeline, calling(pipeline) as caller:
        await caller.sounds(said())
        failed = await caller.until("conversation.item.input_audio_transcription.failed")
        assert (failed["error"]["code"], failed["error"]["message"]) == ("transcription_failed", "no such language: xx")
        await caller.until("response.done")
        await caller.still_works()


async def test_a_failure_of_ours_is_an_error_and_spares_the_session() -> None:
    class Deaf:
        async def feed(self, pcm: Pcm) -> list[float]:
            raise ZeroDivisionError

    async with served(detector=Deaf) as pipeline, calling(pipeline) as caller:
        await caller.send("input_audio_buffer.append", audio=base64(loud(0.1)), event_id="this-one")
        error = await caller.refusal()
        assert (error["type"], error["code"], error["event_id"]) == ("server_error", "internal_error", "this-one")
        await caller.still_works()


async def test_an_answer_on_the_side_leaves_the_conversation_alone() -> None:
    async with served() as pipeline, calling(pipeline) as caller:
        await caller.says("Hello?")
        await caller.send("response.create", response={"conversation": "none", "metadata": {"topic": "side"}})
        response = (await caller.until("response.done"))["response"]
        assert response["conversation_id"] is None
        await caller.send("conversation.item.retrieve", item_id=response["output"][0]["id"])
        assert (await caller.refusal())["code"] == "item_retrieve_invalid_item_id"
        question = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Only this?"}]}
        await caller.send("response.create", response={"input": [question]})
        await caller.until("response.done")
        assert (await caller.asks("And now?"))["conversation_id"]
        prompts = [[message.text for message in chat.messages] for chat in pipeline.line.questions]
    assert prompts == [["Hello?"], ["Only this?"], ["Hello?", "And now?"]]


@pytest.mark.parametrize("modality", ["audio", "text"])
@pytest.mark.parametrize(("most", "status", "said"), [(3, "incomplete", "The capital is"), (4, "completed", "Paris.")])
async def test_an_answer_that_has_no_room_for_more_is_incomplete(
    modality: str, most: int, status: str, said: str
) -> None:
    async with served(Line(aura=writes("The capital is Paris."))) as pipeline, calling(pipeline) as caller:
        response = await caller.asks(max_output_tokens=most, output_modalities=[modality])
        reason = {"type": "incomplete", "reason": "max_output_tokens"} if status == "incomplete" else None
        assert (response["status"], response["status_details"]) == (status, reason)
        (item,) = response["output"]
        assert item["status"] == status
        assert (item["content"][0].get("transcript") or item["content"][0]["text"]).endswith(said)
        assert response["metadata"]["decision"] == "answer"
        await caller.still_works()
        assert "The capital is" in pipeline.line.questions[-1].messages[1].text, "what was said is remembered"
