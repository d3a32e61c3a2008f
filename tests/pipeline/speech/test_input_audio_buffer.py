"""From sound to utterances, frame by frame."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing

import numpy as np
import pytest

from pipeline.engines.fake import FakeEngine, Step
from pipeline.errors import RequestError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.speech.input_audio_buffer import InputAudioBuffer
from pipeline.speech.speech_events import (
    SpeechEvent,
    UtteranceBegan,
    UtteranceEnded,
    UtteranceForgotten,
    UtterancePaused,
    UtteranceResumed,
    UtteranceSettled,
)
from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.speech.vad_frontend import FRAME, Pcm, VoiceActivityDetector
from pipeline.types.chunks import AsrInput, Transcript
from pipeline.types.session_options import Endpointing, SessionOptions, TurnDetectionOptions
from tests.scenario import Loudness

SERVER_VAD = SessionOptions(detection=TurnDetectionOptions(Endpointing(onset_ms=96, pause_ms=256, end_ms=512)))
LOUD, QUIET = 0.5, 0.0


class Counting(Loudness):
    """Counts the frames that it judges."""

    frames = 0

    async def feed(self, pcm: Pcm) -> list[float]:
        self.frames += len(pcm) // FRAME
        return await super().feed(pcm)


class Call:
    """A `InputAudioBuffer` with all that it noticed.

    Attributes:
        begun: The utterances.
        ended: How many of them the session's own detection had found complete.
    """

    def __init__(self, options: SessionOptions | None = None, detector: VoiceActivityDetector | None = None) -> None:
        self.events: list[SpeechEvent] = []
        self.listening = InputAudioBuffer(detector or Loudness())
        self.listening.configure(options or SessionOptions())

    @property
    def begun(self) -> list[StreamingTranscriber]:
        return [event.transcriber for event in self.events if isinstance(event, UtteranceBegan)]

    @property
    def began_ms(self) -> list[int]:
        return [event.audio_ms for event in self.events if isinstance(event, UtteranceBegan)]

    @property
    def ended_ms(self) -> list[int]:
        return [event.audio_ms for event in self.events if isinstance(event, UtteranceEnded)]

    @property
    def forgotten(self) -> int:
        return self.events.count(UtteranceForgotten())

    async def hears(self, level: float, frames: int) -> None:
        for _ in range(frames):
            await self.takes(sound(level))

    async def takes(self, pcm: Pcm) -> None:
        self.events += await self.listening.append(pcm)

    def activity(self, speaking: bool, audio_ms: int | None = None) -> list[SpeechEvent]:
        """What changed by it."""
        changed = self.listening.activity(speaking, audio_ms)
        self.events += changed
        return changed

    async def understands(self, text: str, sentence_end: float | None = None) -> None:
        """The recogniser takes all that was said so far for `text`."""

        def script(window: AsrInput) -> Iterator[Step[Transcript]]:
            yield 0.0, Transcript(text, window.audio_end_ms, window.settles, sentence_end=sentence_end)

        async with aclosing(self.begun[-1].listen(FakeEngine(script), "r")) as hypotheses:
            await anext(hypotheses)


async def test_an_utterance_begins_half_a_second_before_speech_was_noticed() -> None:
    call = Call(SERVER_VAD)
    await call.hears(QUIET, 100)
    await call.hears(LOUD, 2)
    assert call.begun == []
    await call.hears(LOUD, 1)
    assert call.begun[0].duration_ms == 512 + 32
    assert call.began_ms == [102 * 32 - 512]


async def test_an_utterance_at_the_very_beginning_has_only_what_there_was() -> None:
    call = Call(SERVER_VAD)
    await call.hears(LOUD, 3)
    assert call.begun[0].duration_ms == 96
    assert call.began_ms == [0]


async def test_the_sessions_own_detection_ends_a_turn_and_says_when() -> None:
    call = Call(SERVER_VAD)
    await call.hears(LOUD, 10)
    await call.hears(QUIET, 15)
    assert call.begun[0].speaking is False
    assert call.ended_ms == []
    await call.hears(QUIET, 1)
    assert call.events == [
        UtteranceBegan(call.begun[0], 0),
        UtterancePaused(256),
        UtteranceEnded(26 * 32),
    ]


async def test_speech_ended_when_the_person_fell_silent_and_not_when_that_was_noticed() -> None:
    for options in (SERVER_VAD, SessionOptions(detection=TurnDetectionOptions(Endpointing(pause_ms=256, end_ms=128)))):
        call, began = Call(options), now()
        silent_since: list[float] = []
        for level, frames in ((LOUD, 10), (QUIET, 20)):
            for _ in range(frames):
                await asyncio.sleep(0.032)
                known = len(call.events)
                await call.hears(level, 1)
                pauses = [event for event in call.events[known:] if isinstance(event, UtterancePaused)]
                silent_since += [now() - pause.silent_ms / 1000 for pause in pauses]
        assert silent_since == [pytest.approx(began + 0.320)]


async def test_a_client_may_say_when_the_person_fell_silent() -> None:
    call = Call()
    await call.hears(LOUD, 10)
    assert call.activity(False, 200) == [UtterancePaused(120)]


async def test_an_append_that_holds_several_turns_is_heard_as_several() -> None:
    call = Call(SERVER_VAD)
    turn = [sound(LOUD)] * 20 + [sound(QUIET)] * 40
    await call.takes(np.concatenate(turn * 3))
    assert len(call.ended_ms) == 3
    assert call.began_ms == [0, 62 * 32 - 512, 122 * 32 - 512]


async def test_a_turn_that_begins_in_the_append_in_which_another_ends_has_an_end_too() -> None:
    call = Call(SERVER_VAD)
    await call.takes(np.concatenate([sound(LOUD)] * 20 + [sound(QUIET)] * 40 + [sound(LOUD)] * 20))
    assert len(call.ended_ms) == 1
    await call.hears(QUIET, 16)
    assert len(call.ended_ms) == 2


async def test_sound_in_pieces_of_any_size_is_heard_alike() -> None:
    whole = np.concatenate([sound(QUIET)] * 30 + [sound(LOUD)] * 30 + [sound(QUIET)] * 30)
    heard = []
    for size in (len(whole), FRAME, 160, 333):
        call = Call(SERVER_VAD)
        for start in range(0, len(whole), size):
            await call.takes(whole[start : start + size])
        heard.append((call.began_ms, call.ended_ms, call.begun[0].duration_ms))
    assert heard == [heard[0]] * 4


async def test_a_client_with_its_own_detection_opens_pauses_and_resumes() -> None:
    call = Call()
    await call.hears(QUIET, 20)
    call.activity(True)
    transcriber = call.begun[0]
    assert (transcriber.duration_ms, transcriber.speaking) == (512, True)
    call.activity(False)
    paused = transcriber.speaking
    call.activity(True)
    assert (paused, transcriber.speaking, len(call.begun)) == (False, True, 1)
    assert call.events == [UtteranceBegan(transcriber, 20 * 32 - 512), UtterancePaused(0), UtteranceResumed()]


async def test_a_client_is_told_again_what_was_heard_when_it_notices_a_pause_that_the_session_knows() -> None:
    call = Call()
    await call.hears(LOUD, 10)
    await call.hears(QUIET, 3)
    await call.understands("Yes.")
    await call.hears(QUIET, 5)
    settled = UtteranceSettled(call.begun[0].newest)
    assert settled.hypothesis.settled
    assert call.events[1:] == [UtterancePaused(256), settled]
    assert call.activity(False) == [settled]


async def test_while_a_client_with_its_own_detection_hears_nobody_nothing_is_detected() -> None:
    counting = Counting()
    call = Call(detector=counting)
    for _ in range(2):
        call.activity(True)
        await call.hears(LOUD, 20)
        call.activity(False)
        await call.hears(QUIET, 20)
        call.listening.commit()
        await call.hears(QUIET, 500)
    assert counting.frames == 40 + 16 + 40, "half a second of what was not judged, so that it knows where it is"
    assert len(call.begun) == 2
    await call.hears(LOUD, 20)
    assert len(call.begun) == 2, "the client knows better"


async def test_a_client_that_commits_in_the_middle_of_speech_is_heard_on() -> None:
    call = Call()
    call.activity(True)
    await call.hears(LOUD, 20)
    call.listening.commit()
    await call.hears(LOUD, 20)
    assert [transcriber.duration_ms for transcriber in call.begun] == [640, 640]


async def test_a_client_that_leaves_detection_to_the_session_again_is_heard() -> None:
    call = Call()
    call.activity(True)
    call.activity(False)
    await call.hears(QUIET, 20)
    call.listening.commit()
    await call.hears(QUIET, 20)
    call.listening.configure(SERVER_VAD)
    await call.hears(LOUD, 10)
    await call.hears(QUIET, 20)
    assert (len(call.begun), len(call.ended_ms)) == (2, 1)


async def test_a_client_that_only_says_when_somebody_pauses_does_not_say_when_they_begin() -> None:
    call = Call()
    for _ in range(2):
        await call.hears(LOUD, 10)
        call.activity(False)
        call.listening.commit()
    assert len(call.begun) == 2


async def test_a_pause_that_nobody_spoke_before_means_nothing() -> None:
    call = Call()
    call.activity(False)
    assert call.begun == []


async def test_without_detection_of_its_own_the_session_never_ends_a_turn() -> None:
    call = Call()
    await call.hears(LOUD, 10)
    await call.hears(QUIET, 1_000)
    assert call.ended_ms == []


async def test_a_commit_closes_the_utterance_and_the_next_sound_opens_another() -> None:
    call = Call()
    await call.hears(LOUD, 10)
    assert call.listening.commit() is call.begun[0]
    await call.hears(LOUD, 10)
    assert call.listening.commit() is call.begun[1]
    assert call.begun[1].duration_ms == 320


async def test_a_commit_takes_the_frame_that_has_begun_along() -> None:
    call = Call()
    await call.hears(LOUD, 10)
    await call.takes(sound(LOUD)[:320])
    call.listening.commit()
    assert call.begun[0].duration_ms == 320 + 20


async def test_the_clock_counts_every_sample_that_was_appended() -> None:
    call = Call(SERVER_VAD)
    for _ in range(100):
        await call.takes(np.zeros(1_760, np.float32))
        call.listening.commit()
    await call.hears(LOUD, 3)
    assert call.began_ms == [100 * 110]


async def test_too_little_sound_cannot_be_committed_and_is_not_lost() -> None:
    call = Call()
    await call.takes(np.full(1_500, LOUD, np.float32))
    with pytest.raises(RequestError, match="93 ms, at least 100 ms") as refused:
        call.listening.commit()
    assert refused.value.code == "input_audio_buffer_commit_empty"
    await call.takes(np.full(100, LOUD, np.float32))
    call.listening.commit()
    with pytest.raises(RequestError, match="holds 0 ms"):
        call.listening.commit()


async def test_a_commit_in_silence_is_an_utterance_in_which_nothing_is_to_be_heard() -> None:
    call = Call()
    await call.hears(QUIET, 10)
    transcriber = call.listening.commit()
    assert [window async for window in transcriber.windows()] == []


async def test_a_sound_without_words_is_forgotten_after_two_seconds_of_silence() -> None:
    call = Call()
    await call.hears(LOUD, 5)
    await call.hears(QUIET, 8)
    await call.understands("")
    await call.hears(QUIET, 62)
    assert call.forgotten == 0
    await call.hears(QUIET, 1)
    assert call.forgotten == 1
    await call.hears(LOUD, 3)
    assert call.begun[1].duration_ms == 96, "what was forgotten is not heard again"


async def test_a_sound_that_the_caller_was_told_of_ends_like_any_other() -> None:
    call = Call(SessionOptions(detection=TurnDetectionOptions(Endpointing(end_ms=4_096))))
    await call.hears(LOUD, 5)
    await call.hears(QUIET, 8)
    await call.understands("")
    await call.hears(QUIET, 120)
    assert (call.forgotten, len(call.ended_ms)) == (0, 1)


async def test_words_are_never_forgotten() -> None:
    call = Call()
    await call.hears(LOUD, 5)
    await call.hears(QUIET, 8)
    await call.understands("Yes.")
    await call.hears(QUIET, 5_000)
    assert call.forgotten == 0


async def test_a_second_cough_begins_the_two_seconds_anew() -> None:
    call = Call()
    await call.hears(LOUD, 5)
    await call.hears(QUIET, 8)
    await call.understands("")
    await call.hears(QUIET, 60)
    call.activity(True)
    await call.hears(QUIET, 1)
    call.activity(False)
    await call.hears(QUIET, 100)
    assert call.forgotten == 0, "the second cough has not been listened to"


async def test_clearing_drops_the_utterance_and_forgets_the_sound() -> None:
    call = Call(SERVER_VAD)
    await call.hears(LOUD, 20)
    assert call.listening.clear() == [UtteranceForgotten()]
    with pytest.raises(RequestError, match="holds 0 ms"):
        call.listening.commit()
    await call.hears(QUIET, 100)
    assert call.ended_ms == []


async def test_clearing_in_silence_forgets_the_sound_too() -> None:
    call = Call()
    await call.hears(QUIET, 20)
    assert call.listening.clear() == []
    await call.hears(LOUD, 3)
    assert call.begun[0].duration_ms == 96, "the pre-roll was cleared too"


async def test_a_sentence_that_is_not_finished_is_given_twice_as_long_and_who_asks_to_wait_four_times() -> None:
    detection = TurnDetectionOptions(Endpointing(end_ms=512), semantic=True)
    for text, frames in (("What is the", 32), ("What is it?", 16), ("This is the.", 32), ("Let me think.", 64)):
        call = Call(SessionOptions(detection=detection))
        await call.hears(LOUD, 10)
        await call.hears(QUIET, 8)
        await call.understands(text)
        await call.hears(QUIET, frames - 9)
        assert call.ended_ms == []
        await call.hears(QUIET, 1)
        assert len(call.ended_ms) == 1


async def test_a_sentence_whose_end_a_recogniser_that_writes_marks_doubts_is_given_longer() -> None:
    detection = TurnDetectionOptions(Endpointing(end_ms=512), semantic=True)
    call = Call(SessionOptions(detection=detection))
    for text, sentence_end, frames in (("what is it", 0.1, 16), ("What is it?", 0.9, 10), ("What is it?", 0.1, 64)):
        await call.hears(LOUD, 10)
        await call.hears(QUIET, 8)
        call.listening.judged(0.98)
        await call.understands(text, sentence_end)
        ended = len(call.ended_ms)
        await call.hears(QUIET, frames - 9)
        assert len(call.ended_ms) == ended, text
        await call.hears(QUIET, 1)
        assert len(call.ended_ms) == ended + 1, text


async def test_nobody_is_heard_faster_than_they_are_judged_and_their_sound_stays_in_order() -> None:
    class Slow(Loudness):
        async def feed(self, pcm: Pcm) -> list[float]:
            await asyncio.sleep(0.1)
            return await super().feed(pcm)

    call = Call(detector=Slow())
    for number in range(20):
        await call.takes(np.full(FRAME, 0.5 + number / 100, np.float32))
    assert now() == pytest.approx(2.0)
    transcriber = call.listening.commit()
    async with aclosing(transcriber.windows()) as windows:
        window = await anext(windows)
    assert window.pcm[::FRAME].tolist() == pytest.approx([0.5 + number / 100 for number in range(20)])


async def test_a_long_silence_leaves_half_a_second() -> None:
    call = Call()
    for _ in range(100):
        await call.takes(np.zeros(SPEECH_RATE, np.float32))
    call.activity(True)
    assert call.begun[0].duration_ms == 512


def sound(level: float) -> Pcm:
    return np.full(FRAME, level, np.float32)


def now() -> float:
    return asyncio.get_running_loop().time()
