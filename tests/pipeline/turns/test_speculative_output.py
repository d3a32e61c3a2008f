"""The stream with a door."""

import asyncio

import pytest

from pipeline.engines.fake import tone
from pipeline.errors import EngineError
from pipeline.turns.speculative_output import Firsts, Held
from pipeline.types.chunks import Audio, Text
from pipeline.types.playback_marks import Mark

SECOND = tone(1000)


async def test_nothing_leaves_before_the_door_opens() -> None:
    held = Held(10_000)
    left: list[tuple[float, object]] = []

    async def leave() -> None:
        async for word in held.words():
            left.append((now(), word))

    async def sound() -> None:
        async for pcm in held.sound():
            left.append((now(), len(pcm)))

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(leave())
        tasks.create_task(sound())
        async with held:
            await held.send(Text("Hello."))
            await asyncio.sleep(1)
            await held.send(Audio(SECOND, "Hello."))
            await asyncio.sleep(2)
            assert left == []
            held.open()
            await asyncio.sleep(1)
            await held.send(Text(" More."))
    hello = Mark("Hello.", 0.0, 1000.0)
    assert left == [(3.0, Text("Hello.")), (3.0, hello), (3.0, len(SECOND)), (4.0, Text(" More."))]


async def test_words_overtake_sound() -> None:
    held = Held(10_000)
    async with held:
        for _ in range(5):
            await held.send(Audio(SECOND))
        await held.send(Audio(SECOND, "Last."))
        held.open()
        words = held.words()
        assert await anext(words) == Mark("Last.", 5000.0, 6000.0)
        await words.aclose()


async def test_sound_waits_at_the_bound_and_words_never_do() -> None:
    held = Held(ahead_ms=2_500)
    sent: list[float] = []

    async def speak() -> None:
        for _ in range(5):
            await held.send(Audio(SECOND))
            sent.append(now())

    async with asyncio.TaskGroup() as tasks, held:
        held.open()
        tasks.create_task(speak())
        await asyncio.sleep(1)
        assert sent == [0.0, 0.0, 0.0], "three seconds are the first amount that is not below the bound"
        for _ in range(1000):
            await held.send(Text("word "))
        assert now() == 1.0
        sound = held.sound()
        await anext(sound)
        await asyncio.sleep(1)
        assert sent[3:] == [1.0], "as much as was taken"
        await anext(sound)
        await asyncio.sleep(0)
        await sound.aclose()
    assert sent[4:] == [2.0]


async def test_clearing_forgets_all_and_makes_room() -> None:
    held = Held(ahead_ms=1_000)
    async with asyncio.TaskGroup() as tasks, held:
        await held.send(Text("wrong"))
        await held.send(Audio(SECOND, "wrong"))
        held.begins("tts")
        waiting = tasks.create_task(held.send(Audio(SECOND, "right")))
        held.fail(EngineError("tts", "broken"))
        await asyncio.sleep(1)
        assert not waiting.done()
        held.clear()
        assert (held.error, held.firsts, held.began, held.marks.text) == (None, Firsts(), {}, "")
        await waiting
        held.open()
    assert [word async for word in held.words()] == [Mark("right", 0.0, 1000.0)]
    assert [pcm async for pcm in held.sound()] == [SECOND]


async def test_it_remembers_when_the_first_of_each_kind_came() -> None:
    held = Held(10_000)
    for _ in range(2):
        await held.send(Text("word"))
        await asyncio.sleep(1)
        await held.send(Audio(b"", "unspeakable"))
        await asyncio.sleep(1)
        await held.send(Audio(SECOND))
    assert held.firsts == Firsts(text=0.0, pcm=2.0)


async def test_after_the_turn_what_is_inside_still_leaves_if_the_door_was_opened() -> None:
    held = Held(10_000)
    async with held:
        await held.send(Text("late"))
        held.open()
    assert [word async for word in held.words()] == [Text("late")]


async def test_a_turn_that_ends_behind_the_door_lets_nothing_out() -> None:
    held = Held(10_000)
    async with held:
        await held.send(Text("secret"))
        await held.send(Audio(SECOND))
    assert [word async for word in held.words()] == []
    assert [pcm async for pcm in held.sound()] == []


async def test_a_mistake_of_ours_in_the_turn_is_a_failure_of_the_answer() -> None:
    held = Held(10_000)
    with pytest.raises(ZeroDivisionError):
        async with held:
            raise ZeroDivisionError
    assert isinstance(held.error, EngineError)
    assert str(held.error) == "turn: internal error"


async def test_only_words_and_sound_may_be_sent() -> None:
    with pytest.raises(TypeError, match="sent int, not Text or Audio"):
        await Held(1).send(1)


def now() -> float:
    return asyncio.get_running_loop().time()
