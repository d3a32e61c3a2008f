"""What follows codebook 0 in a step: the noise of each row, and the predictor that draws by it."""

from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from pipeline.models.qwen3_tts.config import PredictorConfig
from pipeline.models.qwen3_tts.sampling import gumbel


class Predicts(Protocol):
    """What `Predictor` and `FusedPredictor` are."""

    def __call__(
        self,
        hidden: Tensor,
        code0: Tensor,
        noise: Tensor | None = None,
        temperature: Tensor | None = None,
        top_k: Tensor | None = None,
        top_p: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]: ...


class Given(NamedTuple):
    """What a frame is made of; a row a request.

    Attributes:
        hidden: [rows, talker width], the Talker's last hidden state, normalised.
        code0: [rows], int64.
        seeds, places: [rows], int64: the noise is a function of them.
        choices: [rows, 3], float32: temperature, top_k and top_p, as `wire.Choice`.
    """

    hidden: Tensor
    code0: Tensor
    seeds: Tensor
    places: Tensor
    choices: Tensor

    @property
    def requests(self) -> int:
        return len(self.code0)

    def rows(self, rows: int) -> "Given":
        return Given(*(each[:rows] for each in self))

    def write(self, room: "Given") -> None:
        """Rows behind these stay as they are."""
        for own, each in zip(room.rows(self.requests), self, strict=True):
            own.copy_(each)


class FrameStep:
    """`Given` → codes, [rows, codebooks], and the sum of their embeddings, [rows, talker width]."""

    def __init__(self, predictor: Predicts, config: PredictorConfig) -> None:
        self._predictor = predictor
        self._drawn = config.num_code_groups - 1
        self._ids = config.vocab_size

    def __call__(self, given: Given) -> tuple[Tensor, Tensor]:
        noise = noise_of(given.seeds, given.places, self._drawn, self._ids)
        temperature, top_k, top_p = given.choices.T.contiguous()
        return self._predictor(given.hidden, given.code0, noise, temperature, top_k.int(), top_p)


def noise_of(seeds: Tensor, places: Tensor, codebooks: int, ids: int) -> Tensor:
    """As `gumbel`, in one pass where there is a GPU."""
    if seeds.is_cuda:
        from pipeline.models.qwen3_tts.predictor.fused.noise import noise

        return noise(seeds, places, codebooks, ids)
    return gumbel(seeds, places, codebooks, ids)


def room_of(rows: int, talker_width: int, dtype: torch.dtype, device: str) -> Given:
    """Zeros, which are greedy rows of code 0."""
    code0, seeds, places = (torch.zeros(rows, dtype=torch.int64, device=device) for _ in range(3))
    hidden = torch.zeros(rows, talker_width, dtype=dtype, device=device)
    return Given(hidden, code0, seeds, places, torch.zeros(rows, 3, device=device))
