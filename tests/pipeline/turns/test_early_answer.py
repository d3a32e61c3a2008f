"""An answer begins with words that are likely to be settled, beside the pass that confirms them."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest

from pipeline.engines.fake import FakeEngine, Step, writes
from pipeline.errors import EngineError
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.types.chunks import ChatPrompt, TextChunk
from pipeline.types.playback_marks import PlaybackMark
from pipeline.types.turn_request import ResponseOptions
from tests.pipeline.turns.test_turn import HI, HI_ANN, said, timed, turn
from tests.scenario import Line
from tests.tidy import nothing_left

LIKELY = replace(HI, settled=False, likely=True)
AHEAD = replace(HI, settled=False)


async def test_an_early_answer_is_there_when_the_pass_confirms_its_words() -> None:
    line, output = Line(aura=writes("Hello.", first_s=0.3)), SpeculativeOutput(10_000)
    left = await turn(line, said((0.0, LIKELY), (0.4, HI)), output=output)
    assert left == [(0.4, TextChunk("Hello.")), (0.4, PlaybackMark("Hello.", 0, 300)), (0.4, 300.0)]
    assert (output.began["aura"], output.first_chunks.text) == (0.0, 0.3)
    assert (len(line.questions), line.aura.aborted) == (1, [])
    assert output.early_answers == {"adopted": 1}


async def test_nothing_of_an_early_answer_leaves_before_the_pass_has_confirmed_its_words() -> None:
    left = await turn(Line(aura=writes("One. Two.")), said((0.0, LIKELY), (9.0, HI)))
    assert {at for at, _ in left} == {9.0}


async def test_an_early_answer_to_other_words_leaves_no_trace_and_is_not_waited_for() -> None:
    line = Line(aura=replace(writes(lambda chat: f"You said {chat.messages[-1].text}.", word_s=0.1), abort_s=5.0))
    output = SpeculativeOutput(10_000)
    left = await turn(line, said((0.0, LIKELY), (0.15, HI_ANN)), output=output)
    assert [what for _, what in left] == [
        *(TextChunk(word) for word in ("You", " said", " Hi", " Ann.")),
        PlaybackMark("You said Hi Ann.", 0, 1200),
        1200.0,
    ]
    assert line.aura.aborted == ["s.7:aura"]
    assert output.began["aura"] == pytest.approx(0.15)
    assert output.ended["aura"] < 5.0, "that of the other one is not told"
    assert output.early_answers == {"discarded": 1}


async def test_an_early_answer_takes_the_place_of_the_prefill_of_the_same_words() -> None:
    line, output = Line(), SpeculativeOutput(10_000)
    await turn(line, said((0.0, AHEAD), (1.0, LIKELY), (1.0, HI)), output=output)
    assert (line.read_ahead, len(line.questions)) == (["Hi"], 1)
    assert (output.began["aura"], output.early_answers["adopted"]) == (1.0, 1)


async def test_an_early_answer_outlives_a_pass_that_fails_and_is_adopted_after_the_next() -> None:
    line, output = Line(aura=writes("Hello.", first_s=0.5)), SpeculativeOutput(10_000)
    left = await turn(line, said((0.0, LIKELY), (0.2, AHEAD), (0.1, LIKELY), (0.7, HI)), output=output)
    assert left[0] == (1.0, TextChunk("Hello."))
    assert (len(line.questions), output.early_answers) == (1, {"adopted": 1})


async def test_an_early_answer_that_failed_is_tried_again_once_its_words_are_settled() -> None:
    failures = [EngineError("aura", "out of memory")]

    def script(chat: ChatPrompt) -> Iterator[Step[TextChunk]]:
        yield 0.1, failures.pop() if failures else TextChunk("Fine.")

    output = SpeculativeOutput(1_000)
    left = await turn(Line(aura=FakeEngine(script)), said((0.0, LIKELY), (2.0, HI)), output=output)
    assert left[0] == (2.1, TextChunk("Fine."))
    assert output.error is None
    assert output.early_answers == {"discarded": 1}


async def test_an_early_answer_is_discarded_if_what_is_asked_of_the_answer_changes() -> None:
    line, output = Line(), SpeculativeOutput(10_000)
    brief = replace(HI, response_options=ResponseOptions(instructions="Be brief."))
    await turn(line, said((0.0, LIKELY), (1.0, brief)), output=output)
    assert (len(line.questions), output.early_answers) == (2, {"discarded": 1})


async def test_an_answer_that_began_with_settled_words_is_not_early() -> None:
    output = SpeculativeOutput(10_000)
    await turn(Line(), said((0.0, HI), (1.0, HI), (1.0, HI_ANN)), output=output)
    assert output.early_answers == {}


async def test_a_turn_that_is_cancelled_before_the_confirmation_is_gone_with_its_early_answer() -> None:
    line, output = Line(aura=replace(writes("Hello.", first_s=60.0), abort_s=0.2)), SpeculativeOutput(1_000)
    gone: list[float] = []
    with nothing_left():
        async with timed(turn(line, said((0.0, LIKELY), (60.0, HI)), output=output), gone) as running_turn:
            await asyncio.sleep(1)
            running_turn.cancel()
    assert (gone, line.aura.running) == ([1.2], [])
    assert output.early_answers == {"discarded": 1}
