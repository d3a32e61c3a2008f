"""Prints, as JSON, what the fused predictor answers to tiny questions. Run with TRITON_INTERPRET=1."""

import json
import logging
from logging.handlers import BufferingHandler
from typing import Any

import torch
from torch import Tensor

from pipeline.models.qwen3_tts.config import PredictorConfig
from pipeline.models.qwen3_tts.predictor.fused_predictor import (
    PROGRAMS,
    FusedPredictor,
    fused_or_plain,
    multiprocessors_of,
)
from pipeline.models.qwen3_tts.predictor.predictor import Predictor
from pipeline.models.qwen3_tts.sampling import gumbel
from tests.pipeline.models.qwen3_tts.tiny_torch_predictor import tiny_predictor, tiny_questions

WIDTH = 64
SHARED = {"H100": 232_448, "A100": 166_912, "RTX 4090": 101_376}  # bytes for one program, as CUDA says
ROWS = 4  # as few as tensor cores take
# Few steps and ids, as each step of a block of rows takes seconds; `down` is cut in three, as at full size.
SMALL = PredictorConfig(32, 96, 2, 4, 2, 32, 64, 4, 1e-6, 1e6)


def small_predictor() -> Predictor:
    torch.manual_seed(0)
    return Predictor(SMALL, WIDTH, torch.nn.Embedding(128, WIDTH)).requires_grad_(False)


def blocks(plain: Predictor) -> dict[str, bool]:
    """Whether the kernel answers as the plain predictor does, by the number of rows: of one block, and of three."""
    same: dict[str, bool] = {}
    for rows in (5, 33):
        hidden, code0 = torch.randn(rows, WIDTH), torch.randint(128, (rows,))
        fused = FusedPredictor(plain, rows, programs=1)
        same[str(rows)] = torch.equal(fused(hidden, code0)[0], plain(hidden, code0)[0])
    return same


def small_device(plain: Predictor) -> bool:
    """Whether a device without shared memory for a block, where rows go one by one, answers as the plain predictor."""
    hidden, code0 = torch.randn(ROWS, WIDTH), torch.randint(128, (ROWS,))
    fused = FusedPredictor(plain, ROWS, programs=1)
    fused._shared = SHARED["RTX 4090"]
    return torch.equal(fused(hidden, code0)[0], plain(hidden, code0)[0])


def blocks_of(name: str, dtype: torch.dtype) -> list[int]:
    """How many of 1, 3, 4, … rows a predictor of such weights takes together on such a device."""
    fused = FusedPredictor(small_predictor().to(dtype), ROWS, programs=1)
    fused._shared = SHARED[name]
    return [fused._block_of(rows) for rows in (1, 3, 4, 16, 17, 64)]


def of_nan(plain: Predictor) -> dict[str, Any]:
    """What is drawn in every way where no logit is a number, the codes behind the first; and how many ids there are."""
    rows = torch.arange(ROWS)
    how = drawn(SMALL, rows)
    hidden, code0 = torch.full((ROWS, WIDTH), torch.nan), torch.randint(128, (ROWS,))
    answered: dict[str, FusedPredictor | Predictor] = {
        "fused": FusedPredictor(plain, ROWS, programs=1),
        "plain": plain,
    }
    codes = {name: predictor(hidden, code0, *how)[0][:, 1:].tolist() for name, predictor in answered.items()}
    return {"ids": SMALL.vocab_size, **codes}


def drawn(config: PredictorConfig, rows: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Noise, temperature, top-k and top-p."""
    return (
        gumbel(rows, rows, config.num_code_groups - 1, config.vocab_size),
        torch.tensor([0.0, 0.9, 0.9, 0.9]),  # the first row is greedy
        torch.tensor([50, 50, 0, 50]),
        torch.tensor([1.0, 0.8, 1.0, 1.0]),
    )


def main() -> None:
    logging.getLogger().addHandler(log := BufferingHandler(100))
    plain = tiny_predictor(WIDTH)
    fused = FusedPredictor(plain, ROWS, programs=1)
    hidden, code0 = (each[:ROWS] for each in tiny_questions(WIDTH))
    how = drawn(plain.config, torch.arange(ROWS))
    last = slice(ROWS - 1, ROWS)
    codes, embed = fused(hidden, code0, *how)
    alone, _ = fused(hidden[last], code0[last], *(each[last] for each in how))
    expected, expected_embed = plain(hidden, code0, *how)
    found = {
        "codes": codes.tolist(),
        "alone": alone.tolist(),
        "plain": expected.tolist(),
        "of_nan": of_nan(small_predictor()),
        "embed_error": float((embed - expected_embed).abs().max()),
        "predictors": {n: type(fused_or_plain(plain, ROWS, n)).__name__ for n in (0, PROGRAMS - 1, PROGRAMS)},
        "log": [record.getMessage() for record in log.buffer],
        "blocks": blocks(small_predictor()),
        "blocks_of": {name: blocks_of(name, torch.bfloat16) for name in SHARED},
        "float32": {name: blocks_of(name, torch.float32) for name in SHARED},
        "small_device": small_device(small_predictor()),
        "of_a_cpu": multiprocessors_of(torch.device("cpu")),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
