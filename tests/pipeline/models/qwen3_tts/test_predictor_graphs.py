"""What graphs of the predictor hold on to; what they answer is measured on a GPU, by `tests.gpu.predictor`."""

import gc
from unittest.mock import MagicMock
from weakref import ref

import pytest

torch = pytest.importorskip("torch", reason="the voice's models need torch, which the embedded profile has not")

from torch import Tensor  # noqa: E402

from pipeline.models.qwen3_tts.frame_step import Given, room_of  # noqa: E402
from pipeline.models.qwen3_tts.predictor.cuda_graphs import PredictorGraphs  # noqa: E402


class Echo:
    """Predicts the first code again."""

    def __call__(self, given: Given) -> tuple[Tensor, Tensor]:
        return given.code0[:, None].repeat(1, 16), given.hidden


def test_the_memory_that_a_graph_reads_and_writes_stays_the_predictors(monkeypatch: pytest.MonkeyPatch) -> None:
    room = room_of(2, 8, torch.float32, "cpu")
    monkeypatch.setattr(torch, "cuda", MagicMock())
    step = Echo()
    output = ref(step)
    graphs = PredictorGraphs(step, room, [1, 2])
    del step
    gc.collect()
    assert output() is not None, "a graph replays on addresses, and what was let go of is given to others"
    assert graphs(room.rows(1)._replace(code0=torch.tensor([3])))[0].tolist() == [[0] * 16], "a graph is replayed"
    assert room.code0.tolist() == [3, 0]
