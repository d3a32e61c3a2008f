"""What a turn has made is held until it is committed, and gone when it is discarded."""

import asyncio

import pytest

from pipeline.engines.fake import tone
from pipeline.errors import EngineError
from pipeline.turns.speculative_output import FirstChunks, SpeculativeOutput
from pipeline.types.chunks import AudioChunk, TextChunk
from pipeline.types.function_tools import FunctionCall
from pipeline.types.playback_marks import PlaybackMark

SECOND = tone(1000)


async def test_nothing_leaves_before_the_commit() -> None:
    output = SpeculativeOutput(10_000)
    left: list[tuple[float, object]] = []

    async def leave() -> None:
        async for word in output.words():
            left.append((now(), word))

    async def sound() -> None:
        async for _, pcm in output.sound():
            left.append((now(), len(pcm)))

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(leave())
        tasks.create_task(sound())
        async with output:
            await output.send(TextChunk("Hello."))
            await asyncio.sleep(1)
            await output.send(AudioChunk(SECOND, "Hello."))
            await asyncio.sleep(2)
            assert left == []
            output.commit()
            await asyncio.sleep(1)
            await output.send(TextChunk(" More."))
    hello = PlaybackMark("Hello.", 0.0, 1000.0)
    assert left == [(3.0, TextChunk("Hello.")), (3.0, hello), (3.0, len(SECOND)), (4.0, TextChunk(" More."))]


async def test_words_overtake_sound() -> None:
    output = SpeculativeOutput(10_000)
    async with output:
        for _ in range(5):
            await output.send(AudioChunk(SECOND))
        await output.send(AudioChunk(SECOND, "Last."))
        output.commit()
        words = output.words()
        assert await anext(words) == PlaybackMark("Last.", 5000.0, 6000.0)
        await words.aclose()


async def test_nothing_of_an_attempt_that_was_given_up_arrives_though_its_stages_still_make_some() -> None:
    output = SpeculativeOutput(ahead_ms=500)
    async with output:
        late = output.begin(early=False)
        async with asyncio.TaskGroup() as tasks:
            for text in ("One.", " Two."):
                tasks.create_task(late.send(AudioChunk(SECOND, text)))
            await asyncio.sleep(1)
            output.discard()
            answer = output.begin(early=False)
        await answer.send(AudioChunk(SECOND, "Three."))
        late.stage_began("aura")
        late.stage_made("tts")
        late.stage_ended("aura")
        late.fail(EngineError("aura", "broken"))
        await late.send(TextChunk("Two."))
        output.commit()
    assert [word async for word in output.words()] == [PlaybackMark("Three.", 0.0, 1000.0)]
    assert (output.began, output.made, output.ended, output.error) == ({}, {}, {}, None)


async def test_of_several_failures_the_first_is_told() -> None:
    output = SpeculativeOutput(1_000)
    for reason in ("out of memory", "the other side has gone"):
        output.fail(EngineError("aura", reason))
    assert str(output.error) == "aura: out of memory"


async def test_sound_waits_at_the_bound_and_words_never_do() -> None:
    output = SpeculativeOutput(ahead_ms=2_500)
    sent: list[float] = []

    async def speak() -> None:
        for _ in range(5):
            await output.send(AudioChunk(SECOND))
            sent.append(now())

    async with asyncio.TaskGroup() as tasks, output:
        output.commit()
        tasks.create_task(speak())
        await asyncio.sleep(1)
        assert sent == [0.0, 0.0, 0.0], "three seconds are the first amount that is not below the bound"
        for _ in range(1000):
            await output.send(TextChunk("word "))
        assert now() == 1.0
        sound = output.sound()
        await anext(sound)
        await asyncio.sleep(1)
        assert sent[3:] == [1.0], "as much as was taken"
        await anext(sound)
        await asyncio.sleep(0)
        await sound.aclose()
    assert sent[4:] == [2.0]


async def test_discarding_drops_all_and_makes_room() -> None:
    output = SpeculativeOutput(ahead_ms=1_000)
    async with asyncio.TaskGroup() as tasks, output:
        await output.send(TextChunk("wrong"))
        await output.send(AudioChunk(SECOND, "wrong"))
        output.stage_began("tts")
        waiting = tasks.create_task(output.send(AudioChunk(SECOND, "right")))
        output.fail(EngineError("tts", "broken"))
        await asyncio.sleep(1)
        assert not waiting.done()
        output.discard()
        assert (output.error, output.first_chunks, output.began, output.marks[0].text) == (None, FirstChunks(), {}, "")
        await waiting
        output.commit()
    assert [word async for word in output.words()] == [PlaybackMark("right", 0.0, 1000.0)]
    assert [pcm async for pcm in output.sound()] == [(0, SECOND)]


async def test_it_remembers_when_the_first_of_each_kind_came() -> None:
    output = SpeculativeOutput(10_000)
    for _ in range(2):
        await output.send(TextChunk("word"))
        await asyncio.sleep(1)
        await output.send(AudioChunk(b"", "unspeakable"))
        await asyncio.sleep(1)
        await output.send(AudioChunk(SECOND))
    assert output.first_chunks == FirstChunks(text=0.0, pcm=2.0)


async def test_after_the_turn_what_is_held_still_leaves_if_it_was_committed() -> None:
    output = SpeculativeOutput(10_000)
    async with output:
        await output.send(TextChunk("late"))
        output.commit()
    assert [word async for word in output.words()] == [TextChunk("late")]


async def test_a_turn_that_ends_without_a_commit_lets_nothing_out() -> None:
    output = SpeculativeOutput(10_000)
    async with output:
        await output.send(TextChunk("secret"))
        await output.send(AudioChunk(SECOND))
    assert [word async for word in output.words()] == []
    assert [pcm async for pcm in output.sound()] == []


async def test_a_mistake_of_ours_in_the_turn_is_a_failure_of_the_answer() -> None:
    output = SpeculativeOutput(10_000)
    with pytest.raises(ZeroDivisionError):
        async with output:
            raise ZeroDivisionError
    assert isinstance(output.error, EngineError)
    assert str(output.error) == "turn: internal error"


async def test_only_words_and_sound_may_be_sent() -> None:
    with pytest.raises(TypeError, match="sent int, not Text, a call, Audio or an Observation"):
        await SpeculativeOutput(1).send(1)


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_a_call_ends_a_message_and_what_is_spoken_behind_it_counts_from_zero() -> None:
    output = SpeculativeOutput(10_000)
    call = FunctionCall("1", "look", "{}")
    async with output:
        await output.send(call)
        for chunk in (
            TextChunk("Let me "),
            TextChunk("look."),
            call,
            call,
            TextChunk(" I see"),
            TextChunk(" it."),
            call,
        ):
            await output.send(chunk)
        for text in ("Let me", " look.", "", " I see it."):
            await output.send(AudioChunk(SECOND, text))
        output.commit()
    assert [word async for word in output.words() if isinstance(word, PlaybackMark)] == [
        PlaybackMark("Let me", 0.0, 1_000.0),
        PlaybackMark(" look.", 1_000.0, 2_000.0),
        PlaybackMark("I see it.", 0.0, 1_000.0, 1),
    ]
    assert [message async for message, _ in output.sound()] == [0, 0, 0, 1]
    assert [(marks.text, marks.duration_ms) for marks in output.marks] == [
        ("Let me look.", 3_000.0),
        ("I see it.", 1_000.0),
    ]
