"""One utterance: what the recogniser is asked, and what is made of its answers."""

import asyncio
import math
import tracemalloc
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest

from pipeline.engines.fake import FakeEngine, Step, hears
from pipeline.errors import EngineError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.speech.speech_window import LONGEST_WINDOW_MS, LULL_MS
from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.speech.vad_frontend import FRAME, Pcm
from pipeline.types.chunks import AsrInput, Transcript
from pipeline.types.hypothesis import Hypothesis
from tests.tidy import nothing_left

FRAME_S = FRAME / SPEECH_RATE


class Person:
    """Speaks into a `StreamingTranscriber` in real time, with a recogniser at the other end."""

    def __init__(self, transcriber: StreamingTranscriber, recogniser: FakeEngine[AsrInput, Transcript]) -> None:
        self.transcriber = transcriber
        self.recogniser = recogniser
        self.heard: list[Hypothesis] = []
        self.settled: list[tuple[float, str]] = []

    @property
    def window_ms(self) -> list[int]:
        return [window.audio_end_ms for window in self.recogniser.prompts]

    async def says(self, frames: int) -> None:
        self.transcriber.resume()
        await self._sounds(frames, 0.5)

    async def pauses(self, frames: int, silent_ms: int = 0) -> None:
        self.transcriber.pause(silent_ms)
        await self._sounds(frames, 0.0)

    async def falls_silent(self, frames: int) -> None:
        """It is not known yet whether this is a pause."""
        await self._sounds(frames, 0.0)

    async def goes_on(self, frames: int) -> None:
        await self._sounds(frames, 0.5)

    async def _sounds(self, frames: int, level: float) -> None:
        for _ in range(frames):
            await asyncio.sleep(FRAME_S)
            self.transcriber.add(sound(level), voiced=level > 0)

    async def listens(self) -> None:
        async for hypothesis in self.transcriber.listen(self.recogniser, "r"):
            self.heard.append(hypothesis)

    async def follows(self) -> None:
        async for hypothesis in self.transcriber.hypotheses():
            if hypothesis.settled:
                self.settled.append((now(), hypothesis.text))


@asynccontextmanager
async def person(*texts: str, pass_s: float = 0.1, partial_ms: int | None = None) -> AsyncGenerator[Person, None]:
    someone = Person(StreamingTranscriber("en", partial_ms), hears(*texts, pass_s=pass_s))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(someone.listens())
        following = tasks.create_task(someone.follows())
        yield someone
        someone.transcriber.commit()
        someone.transcriber.settle()
        await asyncio.wait([following])


async def test_a_pause_asks_for_all_that_was_said_and_settles_it() -> None:
    async with person("Hi.") as someone:
        await someone.says(30)
        assert someone.window_ms == []
        await someone.pauses(10)
        assert someone.window_ms == [960]
        assert someone.settled == [(1.06, "Hi.")]


async def test_the_newest_sound_wins_when_the_recogniser_is_slow() -> None:
    async with person("a", "b", "c", pass_s=1.0) as someone:
        for _ in range(10):
            await someone.says(5)
            await someone.pauses(5)
        await asyncio.sleep(3)
        assert someone.window_ms == [160, 1152, 2144, 3136], "each pass has all that was there when it began"
        assert [window.language for window in someone.recogniser.prompts] == ["en"] * 4


async def test_a_lull_asks_for_all_that_was_said_and_the_pause_after_it_for_nothing_more() -> None:
    async with person("Hi.") as someone:
        await someone.says(30)
        await someone.falls_silent(8)
        await someone.pauses(10, silent_ms=256)
    assert someone.window_ms == [960 + LULL_MS]
    (heard, settled) = someone.heard[0], someone.settled[0]
    assert (heard.text, heard.settled) == ("Hi.", False), "it may be a breath"
    assert settled[0] == pytest.approx(0.96 + 0.256)
    assert settled[1] == "Hi."


async def test_what_was_heard_in_a_lull_is_not_settled_if_the_person_goes_on_and_asked_again_at_the_next() -> None:
    async with person("Hi", "Hi Ann.", pass_s=0.2) as someone:
        await someone.says(10)
        await someone.falls_silent(3)
        await someone.goes_on(10)
        await someone.falls_silent(8)
        await someone.pauses(10, silent_ms=256)
    assert someone.window_ms == [320 + LULL_MS, 320 + 96 + 320 + LULL_MS]
    assert {text for _, text in someone.settled} == {"Hi Ann."}


async def test_silence_too_short_for_a_lull_costs_no_pass() -> None:
    async with person("Hi.") as someone:
        for _ in range(20):
            await someone.goes_on(5)
            await someone.falls_silent(1)
        assert someone.window_ms == []


async def test_a_pass_over_running_speech_does_not_begin_while_a_lull_may_follow() -> None:
    async with person("Hi.", partial_ms=800) as someone:
        await someone.says(24)
        await someone.falls_silent(10)
    assert someone.window_ms == [24 * 32 + LULL_MS], "and not at 800 ms"


async def test_a_pass_that_began_while_the_person_spoke_settles_nothing() -> None:
    async with person("Hi.", "Hi Ann.", pass_s=0.02, partial_ms=800) as someone:
        await someone.says(25)
        await asyncio.sleep(0.03)
        assert [heard.settled for heard in someone.heard] == [False]
        await someone.falls_silent(8)
        await someone.pauses(10, silent_ms=256)
    assert {text for _, text in someone.settled} == {"Hi Ann."}


async def test_speech_that_only_the_caller_noticed_after_a_lull_is_heard_at_the_pause() -> None:
    async with person("Hi", "Hi Ann.") as someone:
        await someone.says(10)
        await someone.falls_silent(20)
        await someone.pauses(10, silent_ms=200)
    assert someone.window_ms == [320 + LULL_MS, 30 * 32]


async def test_what_was_heard_before_the_person_went_on_is_not_settled() -> None:
    async with person("Hi", "Hi Ann", pass_s=0.5) as someone:
        await someone.says(10)
        await someone.pauses(3)
        await someone.says(20)
        assert [hypothesis.settled for hypothesis in someone.heard] == [False]
        await someone.pauses(20)
        assert [text for _, text in someone.settled] == ["Hi Ann"]


async def test_what_was_heard_before_words_that_are_still_unheard_is_not_settled() -> None:
    async with person("Hi", "Hi Ann", pass_s=0.5) as someone:
        await someone.says(10)
        await someone.pauses(3)
        await someone.says(3)
        await someone.pauses(40)
        assert [text for _, text in someone.settled] == ["Hi Ann"]


async def test_what_was_heard_is_not_settled_if_the_person_is_about_to_go_on() -> None:
    async with person("Hi", pass_s=0.5) as someone:
        await someone.says(10)
        await someone.pauses(3)
        someone.transcriber.resume()
        await asyncio.sleep(1)
        assert [(hypothesis.text, hypothesis.settled) for hypothesis in someone.heard] == [("Hi", False)]


async def test_an_unchanged_utterance_is_not_transcribed_again() -> None:
    async with person("Hi.") as someone:
        await someone.says(10)
        for _ in range(5):
            await someone.pauses(100)
        someone.transcriber.commit()
        await asyncio.sleep(1)
        assert len(someone.recogniser.prompts) == 1


async def test_at_the_end_only_what_was_not_heard_yet_costs_a_pass() -> None:
    async with person("Hi", "Hi Ann.") as someone:
        await someone.says(10)
        await someone.pauses(10)
        await someone.says(10)
    assert someone.window_ms == [320, 960]
    assert someone.settled[-1] == (1.06, "Hi Ann.")


async def test_of_a_long_pause_its_beginning_and_its_end_are_kept() -> None:
    async with person("Hi", "Hi Ann.") as someone:
        await someone.says(10)
        await someone.pauses(200)
        await someone.says(10)
        await someone.pauses(1)
    kept_pause = 18 * 32 + 16 * 32
    assert someone.window_ms == [320, 320 + kept_pause + 320]


async def test_speech_that_is_noticed_late_after_a_long_pause_is_not_cut() -> None:
    async with person("Hi", "Hi Ann.") as someone:
        await someone.says(10)
        await someone.pauses(100)
        for _ in range(5):
            someone.transcriber.add(sound(0.9))
        await someone.says(1)
        await someone.pauses(1)
    assert loud_ms(someone.recogniser.prompts[-1].pcm) == 10 * 32 + 5 * 32 + 32


async def test_short_pauses_are_kept_whole() -> None:
    async with person("Hi", "Hi Ann.") as someone:
        await someone.says(10)
        await someone.pauses(18)
        await someone.says(10)
        await someone.pauses(1)
    assert someone.window_ms == [320, 38 * 32]


@pytest.mark.parametrize(
    ("pass_s", "window_ms"), [(0.1, [800, 1600, 2400, 3200]), (0.01, [800, 1120, 1440, 1760, 2080, 2400, 2720, 3040])]
)
async def test_running_speech_is_looked_at_as_often_as_was_asked_for_or_the_recogniser_is_quick(
    pass_s: float, window_ms: list[int]
) -> None:
    async with person("a", pass_s=pass_s, partial_ms=800) as someone:
        await someone.says(101)
        assert someone.window_ms == window_ms
        assert not any(window.settles for window in someone.recogniser.prompts)


async def test_without_partials_running_speech_costs_no_pass() -> None:
    async with person("a") as someone:
        await someone.says(800)
        assert someone.window_ms == []


async def test_after_a_long_window_a_settled_transcript_is_kept_and_the_next_window_starts_anew() -> None:
    async with person("One.", "Two.") as someone:
        await someone.says(650)
        await someone.pauses(10)
        await someone.says(20)
        await someone.pauses(10)
    assert someone.window_ms == [20_800, 30 * 32]
    assert [text for _, text in someone.settled] == ["One.", "One. Two.", "One. Two."]
    assert [(heard.stable_chars, heard.audio_end_ms) for heard in someone.heard] == [(0, 20_800), (4, 20_800 + 960)]
    assert someone.transcriber.duration_ms == 20_800 + 40 * 32


async def test_what_two_passes_heard_alike_up_to_a_lull_is_not_read_again() -> None:
    async with person("One", "One two.", "One two. Three", "Three four.", partial_ms=4_000) as someone:
        await someone.says(160)
        await someone.falls_silent(5)  # at the third frame it is a lull
        await someone.goes_on(135)
        await someone.pauses(10)
    lull_ms = 163 * 32
    assert someone.window_ms == [4_000, lull_ms, lull_ms + 4_000, 300 * 32 - lull_ms]
    assert [heard.text for heard in someone.heard] == ["One", "One two.", "One two. Three", "One two. Three four."]
    assert someone.heard[-1].stable_chars == len("One two.")
    assert someone.heard[-1].audio_end_ms == 300 * 32
    assert someone.settled[-1][1] == "One two. Three four."


async def test_what_a_later_pass_hears_otherwise_is_read_again() -> None:
    async with person("One", "One two.", "One too many", "One, too, manifold.", partial_ms=4_000) as someone:
        await someone.says(160)
        await someone.falls_silent(5)
        await someone.goes_on(135)
        await someone.pauses(10)
    assert someone.window_ms[-1] == 300 * 32
    assert someone.settled[-1][1] == "One, too, manifold."


async def test_somebody_who_never_pauses_is_heard_in_windows_that_have_an_end() -> None:
    async with person(*(f"{number}." for number in range(99))) as someone:
        for _ in range(300):
            someone.transcriber.add(np.full(SPEECH_RATE, 0.5, np.float32))
            await asyncio.sleep(1)
        someone.transcriber.pause()
        await asyncio.sleep(1)
    assert someone.window_ms == [28_000] * 10 + [20_000]
    assert someone.settled[-1][1] == "0. 1. 2. 3. 4. 5. 6. 7. 8. 9. 10."


async def test_a_hypothesis_says_how_likely_a_sentence_ends_there_by_the_newest_pass() -> None:
    likely = iter((("And then", 0.1), ("And then we", 0.25), ("And then we left.", 0.75)))

    def script(window: AsrInput) -> Iterator[Step[Transcript]]:
        text, sentence_end = next(likely)
        yield 0.1, Transcript(text, window.audio_end_ms, window.settles, sentence_end=sentence_end)

    transcriber, heard = StreamingTranscriber(None, None), list[float | None]()

    async def follow() -> None:
        async for hypothesis in transcriber.hypotheses():
            heard.append(hypothesis.sentence_end)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(drain(transcriber.listen(FakeEngine(script), "r")))
        tasks.create_task(follow())
        for _ in range(3):
            transcriber.resume()
            transcriber.add(np.full(SPEECH_RATE, 0.5, np.float32))
            transcriber.pause()
            await asyncio.sleep(1)
        transcriber.commit()
        transcriber.settle()
    assert heard == [None, 0.25, 0.75, None], "of a word or two, and of what is committed, nothing is told"


async def test_an_hour_with_pauses_is_heard_in_windows_that_have_an_end() -> None:
    window_ms: list[int] = []

    def script(window: AsrInput) -> Iterator[Step[Transcript]]:
        window_ms.append(window.audio_end_ms)
        yield 0.1, Transcript("Hm", window.audio_end_ms, window.settles)

    transcriber, recogniser = StreamingTranscriber(None, None), FakeEngine(script)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(drain(transcriber.listen(recogniser, "r")))
        for second in range(3600):
            transcriber.pause() if second % 10 == 9 else transcriber.resume()
            transcriber.add(np.full(SPEECH_RATE // 10, 0.5, np.float32))
            await asyncio.sleep(1)
            recogniser.prompts.clear()
        transcriber.commit()
    assert len(window_ms) == 360
    assert max(window_ms) < 21_000


async def test_a_sound_in_which_no_words_are_heard_is_noise_once_it_has_been_heard() -> None:
    async with person("") as someone:
        await someone.says(10)
        noise = [someone.transcriber.is_noise]
        await someone.pauses(2)
        noise.append(someone.transcriber.is_noise)
        await someone.pauses(10)
        noise.append(someone.transcriber.is_noise)
    assert noise == [False, False, True]
    assert someone.settled == []


async def test_words_that_turn_out_to_be_none_are_withdrawn() -> None:
    transcriber = StreamingTranscriber(None, None)
    told: list[Hypothesis] = []

    async def follow() -> None:
        async for hypothesis in transcriber.hypotheses():
            told.append(hypothesis)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(follow())
        tasks.create_task(drain(transcriber.listen(hears("Mhm.", ""), "r")))
        for _ in range(2):
            transcriber.resume()
            transcriber.add(sound(0.5))
            transcriber.pause()
            await asyncio.sleep(1)
        transcriber.commit()
        transcriber.settle()
    assert [(hypothesis.text, hypothesis.settled) for hypothesis in told] == [("Mhm.", True), ("", False), ("", False)]


async def test_a_recogniser_that_fails_asks_nothing_of_what_it_heard_before() -> None:
    def script(window: AsrInput) -> Iterator[Step[Transcript]]:
        yield 0.1, Transcript("Hi", 320, True) if window.audio_end_ms < 400 else EngineError("asr", "gone")

    transcriber = StreamingTranscriber(None, None)
    someone = Person(transcriber, FakeEngine(script))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(someone.listens())
        tasks.create_task(someone.follows())
        await someone.says(10)
        await someone.pauses(10)
        await someone.says(10)
        transcriber.commit()
        transcriber.settle()
    assert transcriber.error
    assert transcriber.error.stage == "asr"
    assert [text for _, text in someone.settled] == ["Hi"], "the guess at the pause, and nothing at the end"


def broken(request: list[int], until: float = math.inf, pass_s: float = 0.1) -> FakeEngine[AsrInput, Transcript]:
    """A recogniser of which every pass fails that begins before `until`; `request` gets how much each was to hear."""

    def script(window: AsrInput) -> Iterator[Step[Transcript]]:
        request.append(window.audio_end_ms)
        gone = EngineError("asr", "gone")
        yield pass_s, gone if now() < until else Transcript("Hi Ann.", window.audio_end_ms, window.settles)

    return FakeEngine(script)


@pytest.mark.parametrize(("until", "passes"), [(0.0, [416, 1056]), (0.5, [416, 576, 1056]), (0.6, [416, 576, 1056])])
async def test_a_pass_that_fails_before_the_end_is_made_again_when_there_is_reason(
    until: float, passes: list[int]
) -> None:
    request: list[int] = []
    someone = Person(StreamingTranscriber(None, None), broken(request, until))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(someone.listens())
        await someone.says(10)
        await someone.falls_silent(8)
        await someone.pauses(10, silent_ms=256)
        await someone.says(5)
        someone.transcriber.commit()
    assert (request, someone.transcriber.error) == (passes, None)
    assert someone.transcriber.newest.text == "Hi Ann."


async def test_a_pass_that_fails_after_the_end_is_made_again_if_it_began_before_and_then_never_more() -> None:
    request: list[int] = []
    someone = Person(StreamingTranscriber(None, None), broken(request))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(someone.listens())
        await someone.says(10)
        someone.transcriber.pause()
        await asyncio.sleep(0.05)
        someone.transcriber.commit()
    assert request == [320, 320]
    assert now() == pytest.approx(0.32 + 2 * 0.1)
    assert someone.transcriber.error


def fail() -> None:
    raise EngineError("asr", "the engine has died and is being started again")


@dataclass(slots=True)
class Gone:
    """A recogniser that is not there.

    Attributes:
        reads: It fails when it has been given a window; else at once.
    """

    reads: bool = False
    asked_ms: list[int] = field(default_factory=list)

    async def generate(self, request_id: str, prompts: AsyncIterator[AsrInput]) -> AsyncGenerator[Transcript, None]:
        self.asked_ms.append((await anext(aiter(prompts))).audio_end_ms if self.reads else 0)
        fail()
        yield Transcript("", 0, False)

    async def busy(self) -> int:
        return 0

    async def aclose(self) -> None: ...


async def test_somebody_who_speaks_to_a_recogniser_that_stays_broken_costs_a_minute_of_sound_and_few_passes() -> None:
    gone, transcriber = Gone(reads=True), StreamingTranscriber(None, 800)
    tracemalloc.start()
    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(drain(transcriber.listen(gone, "r")))
            for _ in range(round(300 / FRAME_S)):
                transcriber.add(np.full(FRAME, 0.5, np.float32))
                await asyncio.sleep(FRAME_S)
            output, _ = tracemalloc.get_traced_memory()
            transcriber.commit()
    finally:
        tracemalloc.stop()
    assert transcriber.error
    assert 59_000 < transcriber.duration_ms < 62_000
    assert max(gone.asked_ms) <= LONGEST_WINDOW_MS
    assert len(gone.asked_ms) <= 60_000 / 800
    assert output < 1_000_000


async def test_a_recogniser_that_is_not_there_is_asked_when_there_is_reason_and_no_more() -> None:
    gone = Gone()
    transcriber = StreamingTranscriber(None, None)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(drain(transcriber.listen(gone, "r")))
        for _ in range(3):
            transcriber.resume()
            transcriber.add(sound(0.5))
            transcriber.pause()
            await asyncio.sleep(1)
        noise = transcriber.is_noise
        transcriber.commit()
    assert (len(gone.asked_ms), noise) == (3 + 1, False)
    assert transcriber.error


@pytest.mark.parametrize(("early_ms", "lacking", "likely"), [(400, 12, True), (400, 13, False), (0, 1, False)])
async def test_a_hypothesis_is_likely_while_the_pass_over_the_rest_runs_if_it_lacks_little_of_the_speech(
    early_ms: int, lacking: int, likely: bool
) -> None:
    told = await likelihoods(("Hi", "Hi Ann."), 25 + lacking, early_ms)
    assert told == [("Hi", False, False), *[("Hi", False, True)] * likely, ("Hi Ann.", True, False)]


async def test_nothing_is_likely_while_the_person_speaks_or_said_no_word() -> None:
    assert {*await likelihoods(("", ""), 30, 400)} == {("", False, False)}
    async with person("Hi", pass_s=0.02, partial_ms=800) as someone:
        likely: list[bool] = []
        async with asyncio.TaskGroup() as tasks:
            following = tasks.create_task(note_likely(someone.transcriber, likely, 1_000))
            await someone.goes_on(60)
            following.cancel()
        assert likely == [False], "passes over running speech confirm nothing"


@pytest.mark.parametrize(
    ("second", "likely"), [("Hi Ann, I am", True), ("Hi Anne, I am", True), ("My Ann, I am", False), ("", False)]
)
async def test_a_hypothesis_is_not_likely_if_it_has_changed_more_than_the_end_of_the_one_before(
    second: str, likely: bool
) -> None:
    async with person("Hi Ann", second, "Hi Ann, I am here.", pass_s=0.03, partial_ms=800) as someone:
        told: list[bool] = []
        async with asyncio.TaskGroup() as tasks:
            following = tasks.create_task(note_likely(someone.transcriber, told))
            await someone.says(62)
            await someone.pauses(10)
            following.cancel()
        assert [heard.text for heard in someone.heard] == ["Hi Ann", second, "Hi Ann, I am here."]
        assert any(told) is likely


async def test_a_hypothesis_is_likely_at_a_pause_from_when_its_last_pass_begins_and_no_more_if_that_fails() -> None:
    def script(window: AsrInput) -> Iterator[Step[Transcript]]:
        yield 0.1, EngineError("asr", "gone") if window.settles else Transcript("Hi", window.audio_end_ms, False)

    transcriber, told = StreamingTranscriber(None, 800), list[bool]()
    someone = Person(transcriber, FakeEngine(script))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(someone.listens())
        tasks.create_task(note_likely(transcriber, told))
        await someone.says(30)
        assert told == [False]
        await someone.pauses(1)
        assert told == [False, True]
        await someone.pauses(5)
        assert told == [False, True, False]
        transcriber.commit()
        transcriber.settle()


@dataclass(frozen=True, slots=True)
class Slow(FakeEngine[AsrInput, Transcript]):
    """A recogniser that asks for the next window a moment after a pass."""

    async def generate(self, request_id: str, prompts: AsyncIterator[AsrInput]) -> AsyncGenerator[Transcript, None]:
        async def later() -> AsyncGenerator[AsrInput, None]:
            async for window in prompts:
                yield window
                await asyncio.sleep(0.01)

        async for transcript in FakeEngine.generate(self, request_id, later()):
            yield transcript


async def test_whoever_waits_for_hypotheses_is_told_when_the_last_pass_begins_whatever_order_tasks_wake_in() -> None:
    told = list[bool]()
    someone = Person(StreamingTranscriber(None, 800), Slow(hears("Hi", pass_s=0.1).script))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(someone.listens())
        tasks.create_task(note_likely(someone.transcriber, told))
        await someone.says(35)
        someone.transcriber.commit()
        await asyncio.sleep(0.05)
        assert told == [False, True]
        someone.transcriber.settle()


@dataclass(frozen=True, slots=True)
class Late(FakeEngine[AsrInput, Transcript]):
    """A recogniser that has a window overtaken, and tells all the same what it heard in it."""

    async def generate(self, request_id: str, prompts: AsyncIterator[AsrInput]) -> AsyncGenerator[Transcript, None]:
        first, second = await anext(prompts), await anext(prompts)
        for window in (first, second):
            yield Transcript("Hi" if window is first else "Hi Ann.", window.audio_end_ms, window.settles)
            await asyncio.sleep(0.1)


async def test_what_is_told_of_a_window_that_was_overtaken_settles_nothing() -> None:
    transcriber = StreamingTranscriber(None, 800)
    someone = Person(transcriber, Late(hears("").script))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(someone.listens())
        await someone.says(40)
        await someone.pauses(10)
        transcriber.commit()
    assert [(heard.text, heard.settled) for heard in someone.heard] == [("Hi", False), ("Hi Ann.", True)]


async def test_nothing_is_likely_while_a_pass_over_a_part_of_the_speech_is_still_under_way() -> None:
    assert await likelihoods(("Hi", "Hi there", "Hi Ann."), 53, 1_000, pass_s=0.6) == [
        ("Hi", False, False),
        ("Hi there", False, True),
        ("Hi Ann.", True, False),
    ]


async def likelihoods(
    texts: tuple[str, ...], frames: int, early_ms: int, pass_s: float = 0.03
) -> list[tuple[str, bool, bool]]:
    """What is told of an utterance of so many frames that is committed in the last one; 25 make a pass."""
    transcriber = StreamingTranscriber(None, 800)
    someone, told = Person(transcriber, hears(*texts, pass_s=pass_s)), list[tuple[str, bool, bool]]()

    async def follow() -> None:
        async for each in transcriber.hypotheses(early_ms):
            told.append((each.text, each.settled, each.likely))

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(follow())
        tasks.create_task(someone.listens())
        await someone.says(frames)
        transcriber.commit()
        await asyncio.sleep(2)
        transcriber.settle()
    return told[:-1] if told[-1:] == told[-2:-1] else told


async def note_likely(transcriber: StreamingTranscriber, likely: list[bool], early_ms: int = 400) -> None:
    async for each in transcriber.hypotheses(early_ms):
        if each.likely not in likely[-1:]:
            likely.append(each.likely)


async def test_it_ends_for_everybody_without_leaving_anything() -> None:
    with nothing_left():
        async with person("Hi.") as someone:
            await someone.says(10)
    assert someone.transcriber.certain


async def drain(hypotheses: AsyncGenerator[Hypothesis, None]) -> None:
    async for _ in hypotheses:
        pass


def sound(level: float) -> Pcm:
    return np.full(FRAME, level, np.float32)


def loud_ms(pcm: Pcm) -> int:
    return int((pcm > 0.1).sum()) * 1000 // SPEECH_RATE


def now() -> float:
    return round(asyncio.get_running_loop().time(), 6)


async def test_a_silence_without_words_is_told_as_settled_though_it_asks_nothing() -> None:
    transcriber = StreamingTranscriber(None, None)
    transcriber.add(np.ones(512, np.float32))
    transcriber.pause()
    transcriber.commit()
    heard = [each async for each in transcriber.listen(hears(""), "r")]
    transcriber.settle()
    request = [each async for each in transcriber.hypotheses()]
    assert [each.settled for each in heard] == [True]
    assert not any(each.settled for each in request)
