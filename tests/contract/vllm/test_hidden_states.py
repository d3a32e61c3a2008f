"""Hidden states leave the real vLLM as the official model has them, row by row, whoever is beside them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pipeline.models.hidden_states.row_reader import RowsMissingError
from tests.contract.vllm.pictures import patches, seen, shown
from tests.contract.vllm.sounds import heard, noise, spectrum
from tests.contract.vllm.thinking import LAYOUT, STEP_TOKENS, ThinkerEngine, Thought, official_thought, said
from tests.contract.vllm.tiny_omni import official, write_omni

pytestmark = pytest.mark.vllm

TEXTS = ("hello there", "what is the weather like today, and what will it be tomorrow?", "no")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, vllm_on_a_cpu: None) -> Path:
    return write_omni(tmp_path_factory.mktemp("qwen3_omni"))


@pytest.fixture(scope="module")
def model(folder: Path) -> Any:
    return official(folder)


@pytest.fixture(scope="module")
def engine(folder: Path) -> Iterator[ThinkerEngine]:
    engine = ThinkerEngine(folder)
    yield engine
    engine.close()


@pytest.fixture(autouse=True)
def _nothing_stays(engine: ThinkerEngine) -> Iterator[None]:
    yield
    assert engine.readers.pool.owners() == set()


def assert_close(rows: NDArray[np.float32], expected: NDArray[np.float32]) -> None:
    np.testing.assert_allclose(rows, expected, rtol=1e-4, atol=1e-4)


def done(*thoughts: Thought) -> None:
    for each in thoughts:
        assert each.reader is not None
        each.reader.__exit__()


def test_rows_of_prompt_and_tokens_of_several_requests_in_chunks(engine: ThinkerEngine, model: Any) -> None:
    thoughts = [Thought(said(text), begins=3 * at) for at, text in enumerate(TEXTS)]
    assert max(len(each.prompt) for each in thoughts) > 2 * STEP_TOKENS
    engine.think(*thoughts)
    for thought in thoughts:
        tokens, rows = official_thought(model, thought.prompt)
        assert thought.tokens == tokens
        assert_close(thought.rows(), rows)
    done(*thoughts)


def test_prompt_and_tokens_never_share_a_page(engine: ThinkerEngine) -> None:
    thought = Thought(said("a page of its own"))
    engine.think(thought)
    assert thought.reader
    prompt = len(thought.prompt)
    assert len(thought.tokens) > 1
    assert all(page.end <= prompt or page.first >= prompt for page in thought.reader.pages())
    done(thought)


def test_rows_of_what_was_in_the_prefix_cache(engine: ThinkerEngine, model: Any) -> None:
    """Nobody had asked for the rows of the prompt that is found there."""
    begun = said(TEXTS[1])
    engine.think(first := Thought([*begun], spans=(), decode=False))
    engine.think(again := Thought([*begun]))
    assert again.cached >= 64
    tokens, rows = official_thought(model, begun)
    assert again.tokens == tokens
    assert_close(again.rows(), rows)
    done(first, again)


def test_only_what_is_wanted_takes_pages(engine: ThinkerEngine, model: Any) -> None:
    thought = Thought(said("some of it"), spans=((4, 9), (15, 22)), decode=False)
    engine.think(thought)
    _, rows = official_thought(model, thought.prompt)
    assert thought.reader
    for first, last in thought.spans or ():
        assert_close(thought.reader.floats(first, last), rows[first:last])
    assert sum(page.count for page in thought.reader.pages()) == 12
    with pytest.raises(RowsMissingError, match="position 9 "):
        thought.reader.read(9, 10)
    done(thought)


def test_a_cancelled_request_leaves_nothing_and_harms_nobody(engine: ThinkerEngine, model: Any) -> None:
    kept, dropped = Thought(said("the one that stays")), Thought(said("the one that goes"), begins=1, aborted=2)
    engine.think(kept, dropped)
    assert dropped.reader and dropped.reader.pages()
    done(dropped)
    assert engine.readers.pool.owners() == {kept.reader.request.owner if kept.reader else 0}
    assert_close(kept.rows(), official_thought(model, kept.prompt)[1])
    done(kept)


def test_a_full_pool_costs_a_request_its_rows_and_no_more(engine: ThinkerEngine) -> None:
    """The others, and the tokens, are as they were."""
    thoughts = [Thought(said(f"{at} {TEXTS[1]}"), decode=False) for at in range(8)]
    rows = sum(len(each.prompt) for each in thoughts)
    assert rows > LAYOUT.pages * LAYOUT.page_rows
    engine.think(*thoughts)
    complete = [_whole(each) for each in thoughts]
    assert True in complete and False in complete
    assert all(each.tokens for each in thoughts)
    done(*thoughts)


def _whole(thought: Thought) -> bool:
    assert thought.reader
    try:
        thought.reader.read(0, len(thought.prompt))
    except RowsMissingError:
        return False
    return True


def test_rows_of_sound(engine: ThinkerEngine, model: Any) -> None:
    prompt = said("what is this?", noise())
    thought = Thought(prompt, [heard(prompt)])
    engine.think(thought)
    tokens, rows = official_thought(model, prompt, **spectrum())
    assert thought.tokens == tokens
    assert_close(thought.rows(), rows)
    done(thought)


def test_rows_of_a_picture(engine: ThinkerEngine, model: Any) -> None:
    """Its places have positions of three numbers, and it is shown to the first layers, too."""
    prompt = said("what is there?", shown())
    thought = Thought(prompt, [seen(prompt)])
    engine.think(thought)
    tokens, rows = official_thought(model, prompt, **patches())
    assert thought.tokens == tokens
    assert_close(thought.rows(), rows)
    done(thought)
