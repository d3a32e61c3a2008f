"""What graphs of the predictor hold on to; what they answer is measured on a GPU, by `tests.gpu.predictor`."""

import gc
from unittest.mock import MagicMock
from weakref import ref

import pytest

torch = pytest.importorskip("torch", reason="the voice's models need torch, which the embedded profile has not")

from torch import Tensor  # noqa: E402

from pipeline.models.qwen3_tts.predictor_graphs import PredictorGraphs, buffers  # noqa: E402


class Echo:
    """Predicts the first code again."""

    def __call__(
        self,
        hidden: Tensor,
        code0: Tensor,
        noise: Tensor | None = None,
        temperature: Tensor | None = None,
        top_k: Tensor | None = None,
        top_p: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        return code0[:, None].repeat(1, 16), hidden


def test_the_memory_that_a_graph_reads_and_writes_stays_the_predictors(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = buffers(2, 8, 16, 32, torch.float32, "cpu")
    monkeypatch.setattr(torch, "cuda", MagicMock())
    predictor = Echo()
    held = ref(predictor)
    graphs = PredictorGraphs(predictor, inputs, [1, 2])
    del predictor
    gc.collect()
    assert held() is not None, "a graph replays on addresses, and what was let go of is given to others"
    assert graphs.replay(1)[0].tolist() == [[0] * 16]
