"""What graphs of a step hold on to, and what fills them up; what they answer is measured on a GPU, by `tests.gpu`."""

import gc
from unittest.mock import MagicMock
from weakref import ref

import pytest

torch = pytest.importorskip("torch", reason="the voice's models need torch, which the embedded profile has not")

from torch import Tensor  # noqa: E402

from pipeline.models.qwen3_tts.frame.cuda_graphs import StepGraphs  # noqa: E402
from pipeline.models.qwen3_tts.frame.draw import Decoded, decoded_room  # noqa: E402
from pipeline.models.qwen3_tts.frame.step import Given, room_of  # noqa: E402


class Echo:
    """Predicts the first code again."""

    def __call__(self, given: Given) -> tuple[Tensor, Tensor]:
        return given.code0[:, None].repeat(1, 16), given.hidden


def test_the_memory_that_a_graph_reads_and_writes_stays_the_predictors(monkeypatch: pytest.MonkeyPatch) -> None:
    room = room_of(2, 8, torch.float32, "cpu")
    monkeypatch.setattr(torch, "cuda", MagicMock())
    step = Echo()
    output = ref(step)
    graphs = StepGraphs(step, room, [1, 2])
    del step
    gc.collect()
    assert output() is not None, "a graph replays on addresses, and what was let go of is given to others"
    assert graphs(room.rows(1)._replace(code0=torch.tensor([3])))[0].tolist() == [[0] * 16], "a graph is replayed"
    assert room.code0.tolist() == [3, 0]


class Slots:
    """Draws nothing: tells whose rows there are."""

    def __call__(self, decoded: Decoded) -> tuple[Tensor, Tensor]:
        return decoded.slots, decoded.logits


def test_what_fills_up_a_graph_is_of_the_slot_that_nobody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """What rows draw is kept in their slots: those of an earlier step would overwrite somebody's frame."""
    monkeypatch.setattr(torch, "cuda", MagicMock())
    room = decoded_room(4, 8, 16, 9, torch.float32, "cpu")
    graphs = StepGraphs(Slots(), room, [1, 2, 4])
    for slots, written in (([3, 7, 1, 5], [3, 7, 1, 5]), ([6, 2, 8], [6, 2, 8, 9]), ([4], [4, 2, 8, 9])):
        rows = len(slots)
        given = Decoded(torch.ones(rows, 8), torch.ones(rows, 16), torch.tensor(slots), torch.arange(rows), spare=9)
        found, logits = graphs(given)
        assert found.tolist() == slots and logits.shape == (rows, 16)
        assert room.slots.tolist() == written, "a graph of so many rows as there are needs nothing behind them"
