"""From sound to utterances, frame by frame."""

import asyncio
from contextlib import aclosing

import numpy as np
import pytest

from pipeline.engines.fake import hears
from pipeline.errors import RequestError
from pipeline.speech.input_audio_buffer import InputAudioBuffer
from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.speech.utterance import TurnContext, Utterance
from pipeline.speech.vad_frontend import FRAME, Pcm
from pipeline.speech.voice_activity import Endpointing
from pipeline.types.chunks import SPEECH_RATE, TurnId
from pipeline.types.history import History
from pipeline.types.session_events import InputCleared, SessionEvent, SpeechStarted, SpeechStopped
from pipeline.types.session_options import SessionOptions, TurnDetectionOptions
from pipeline.types.turn_request import ResponseOptions
from tests.scenario import Loudness

SERVER_VAD = SessionOptions(detection=TurnDetectionOptions(Endpointing(onset_ms=96, pause_ms=256, end_ms=512)))
LOUD, QUIET = 0.5, 0.0


class Call:
    """A `InputAudioBuffer` whose utterances are kept, and whose turns end in a commit."""

    def __init__(self, options: SessionOptions | None = None) -> None:
        self.begun: list[Utterance] = []
        self.dropped: list[str] = []
        self.ended: list[str] = []
        self.told: list[SessionEvent] = []
        self.listening = InputAudioBuffer(Loudness(), self._begin, self._drop, self._end, self.told.append)
        self.listening.configure(options or SessionOptions())

    async def hears(self, level: float, frames: int) -> None:
        for _ in range(frames):
            await self.listening.hear(sound(level))

    async def understands(self, text: str) -> None:
        """The recogniser takes all that was said so far for `text`."""
        async with aclosing(self.begun[-1].transcriber.listen(hears(text), "r")) as hypotheses:
            await anext(hypotheses)

    def _begin(self) -> Utterance:
        number = len(self.begun)
        question = TurnContext(History, lambda response_options: (), ResponseOptions)
        self.begun.append(Utterance(TurnId("s", number), f"item_{number}", StreamingTranscriber(None, None), question))
        return self.begun[-1]

    def _drop(self, utterance: Utterance) -> None:
        self.dropped.append(utterance.item_id)

    def _end(self) -> None:
        self.ended.append(self.listening.commit().item_id)


async def test_an_utterance_begins_half_a_second_before_speech_was_noticed() -> None:
    call = Call(SERVER_VAD)
    await call.hears(QUIET, 100)
    await call.hears(LOUD, 2)
    assert call.begun == []
    await call.hears(LOUD, 1)
    assert call.begun[0].transcriber.duration_ms == 512 + 32
    assert call.told == [SpeechStarted("item_0", 102 * 32 - 512)]


async def test_an_utterance_at_the_very_beginning_has_only_what_there_was() -> None:
    call = Call(SERVER_VAD)
    await call.hears(LOUD, 3)
    assert call.begun[0].transcriber.duration_ms == 96
    assert call.told == [SpeechStarted("item_0", 0)]


async def test_the_sessions_own_detection_ends_a_turn_and_says_when() -> None:
    call = Call(SERVER_VAD)
    await call.hears(LOUD, 10)
    await call.hears(QUIET, 15)
    assert call.begun[0].transcriber.speaking is False
    assert call.ended == []
    await call.hears(QUIET, 1)
    assert call.ended == ["item_0"]
    assert call.told[1:] == [SpeechStopped("item_0", 26 * 32)]
    assert call.listening.utterance is None


async def test_speech_ended_when_the_person_fell_silent_and_not_when_that_was_noticed() -> None:
    for options in (SERVER_VAD, SessionOptions(detection=TurnDetectionOptions(Endpointing(pause_ms=256, end_ms=128)))):
        call, began = Call(options), now()
        for level, frames in ((LOUD, 10), (QUIET, 20)):
            for _ in range(frames):
                await asyncio.sleep(0.032)
                await call.hears(level, 1)
        assert call.begun[0].speech_end == pytest.approx(began + 0.320)


async def test_a_client_may_say_when_the_person_fell_silent() -> None:
    call = Call()
    await call.hears(LOUD, 10)
    await asyncio.sleep(9)
    call.listening.activity(False, 200)
    assert call.begun[0].speech_end == pytest.approx(9 - 0.120)


async def test_an_append_that_holds_several_turns_is_heard_as_several() -> None:
    call = Call(SERVER_VAD)
    turn = [sound(LOUD)] * 20 + [sound(QUIET)] * 40
    await call.listening.hear(np.concatenate(turn * 3))
    assert call.ended == ["item_0", "item_1", "item_2"]
    starts = [event.audio_ms for event in call.told if isinstance(event, SpeechStarted)]
    assert starts == [0, 62 * 32 - 512, 122 * 32 - 512]


async def test_a_turn_that_begins_in_the_append_in_which_another_ends_has_an_end_too() -> None:
    call = Call(SERVER_VAD)
    await call.listening.hear(np.concatenate([sound(LOUD)] * 20 + [sound(QUIET)] * 40 + [sound(LOUD)] * 20))
    assert call.ended == ["item_0"]
    await call.hears(QUIET, 16)
    assert call.ended == ["item_0", "item_1"]


async def test_sound_in_pieces_of_any_size_is_heard_alike() -> None:
    whole = np.concatenate([sound(QUIET)] * 30 + [sound(LOUD)] * 30 + [sound(QUIET)] * 30)
    heard = []
    for size in (len(whole), FRAME, 160, 333):
        call = Call(SERVER_VAD)
        for start in range(0, len(whole), size):
            await call.listening.hear(whole[start : start + size])
        heard.append((call.told, call.begun[0].transcriber.duration_ms))
    assert heard == [heard[0]] * 4


async def test_a_client_with_its_own_detection_opens_pauses_and_resumes() -> None:
    call = Call()
    await call.hears(QUIET, 20)
    call.listening.activity(True)
    transcriber = call.begun[0].transcriber
    assert (transcriber.duration_ms, transcriber.speaking) == (512, True)
    call.listening.activity(False)
    paused = transcriber.speaking
    call.listening.activity(True)
    assert (paused, transcriber.speaking, len(call.begun)) == (False, True, 1)
    assert call.told == []


async def test_a_pause_that_nobody_spoke_before_means_nothing() -> None:
    call = Call()
    call.listening.activity(False)
    assert call.begun == []


async def test_without_detection_of_its_own_the_session_never_ends_a_turn() -> None:
    call = Call()
    await call.hears(LOUD, 10)
    await call.hears(QUIET, 1_000)
    assert call.ended == []


async def test_a_commit_closes_the_utterance_and_the_next_sound_opens_another() -> None:
    call = Call()
    await call.hears(LOUD, 10)
    assert call.listening.commit() is call.begun[0]
    await call.hears(LOUD, 10)
    assert call.listening.commit() is call.begun[1]
    assert call.begun[1].transcriber.duration_ms == 320


async def test_a_commit_takes_the_frame_that_has_begun_along() -> None:
    call = Call()
    await call.hears(LOUD, 10)
    await call.listening.hear(sound(LOUD)[:320])
    call.listening.commit()
    assert call.begun[0].transcriber.duration_ms == 320 + 20


async def test_the_clock_counts_every_sample_that_was_appended() -> None:
    call = Call(SERVER_VAD)
    for _ in range(100):
        await call.listening.hear(np.zeros(1_760, np.float32))
        call.listening.commit()
    await call.hears(LOUD, 3)
    assert call.told == [SpeechStarted("item_100", 100 * 110)]


async def test_too_little_sound_cannot_be_committed_and_is_not_lost() -> None:
    call = Call()
    await call.listening.hear(np.full(1_500, LOUD, np.float32))
    with pytest.raises(RequestError, match="93 ms, at least 100 ms") as refused:
        call.listening.commit()
    assert refused.value.code == "input_audio_buffer_commit_empty"
    await call.listening.hear(np.full(100, LOUD, np.float32))
    call.listening.commit()
    with pytest.raises(RequestError, match="holds 0 ms"):
        call.listening.commit()


async def test_a_commit_in_silence_is_an_utterance_in_which_nothing_is_to_be_heard() -> None:
    call = Call()
    await call.hears(QUIET, 10)
    transcriber = call.listening.commit().transcriber
    assert [window async for window in transcriber.windows()] == []


async def test_a_sound_without_words_is_forgotten_after_two_seconds_of_silence() -> None:
    call = Call()
    await call.hears(LOUD, 5)
    await call.hears(QUIET, 8)
    await call.understands("")
    await call.hears(QUIET, 62)
    assert call.dropped == []
    await call.hears(QUIET, 1)
    assert call.dropped == ["item_0"]
    await call.hears(LOUD, 3)
    assert call.begun[1].transcriber.duration_ms == 96, "what was forgotten is not heard again"


async def test_a_sound_that_the_caller_was_told_of_ends_like_any_other() -> None:
    call = Call(SessionOptions(detection=TurnDetectionOptions(Endpointing(end_ms=4_096))))
    await call.hears(LOUD, 5)
    await call.hears(QUIET, 8)
    await call.understands("")
    await call.hears(QUIET, 120)
    assert (call.dropped, call.ended) == ([], ["item_0"])


async def test_words_are_never_forgotten() -> None:
    call = Call()
    await call.hears(LOUD, 5)
    await call.hears(QUIET, 8)
    await call.understands("Yes.")
    await call.hears(QUIET, 5_000)
    assert call.dropped == []


async def test_a_second_cough_begins_the_two_seconds_anew() -> None:
    call = Call()
    await call.hears(LOUD, 5)
    await call.hears(QUIET, 8)
    await call.understands("")
    await call.hears(QUIET, 60)
    call.listening.activity(True)
    await call.hears(QUIET, 1)
    call.listening.activity(False)
    await call.hears(QUIET, 100)
    assert call.dropped == [], "the second cough has not been listened to"


async def test_clearing_drops_the_utterance_and_forgets_the_sound() -> None:
    call = Call(SERVER_VAD)
    await call.hears(LOUD, 20)
    call.listening.clear()
    assert call.dropped == ["item_0"]
    assert call.told[-1] == InputCleared()
    with pytest.raises(RequestError, match="holds 0 ms"):
        call.listening.commit()
    await call.hears(QUIET, 100)
    assert call.ended == []


async def test_clearing_in_silence_is_answered_too() -> None:
    call = Call()
    await call.hears(QUIET, 20)
    call.listening.clear()
    assert (call.told, call.dropped) == ([InputCleared()], [])
    await call.hears(LOUD, 3)
    assert call.begun[0].transcriber.duration_ms == 96, "the pre-roll was cleared too"


async def test_a_sentence_that_is_not_finished_is_given_twice_as_long() -> None:
    detection = TurnDetectionOptions(Endpointing(end_ms=512), semantic=True)
    for text, frames in (("What is the", 32), ("What is it?", 16)):
        call = Call(SessionOptions(detection=detection))
        await call.hears(LOUD, 10)
        await call.hears(QUIET, 8)
        await call.understands(text)
        await call.hears(QUIET, frames - 9)
        assert call.ended == []
        await call.hears(QUIET, 1)
        assert call.ended == ["item_0"]


async def test_a_long_silence_leaves_half_a_second() -> None:
    call = Call()
    for _ in range(100):
        await call.listening.hear(np.zeros(SPEECH_RATE, np.float32))
    call.listening.activity(True)
    assert call.begun[0].transcriber.duration_ms == 512


def sound(level: float) -> Pcm:
    return np.full(FRAME, level, np.float32)


def now() -> float:
    return asyncio.get_running_loop().time()
