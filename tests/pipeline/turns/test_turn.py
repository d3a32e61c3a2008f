"""The data flow of one turn: speculative answers, adoption, commit, failures and cancellation."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from pipeline.engines.fake import FakeEngine, Step, speaks, writes
from pipeline.errors import EngineError
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stage import Stage
from pipeline.turns.stages import PipelineStages
from pipeline.turns.turn import MOST_GOING, run_turn
from pipeline.turns.turn_context import TurnContext
from pipeline.types.chunks import AudioChunk, ChatMessage, ChatPrompt, Clause, TextChunk, TurnId
from pipeline.types.history import History, Item
from pipeline.types.playback_marks import PlaybackMark
from pipeline.types.turn_request import ResponseOptions, TurnRequest
from tests.scenario import AURA, INFLIGHT, Line
from tests.tidy import nothing_left

TURN = TurnId("s", 7)
HI = TurnContext(History(), ResponseOptions(), "q", "Hi", settled=True)
HI_ANN = replace(HI, text="Hi Ann")


async def test_a_guess_is_adopted_if_the_same_is_asked_in_the_end() -> None:
    line = Line(aura=writes("Hello.", first_s=0.5))
    left = await turn(line, said((0.0, HI), (2.0, HI)))
    assert left == [(2.0, TextChunk("Hello.")), (2.0, PlaybackMark("Hello.", 0, 300)), (2.0, 300.0)]
    assert len(line.questions) == len(line.tts.prompts) == 1
    assert line.aura.aborted == []


async def test_a_guess_that_is_not_ready_when_it_is_adopted_loses_no_time() -> None:
    left = await turn(Line(aura=writes("Hello.", first_s=3.0)), said((0.0, HI), (2.0, HI)))
    assert left[0] == (3.0, TextChunk("Hello."))


@pytest.mark.parametrize(
    "changed",
    [
        replace(HI, response_options=ResponseOptions(instructions="Be brief.")),
        replace(HI, response_options=ResponseOptions(voice="another")),
        replace(HI, history=History((Item("a", "assistant", "Hello?"),))),
    ],
    ids=["instructions", "voice", "history"],
)
async def test_a_guess_is_dropped_if_anything_that_the_answer_depends_on_has_changed(changed: TurnContext) -> None:
    line = Line(aura=writes("Hello.", first_s=0.5))
    left = await turn(line, said((0.0, HI), (2.0, changed)))
    assert left[0] == (2.5, TextChunk("Hello."))
    assert len(line.questions) == 2


async def test_a_dropped_guess_leaves_no_trace() -> None:
    line = Line(aura=writes(lambda chat: f"You said {chat.messages[-1].text}."))
    output = SpeculativeOutput(10_000)
    left = await turn(line, said((0.0, HI), (2.0, HI_ANN)), output=output)
    assert [what for _, what in left] == [
        *(TextChunk(word) for word in ("You", " said", " Hi", " Ann.")),
        PlaybackMark("You said Hi Ann.", 0, 1200),
        1200.0,
    ]
    assert (output.first_chunks.text, output.marks[0].text) == (2.0, "You said Hi Ann.")


async def test_the_next_begins_while_the_engines_let_go_of_a_dropped_guess() -> None:
    began: list[float] = []

    def script(chat: ChatPrompt) -> Iterator[Step[TextChunk]]:
        began.append(now())
        yield 0.1, TextChunk("One.")
        yield 60.0, TextChunk("Two.")

    line = Line(aura=FakeEngine(script, abort_s=0.3), tts=replace(speaks(clause_s=30.0), abort_s=0.2))
    times: list[float] = []
    async with timed(turn(line, said((0.0, HI), (2.0, HI_ANN))), times) as running_turn:
        await asyncio.sleep(2.1)
        assert began == [0.0, 2.0]
        assert sorted(line.aura.running) == ["s.7.1:aura", "s.7:aura"], "each has a name of its own"
        await asyncio.sleep(0.9)
        assert (line.aura.aborted, line.tts.aborted) == (["s.7:aura"], ["s.7:tts"])
        running_turn.cancel()


async def test_an_answer_is_over_though_engines_have_not_let_go_of_the_one_before_it() -> None:
    line = Line(aura=replace(writes("Hello.", first_s=0.2), abort_s=5.0))
    output = SpeculativeOutput(10_000)
    with nothing_left():
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(run_turn(TURN, said((0.0, HI), (0.1, HI_ANN)), line.stages(), output))
            words = [word async for word in output.words()]
            assert words[0] == TextChunk("Hello.")
            assert now() == pytest.approx(0.3)
    assert now() == pytest.approx(5.1), "the turn waits for them"


async def test_so_many_guesses_may_be_going_and_the_next_waits_until_one_has_gone() -> None:
    began: list[float] = []

    def script(chat: ChatPrompt) -> Iterator[Step[TextChunk]]:
        began.append(now())
        yield 1.0, TextChunk("Yes.")

    contexts = [(0.1, replace(HI, text=f"Hi {number}")) for number in range(MOST_GOING + 2)]
    await turn(Line(aura=FakeEngine(script, abort_s=5.0)), said(*contexts))
    assert began == [pytest.approx(0.1 * (1 + at)) for at in range(MOST_GOING + 1)] + [pytest.approx(5.2)]


async def test_a_mistake_in_a_stage_ends_the_answer_with_an_error() -> None:
    class Broken(Stage[Any, Any]):
        async def run(self, *arguments: Any) -> None:
            raise ValueError("a secret")

    line, output = Line(), SpeculativeOutput(1_000)
    aura, tts = line.stages().chain
    stages = replace(line.stages(), chain=(Broken(aura.spec, aura.engine, aura.process), tts))
    with nothing_left():
        await turn(line, said((0.0, HI)), stages, output)
    assert str(output.error) == "turn: internal error"


async def test_a_dropped_guess_whose_sound_waits_for_room_leaves_none_of_it() -> None:
    line = Line(
        aura=replace(writes(lambda chat: f"You said {chat.messages[-1].text}."), abort_s=1.0),
        tts=replace(speaks(ms_per_word=1_000), abort_s=1.0),
    )
    left = await turn(line, said((0.0, HI), (2.0, HI_ANN)), output=SpeculativeOutput(500))
    assert [what for _, what in left if isinstance(what, float)] == [4_000.0]
    assert [what.text for _, what in left if isinstance(what, PlaybackMark)] == ["You said Hi Ann."]


async def test_words_that_are_not_settled_are_read_ahead_and_end_a_guess_that_they_contradict() -> None:
    line = Line(aura=writes("Hello.", first_s=60.0))
    unsettled = replace(HI_ANN, settled=False)
    await turn(line, said((0.0, replace(HI, settled=False)), (1.0, HI), (1.0, unsettled)))
    assert (line.read_ahead, len(line.questions)) == (["Hi", "Hi Ann"], 1)
    assert line.aura.aborted == ["s.7.1:aura"]
    assert now() == 2.0


async def test_an_answer_does_not_wait_until_the_engine_has_let_go_of_what_was_read_ahead() -> None:
    began: list[float] = []

    def script(chat: ChatPrompt) -> Iterator[Step[TextChunk]]:
        began.append(now())
        yield 1.0, TextChunk("Yes.")

    line = Line(aura=FakeEngine(script, abort_s=5.0))
    ahead = [replace(context, settled=False) for context in (HI, HI_ANN)]
    with nothing_left():
        left = await turn(line, said((0.0, ahead[0]), (0.2, ahead[1]), (0.3, HI_ANN)))
    assert (began, left[0]) == ([0.0, 0.2, 0.5], (1.5, TextChunk("Yes.")))
    assert line.aura.aborted == ["s.7:aura", "s.7.1:aura"], "beside which the answer has a name of its own"
    assert now() == 5.5, "the turn ends when all engines have let go of it"


async def test_words_that_agree_keep_a_guess_though_the_person_speaks_again() -> None:
    line = Line(aura=writes("Hello."))
    await turn(line, said((0.0, HI), (1.0, replace(HI, settled=False)), (1.0, HI)))
    assert len(line.questions) == 1


async def test_a_failed_guess_is_tried_again_at_the_certain_end() -> None:
    left, output = await with_failures(1, said((0.0, HI), (2.0, HI)))
    assert left[0] == (2.1, TextChunk("Fine."))
    assert output.error is None


async def test_a_failed_guess_is_forgotten_when_something_else_is_asked() -> None:
    left, output = await with_failures(1, said((0.0, HI), (2.0, HI_ANN)))
    assert left[0] == (2.1, TextChunk("Fine."))
    assert output.error is None


async def test_what_fails_again_at_the_certain_end_has_failed() -> None:
    left, output = await with_failures(2, said((0.0, HI), (2.0, HI)))
    assert left == []
    assert str(output.error) == "aura: out of memory"


async def test_a_question_that_is_certain_at_once_is_tried_once() -> None:
    _, output = await with_failures(1, said((0.0, HI)))
    assert output.error


async def test_nothing_leaves_before_the_turn_is_certain() -> None:
    line = Line(aura=writes("One. Two. Three.", word_s=0.1))
    left = await turn(line, said((0.0, HI), (5.0, HI)))
    assert {at for at, _ in left} == {5.0}
    assert len(left) == 3 * 3


async def test_a_writer_is_never_further_ahead_of_the_voice_than_the_link_between_them_allows() -> None:
    line = Line(tts=speaks(clause_s=10.0))
    written: list[float] = []

    def script(chat: ChatPrompt) -> Iterator[Step[TextChunk]]:
        for _ in range(20):
            written.append(now())
            yield 0.0, TextChunk("Yes.")

    line.aura = FakeEngine(script)
    await turn(line, said((0.0, HI)), output=SpeculativeOutput(600_000))
    ahead = [len([at for at in written if at <= 10.0 * n]) - n for n in range(5)]
    assert ahead == [INFLIGHT + 2] * 5, "those in the link, one to be sent, one being spoken"


async def test_a_turn_in_which_nothing_was_asked_answers_nothing() -> None:
    line = Line()
    output = SpeculativeOutput(1_000)
    assert await run_turn(TURN, said((1.0, replace(HI, text="", settled=False))), line.stages(), output) is None
    assert line.questions == []
    assert [word async for word in output.words()] == []


async def test_the_question_that_was_answered_is_returned() -> None:
    request = await run_turn(TURN, said((0.0, HI), (1.0, HI_ANN)), Line().stages(), SpeculativeOutput(10_000))
    assert request == HI_ANN.request == TurnRequest(History((Item("q", "user", "Hi Ann", "audio"),)), ResponseOptions())


async def test_a_failing_writer_ends_the_turn_and_the_voice() -> None:
    line = Line(
        aura=FakeEngine(lambda chat: [(0.0, TextChunk("One.")), (1.0, EngineError("aura", "broken"))]),
        tts=speaks(clause_s=60.0),
    )
    output = SpeculativeOutput(1_000)
    assert await turn(line, said((0.0, HI)), output=output) == [(0.0, TextChunk("One."))], (
        "what was made before it leaves"
    )
    assert str(output.error) == "aura: broken"
    assert (now(), line.tts.aborted, line.tts.running) == (1.0, ["s.7:tts"], [])


async def test_a_failing_voice_ends_the_turn_and_the_writer() -> None:
    line = Line(
        aura=writes("One. Two.", word_s=60.0),
        tts=FakeEngine(lambda clause: [(0.5, EngineError("tts", "broken"))]),
    )
    output = SpeculativeOutput(1_000)
    assert await turn(line, said((0.0, HI)), output=output) == [(0.0, TextChunk("One."))], (
        "what was made before it leaves"
    )
    assert str(output.error) == "tts: broken"
    assert (now(), line.aura.aborted, line.aura.running) == (0.5, ["s.7:aura"], [])


async def test_a_mistake_in_a_processor_is_told_with_its_name() -> None:
    async def broken(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[ChatPrompt, None]:
        async for _ in inbox:
            yield ChatPrompt((ChatMessage("user", str(1 // 0)),), "")

    line, output = Line(), SpeculativeOutput(1_000)
    stages = replace(line.stages(), chain=(Stage(AURA, line.aura, broken), line.stages().chain[1]))
    with nothing_left():
        await turn(line, said((0.0, HI)), stages, output)
    assert str(output.error) == "aura: its processor broken failed (ZeroDivisionError)"


@pytest.mark.parametrize(
    ("at", "busy"),
    [
        (0.5, []),  # nothing settled yet
        (1.5, ["aura"]),  # the first word is being written
        (2.5, ["aura", "tts"]),  # the first sentence is being spoken, the second written
        (4.5, ["tts"]),  # the last sentence is being spoken
        (7.5, ["tts"]),  # its sound waits for room
    ],
)
async def test_a_cancelled_turn_is_gone_once_its_engines_have_aborted(at: float, busy: list[str]) -> None:
    line = Line(
        aura=replace(writes("One. Two.", first_s=1.0, word_s=1.0), abort_s=0.2),
        tts=replace(speaks(ms_per_word=5_000, clause_s=2.0), abort_s=0.1),
    )
    gone: list[float] = []
    with nothing_left():
        async with timed(
            turn(line, said((1.0, HI), (60.0, HI)), output=SpeculativeOutput(1_000)), gone
        ) as running_turn:
            await asyncio.sleep(at)
            assert [name.removeprefix("s.7:") for name in (*line.aura.running, *line.tts.running)] == busy
            running_turn.cancel()
    assert (line.aura.running, line.tts.running) == ([], [])
    fence = 0.2 if "aura" in busy else 0.1 if busy else 0.0
    assert gone == [pytest.approx(at + fence)]


async def test_a_turn_that_is_cancelled_while_it_drops_a_guess_waits_for_that_guess_too() -> None:
    line = Line(aura=replace(writes("Hello.", first_s=60.0), abort_s=0.4))
    gone: list[float] = []
    with nothing_left():
        async with timed(turn(line, said((0.0, HI), (1.0, HI_ANN))), gone) as running_turn:
            await asyncio.sleep(1.1)
            running_turn.cancel()
            await asyncio.sleep(0.1)
            running_turn.cancel()
    assert gone == [pytest.approx(1.5)], "0.4 s after the answer in its place was cancelled"
    assert sorted(line.aura.aborted) == ["s.7.1:aura", "s.7:aura"]
    assert line.aura.running == []


async def test_a_stage_that_ends_early_ends_the_turn_without_blocking_the_stage_before_it() -> None:
    @dataclass(frozen=True, slots=True)
    class Deaf:
        """Reads no prompt, says nothing."""

        async def generate(self, request_id: str, prompts: AsyncIterator[Clause]) -> AsyncGenerator[AudioChunk, None]:
            return
            yield

        async def busy(self) -> int:
            return 0

        async def aclose(self) -> None: ...

    line = Line(aura=writes("One. Two. Three."))
    aura, tts = line.stages().chain
    stages = replace(line.stages(), chain=(replace(aura, inflight=1), replace(tts, engine=Deaf())))
    left = await turn(line, said((0.0, HI)), stages)
    assert [what for _, what in left] == [TextChunk("One."), TextChunk(" Two."), TextChunk(" Three.")]


async def said(*steps: tuple[float, TurnContext]) -> AsyncGenerator[TurnContext, None]:
    """Hypotheses, each some seconds after the one before it; the last one makes the turn certain."""
    for seconds, hypothesis in steps:
        await asyncio.sleep(seconds)
        yield hypothesis


async def turn(
    line: Line,
    contexts: AsyncGenerator[TurnContext, None],
    stages: PipelineStages | None = None,
    output: SpeculativeOutput | None = None,
) -> list[tuple[float, object]]:
    """Run one turn; returns what left it and when, of sound only the milliseconds."""
    output = output or SpeculativeOutput(10_000)
    left: list[tuple[float, object]] = []

    async def words() -> None:
        async for word in output.words():
            left.append((now(), word))

    async def sound() -> None:
        async for _, pcm in output.sound():
            left.append((now(), AudioChunk(pcm).duration_ms))

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(words())
        tasks.create_task(sound())
        await run_turn(TURN, contexts, stages or line.stages(), output)
    return left


async def with_failures(
    count: int, contexts: AsyncGenerator[TurnContext, None]
) -> tuple[list[tuple[float, object]], SpeculativeOutput]:
    """A turn whose language model fails `count` times, each after 0.1 s, and then answers."""
    failures = [EngineError("aura", "out of memory")] * count

    def script(chat: ChatPrompt) -> Iterator[Step[TextChunk]]:
        yield 0.1, failures.pop() if failures else TextChunk("Fine.")

    output = SpeculativeOutput(1_000)
    return await turn(Line(aura=FakeEngine(script)), contexts, output=output), output


@asynccontextmanager
async def timed(work: Coroutine[Any, Any, Any], gone: list[float]) -> AsyncGenerator[asyncio.Task[None], None]:
    """Runs `work` beside the block, and notes when it has gone."""

    async def run() -> None:
        try:
            await work
        finally:
            gone.append(now())

    async with asyncio.TaskGroup() as tasks:
        yield tasks.create_task(run())


def now() -> float:
    return round(asyncio.get_running_loop().time(), 6)
