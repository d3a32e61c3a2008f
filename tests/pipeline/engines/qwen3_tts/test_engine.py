"""The Talker asks for frames as its text comes and its frames are taken, one request a sentence."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from pipeline.engines.qwen3_tts.engine import TalkerEngine, TalkerEngineSettings
from pipeline.errors import EngineError
from pipeline.models.qwen3_tts.extra_args import KEY, Choice
from pipeline.models.qwen3_tts.prompt import TalkerPromptWriter
from pipeline.models.qwen3_tts.sentence import FramePace
from pipeline.models.shared.engine_io import RequestSampling
from pipeline.types.chunks import Clause, CodecChunk
from tests.pipeline.engines.qwen3_tts.fake_requests import FakeRequests
from tests.pipeline.models.qwen3_tts.voices import EOS, config


def talker(requests: FakeRequests) -> TalkerEngine:
    writer = TalkerPromptWriter(config(), lambda text: [ord(character) for character in text])
    return TalkerEngine(
        requests, writer, TalkerEngineSettings("vivian", RequestSampling(0.9, 50, 1.0, 1.05, (2_150,)), Choice())
    )


async def written(*clauses: str, every_s: float = 0.0) -> AsyncIterator[Clause]:
    for text in clauses:
        await asyncio.sleep(every_s)
        yield Clause(text, "")


async def spoken(requests: FakeRequests, clauses: AsyncIterator[Clause]) -> list[CodecChunk]:
    return [chunk async for chunk in talker(requests).generate("r", clauses)]


def frames(chunks: list[CodecChunk]) -> int:
    return sum(len(chunk.frames) for chunk in chunks)


def ids(requests: FakeRequests, request: str) -> str:
    """The text of a request, read back from what its parts told."""
    text = [id_ for part in requests.told[request] for id_ in part.extra_args[KEY]["text"]]
    return "".join("|" if id_ == EOS else chr(id_) for id_ in text if id_ < 1_000 or id_ == EOS)


async def test_a_sentence_is_one_request_and_its_end_is_told() -> None:
    requests = FakeRequests(stops=[30])
    chunks = await spoken(requests, written("Hello there.", every_s=0.1))
    assert frames(chunks) == 30
    assert [chunk.text for chunk in chunks if chunk.text] == ["Hello there."]
    assert [chunk.ends for chunk in chunks] == [False] * 30 + [True]
    assert requests.request == {"r.0": [(0.1, 75)]}, "six seconds are granted at once"
    assert ids(requests, "r.0").endswith("Hello there.|")


async def test_two_sentences_are_two_requests() -> None:
    requests = FakeRequests(stops=[3, 4])
    chunks = await spoken(requests, written("One.", " Two."))
    assert frames(chunks) == 7
    assert [chunk.text for chunk in chunks if chunk.text] == ["One.", " Two."]
    assert ids(requests, "r.0").endswith("One.|")
    assert ids(requests, "r.1").endswith("Two.|")


async def test_clauses_that_fail_fail_what_is_spoken() -> None:
    async def breaks() -> AsyncIterator[Clause]:
        yield Clause("One.", "")
        raise EngineError("tts", "its processor failed")

    requests = FakeRequests(stops=[3])
    with pytest.raises(EngineError, match="its processor failed"):
        await spoken(requests, breaks())


async def test_text_is_appended_to_a_sentence_that_goes_on() -> None:
    requests = FakeRequests(stops=[60])
    chunks = await spoken(requests, written("Well then,", " let us begin."))
    assert frames(chunks) == 60
    assert "".join(chunk.text for chunk in chunks) == "Well then, let us begin."
    assert ids(requests, "r.0").endswith("Well then, let us begin.|")


async def test_it_waits_when_the_text_has_run_dry() -> None:
    requests = FakeRequests(stops=[40])
    await spoken(requests, written("Abc", " def.", every_s=1.0))
    first, second = requests.request["r.0"][:2]
    assert first == (1.0, 3), "three letters are three frames"
    assert second == (2.0, 75), "the next clause came a second after the first"


async def test_it_begins_with_the_first_word_and_parts_grow() -> None:
    requests = FakeRequests(stops=[200])
    words = [f" {letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]  # each is two ids, but for the first
    await spoken(requests, written(*words, ".", every_s=0.007))
    request = requests.request["r.0"]
    assert request[0] == (0.007, 1), "a letter is a frame"
    assert [count for _, count in request[:3]] == [1, 4, 24], "all that was written meanwhile is told at once"
    assert ids(requests, "r.0").endswith("".join(words).strip() + ".|")


async def test_a_part_waits_for_enough_text_to_be_worth_it() -> None:
    requests = FakeRequests(stops=[200])
    await spoken(requests, written(*"abcdefghijklmnopqrstuvwxyz", ".", every_s=0.1))
    assert [count for _, count in requests.request["r.0"][:5]] == [1, 2, 4, 8, 8]


async def test_words_make_few_captions_and_lose_none() -> None:
    requests = FakeRequests(stops=[100])
    words = ["The", " capital", " of", " France", " is", " Paris."]
    chunks = await spoken(requests, written(*words, every_s=0.007))
    told = [chunk.text for chunk in chunks if chunk.text]
    assert "".join(told) == "The capital of France is Paris."
    assert told[0] == "The"
    assert len(told) == 2


async def test_a_mark_in_a_sentence_is_spoken_with_it() -> None:
    for clauses in (["Ça va ?"], ["Ça", " va", " ?"], ["Ça va", " 🎉", " ?"]):
        requests = FakeRequests(stops=[30])
        await spoken(requests, written(*clauses))
        assert ids(requests, "r.0").endswith("Ça va ?|")


async def test_closing_stops_the_reading_of_what_is_to_be_spoken() -> None:
    closed = asyncio.Event()

    async def clauses() -> AsyncIterator[Clause]:
        try:
            yield Clause("Well", "")
            await asyncio.Event().wait()
        finally:
            closed.set()

    async with aclosing(talker(FakeRequests()).generate("r", clauses())) as chunks:
        await anext(chunks)
    assert closed.is_set()


async def test_it_is_at_most_six_seconds_ahead_of_what_was_taken() -> None:
    requests = FakeRequests(stops=[500])
    engine = talker(requests)
    async with aclosing(engine.generate("r", written("A sentence that goes on for a long while, and on."))) as chunks:
        await anext(chunks)
        await asyncio.sleep(60)
        assert sum(count for _, count in requests.request["r.0"]) <= 75


async def test_closing_returns_when_the_request_has_gone() -> None:
    requests = FakeRequests()
    engine = talker(requests)
    async with aclosing(engine.generate("r", written("Hello, how are you today?"))) as chunks:
        for _ in range(5):
            await anext(chunks)
        assert await engine.busy() == 1
    assert await engine.busy() == 0


async def test_what_cannot_be_spoken_is_passed_over() -> None:
    requests = FakeRequests(stops=[2])
    chunks = await spoken(requests, written("🎉🎉", " Yes."))
    assert [(chunk.text, len(chunk.frames)) for chunk in chunks if chunk.text] == [("🎉🎉", 0), (" Yes.", 1)]
    assert list(requests.request) == ["r.1"]


async def test_an_unknown_voice_is_refused_by_name_and_the_next_request_works() -> None:
    requests = FakeRequests(stops=[2])
    engine = talker(requests)

    async def clauses(voice: str) -> AsyncIterator[Clause]:
        yield Clause("Yes.", voice)

    with pytest.raises(EngineError, match="qwen3_tts: unknown voice `bob`; this checkpoint has eric, vivian"):
        _ = [chunk async for chunk in engine.generate("a", clauses("bob"))]
    assert frames([chunk async for chunk in engine.generate("b", clauses("Eric"))]) == 2


async def test_a_speed_changes_nothing() -> None:
    requests = FakeRequests(stops=[2, 2])
    engine = talker(requests)

    async def clauses(speed: float) -> AsyncIterator[Clause]:
        yield Clause("Yes.", "", speed)

    for name, speed in (("a", 1.0), ("b", 2.0)):
        assert frames([chunk async for chunk in engine.generate(name, clauses(speed))]) == 2
    assert requests.told["a.0"] == requests.told["b.0"]


async def test_a_voice_that_finds_no_end_is_stopped() -> None:
    requests = FakeRequests()
    chunks = await spoken(requests, written("Hm."))
    assert frames(chunks) == 50 + 12 * 3
    assert chunks[-1].ends


async def test_text_that_never_ends_ends_with_the_clauses() -> None:
    requests = FakeRequests(stops=[20])
    chunks = await spoken(requests, written("And so", " on"))
    assert frames(chunks) == 20
    assert ids(requests, "r.0").endswith("And so on|")


async def test_a_sentence_without_end_becomes_several() -> None:
    requests = FakeRequests(stops=[400, 30])
    chunks = await spoken(requests, written(*["and on and on " * 10] * 3))
    assert frames(chunks) == 430
    assert len(requests.request) == 2
    assert "".join(chunk.text for chunk in chunks) == "and on and on " * 30


async def test_no_more_frames_are_asked_for_than_there_is_room_for() -> None:
    requests = FakeRequests()
    writer = TalkerPromptWriter(config(), lambda text: [ord(character) for character in text])
    engine_settings = TalkerEngineSettings(
        "vivian", RequestSampling(0.9, 50, 1.0, 1.05, (2_150,)), Choice(), FramePace(positions=100)
    )
    clauses = written("This could be spoken for a long time.")
    chunks = [chunk async for chunk in TalkerEngine(requests, writer, engine_settings).generate("r", clauses)]
    prompt = len(requests.told["r.0"][0].token_ids)
    assert prompt + frames(chunks) == 100


async def begun_and_whole(begun: str, *clauses: str, whole_s: float = 0.007) -> AsyncIterator[Clause]:
    """A word that is begun, after 0.1 s, and some time later the whole one."""
    await asyncio.sleep(0.1)
    yield Clause(begun, "", is_begun=True)
    for text in clauses:
        await asyncio.sleep(whole_s)
        yield Clause(text, "")


async def test_a_word_that_is_only_begun_has_its_first_frame_drawn_ahead() -> None:
    ahead, whole = FakeRequests(stops=[40]), FakeRequests(stops=[40])
    chunks = await spoken(ahead, begun_and_whole("Th", "The", " cat sat."))
    at_once = await spoken(whole, written("The cat sat."))
    assert ahead.request["r.0"][0] == (0.1, 1), "it does not wait for the whole word"
    assert ids(ahead, "r.0") == ids(whole, "r.0")
    assert "".join(chunk.text for chunk in chunks) == "The cat sat."
    assert frames(chunks) == frames(at_once) == 40


async def test_what_is_drawn_ahead_is_heard_once_the_word_is_whole_and_no_later() -> None:
    heard: list[tuple[float, str, int]] = []
    clock = asyncio.get_running_loop().time
    speech = talker(FakeRequests(stops=[40])).generate("r", begun_and_whole("Th", "The", " cat sat.", whole_s=1.0))
    async for chunk in speech:
        heard.append((round(clock(), 3), chunk.text, len(chunk.frames)))
    assert heard[0] == (1.1, "The", 1), "the frame was there a second before"
    assert heard[1] == (1.12, "", 1), "and goes on at once"


async def test_a_word_that_begins_otherwise_is_begun_anew_and_nothing_of_the_first_is_heard() -> None:
    requests = FakeRequests(stops=[40, 30])
    chunks = await spoken(requests, begun_and_whole("Ab", "Cab", " is here."))
    assert list(requests.request) == ["r.0", "r.1"]
    assert frames(chunks) == 30
    assert "".join(chunk.text for chunk in chunks) == "Cab is here."
    assert ids(requests, "r.1").endswith("Cab is here.|")
    assert not requests.open


async def test_a_word_that_is_whole_by_then_is_not_begun_first() -> None:
    async def both() -> AsyncIterator[Clause]:
        yield Clause("Ab", "", is_begun=True)
        yield Clause("Cab is here.", "")

    requests = FakeRequests(stops=[40])
    await spoken(requests, both())
    assert list(requests.request) == ["r.0"]


async def test_a_begun_word_of_which_nothing_can_be_spoken_yet_is_passed_over() -> None:
    requests = FakeRequests(stops=[40])
    chunks = await spoken(requests, begun_and_whole("🎉", "🎉 Yes."))
    assert [count for _, count in requests.request["r.0"]] == [75]
    assert "".join(chunk.text for chunk in chunks) == "🎉 Yes."


async def test_an_answer_that_fails_behind_a_begun_word_is_not_heard_at_all() -> None:
    async def breaks() -> AsyncIterator[Clause]:
        yield Clause("Th", "", is_begun=True)
        await asyncio.sleep(1.0)
        raise EngineError("aura", "the engine failed")

    requests, heard = FakeRequests(), []
    with pytest.raises(EngineError, match="aura"):
        async for chunk in talker(requests).generate("r", breaks()):
            heard.append(chunk)
    assert not heard
    assert not requests.open


async def test_what_is_drawn_ahead_is_heard_with_the_first_whole_word_though_no_more_is_known() -> None:
    """Of that word the first id was known before, and no other."""
    heard: list[float] = []
    clock = asyncio.get_running_loop().time
    speech = talker(FakeRequests(stops=[40])).generate("r", begun_and_whole("I", "I", " am here.", whole_s=1.0))
    async for chunk in speech:
        heard += [round(clock(), 3)] * len(chunk.frames)
    assert heard[:2] == [1.1, 2.12], "the next frame needs the next word"


async def test_marks_before_a_begun_word_are_its_first_id() -> None:
    requests = FakeRequests(stops=[40])
    await spoken(requests, begun_and_whole(" - n", " - no", " way."))
    assert list(requests.request) == ["r.0"]
    assert ids(requests, "r.0").endswith("- no way.|")


async def test_only_a_sentence_is_begun_so() -> None:
    async def clauses() -> AsyncIterator[Clause]:
        for text, is_begun in (
            ("T", True),
            ("Th", True),
            ("The", False),
            ("cat", True),
            (" cat.", False),
            (" It", True),
        ):
            await asyncio.sleep(0.1)
            yield Clause(text, "", is_begun=is_begun)
        await asyncio.sleep(0.1)
        yield Clause(" It sat.", "")

    requests = FakeRequests(stops=[20, 20])
    chunks = await spoken(requests, clauses())
    assert "".join(chunk.text for chunk in chunks) == "The cat. It sat."
    assert [ids(requests, name)[-8:] for name in ("r.0", "r.1")] == ["he cat.|"[-8:], "It sat.|"]


async def test_nothing_is_heard_of_a_word_that_goes_on_and_is_still_not_whole() -> None:
    async def grows() -> AsyncIterator[Clause]:
        for text in ("T", "Th"):
            await asyncio.sleep(0.1)
            yield Clause(text, "", is_begun=True)
        await asyncio.sleep(0.1)
        yield Clause("The.", "")

    clock = asyncio.get_running_loop().time
    heard = [round(clock(), 3) async for _ in talker(FakeRequests(stops=[20])).generate("r", grows())]
    assert heard[0] == 0.3


async def test_a_word_that_is_begun_within_a_sentence_is_waited_for() -> None:
    async def clauses() -> AsyncIterator[Clause]:
        for text, is_begun in (("Abcd", False), (" x", False), ("cat", True), (" cat.", False)):
            await asyncio.sleep(0.5)
            yield Clause(text, "", is_begun=is_begun)

    requests = FakeRequests(stops=[40])
    await spoken(requests, clauses())
    assert list(requests.request) == ["r.0"]
    assert ids(requests, "r.0").endswith("Abcd x cat.|")
