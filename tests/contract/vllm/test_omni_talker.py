"""The talker of Qwen3-Omni on the real vLLM writes the frames of the official model, whoever is beside it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.models.hidden_states.row_reader import RowReader, RowReaders
from pipeline.models.hidden_states.row_writer import RowPlacer
from pipeline.models.qwen3_omni.config import read_omni
from pipeline.models.qwen3_omni.prompt import heard_prompt
from pipeline.models.qwen3_omni.weight_names import code2wav_shapes, own_name, talker_shapes, thinker_shapes
from tests.contract.vllm.pictures import GRID, TOKENS, patches, shown
from tests.contract.vllm.sounds import NOISE, noise, spectrum
from tests.contract.vllm.talking import Answer, OfficialAnswer, OmniSpeaker, official_answer
from tests.contract.vllm.thinking import LAYOUT, said
from tests.contract.vllm.tiny_omni import IDS, official, write_omni

pytestmark = pytest.mark.vllm

TEXTS = ("hello there", "what is the weather like today, and what will it be tomorrow?", "no", "why?")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, vllm_on_a_cpu: None) -> Path:
    return write_omni(tmp_path_factory.mktemp("qwen3_omni"))


@pytest.fixture(scope="module")
def model(folder: Path) -> Any:
    return official(folder)


@pytest.fixture(scope="module")
def speaker(folder: Path) -> Iterator[OmniSpeaker]:
    speaker = OmniSpeaker(folder)
    yield speaker
    speaker.close()


def answer_to(expected: OfficialAnswer, prompt: list[int], **told: Any) -> Answer:
    """The thinker's last token is its end, or was not read by it: it is not spoken."""
    return Answer(prompt, expected.tokens[:-1], **told)


def test_several_answers_at_once_one_of_them_in_another_voice(speaker: OmniSpeaker, model: Any) -> None:
    prompts = [said(text) for text in TEXTS]
    voices = ["ethan", "ethan", "chelsie", "ethan"]
    expected = [official_answer(model, prompt, voice) for prompt, voice in zip(prompts, voices, strict=True)]
    answers = [
        answer_to(each, prompt, voice=voice, begins=2 * at)
        for at, (each, prompt, voice) in enumerate(zip(expected, prompts, voices, strict=True))
    ]
    speaker.answer(*answers, answer_to(expected[0], prompts[0], begins=3, aborted=4))
    for answer, each in zip(answers, expected, strict=True):
        assert np.array_equal(answer.codes, each.codes)
    assert min(len(each.codes) for each in expected) > 5


def test_words_that_come_one_at_a_time(speaker: OmniSpeaker, model: Any) -> None:
    expected = official_answer(model, prompt := said(TEXTS[1]))
    speaker.answer(answer := answer_to(expected, prompt, splits=[1] * 20))
    assert np.array_equal(answer.codes, expected.codes)


def test_what_was_heard_is_read_out_of_the_pool(speaker: OmniSpeaker, model: Any) -> None:
    prompt = said("what is this?", noise())
    expected = official_answer(model, prompt, **spectrum())
    readers = RowReaders(LAYOUT)
    spans = heard_prompt(speaker.config, prompt).spans
    assert [last - first for first, last in spans] == [NOISE.tokens]
    with readers.open(spans, decode=False) as reader:
        write(reader, expected, len(prompt))
        speaker.answer(answer := answer_to(expected, prompt, reader=reader))
    assert np.array_equal(answer.codes, expected.codes)
    deaf = Answer([id_ for id_ in prompt if id_ != IDS["<|audio_pad|>"]], answer.words)
    speaker.answer(deaf)
    assert not np.array_equal(deaf.codes, expected.codes)


def test_what_was_seen_stands_in_height_and_width(speaker: OmniSpeaker, model: Any) -> None:
    """And what is spoken after it, part by part, behind the longer side of the picture."""
    prompt = said("what is there?", shown())
    expected = official_answer(model, prompt, **patches())
    readers, grids = RowReaders(LAYOUT), [(GRID[1] // 2, GRID[2] // 2)]
    with readers.open(heard_prompt(speaker.config, prompt, grids).spans, decode=False) as reader:
        write(reader, expected, len(prompt))
        answers = [answer_to(expected, prompt, reader=reader, grids=grids, splits=[1] * 20)]
        speaker.answer(answers[0], Answer(said(TEXTS[0]), answers[0].words, begins=2))
    assert np.array_equal(answers[0].codes, expected.codes)
    flat = heard_prompt(speaker.config, prompt, [(1, TOKENS)]).spans
    with readers.open(flat, decode=False) as reader:
        write(reader, expected, len(prompt))
        speaker.answer(other := answer_to(expected, prompt, reader=reader, grids=[(1, TOKENS)]))
    assert not np.array_equal(other.codes, expected.codes), "where it stands is heard"


def write(reader: RowReader, expected: OfficialAnswer, prompt: int) -> None:
    """As a thinker's engine does."""
    placer = RowPlacer(reader.pool, reader.request, prompt)
    rows = placer.pool.rows.view(np.float32).reshape(-1, LAYOUT.layers, LAYOUT.width)
    for run in placer.places(0, prompt):
        rows[run.row : run.row + run.count, -1] = expected.states[run.position : run.position + run.count]


def test_every_weight_of_the_checkpoint_has_its_place(speaker: OmniSpeaker, folder: Path) -> None:
    from pipeline.models.shared.weight_files import stored

    given = {tensor.name: tensor.shape for tensor in stored(folder)}
    wanted = dict(talker_shapes(read_omni(folder)))
    assert wanted == {name: shape for name, shape in given.items() if name in wanted or name.startswith("talker.")}
    assert len({own_name(name) for name in wanted}) == len(wanted)


def test_every_weight_of_the_official_model_belongs_to_a_part_and_has_its_shape(folder: Path) -> None:
    from pipeline.models.shared.weight_files import stored

    config = read_omni(folder)
    wanted = [named for shapes in (thinker_shapes, talker_shapes, code2wav_shapes) for named in shapes(config)]
    assert dict(wanted) == {tensor.name: tensor.shape for tensor in stored(folder)}
    assert len(wanted) == len(dict(wanted)) + 1, "only the table of words belongs to two"
