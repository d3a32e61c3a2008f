"""Our predictor with the tiny weights."""

import torch
from torch import Tensor, nn

from pipeline.models.qwen3_tts.predictor.predictor import Predictor
from pipeline.models.shared.weights import load_weights
from tests.pipeline.models.qwen3_tts.seeded import seeded
from tests.pipeline.models.qwen3_tts.tiny_predictor import CONFIG, FIRST_IDS, questions


def tiny_predictor(talker_width: int) -> Predictor:
    first = nn.Embedding(FIRST_IDS, talker_width)
    predictor = Predictor(CONFIG, talker_width, first).eval()
    _load(predictor, "predictor")
    first.load_state_dict(_tensors({"first_embedding.weight": (FIRST_IDS, talker_width)}, "first_embedding."))
    return predictor


def tiny_questions(talker_width: int) -> tuple[Tensor, Tensor]:
    hidden, code0 = questions(talker_width)
    return torch.from_numpy(hidden), torch.from_numpy(code0)


def _load(module: nn.Module, source: str) -> None:
    shapes = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    load_weights(module, _tensors(shapes), source)


def _tensors(shapes: dict[str, tuple[int, ...]], prefix: str = "") -> dict[str, Tensor]:
    return {name.removeprefix(prefix): torch.from_numpy(array) for name, array in seeded(shapes).items()}
