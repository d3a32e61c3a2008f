"""Prints, as JSON, what the fused predictor answers to tiny questions. Run with TRITON_INTERPRET=1."""

import json
import logging
from logging.handlers import BufferingHandler

import torch

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
ROWS = 4  # as few as tensor cores take
SMALL = PredictorConfig(32, 96, 2, 4, 2, 32, 64, 4, 1e-6, 1e6)  # `down` is cut in three, as at full size


def blocks() -> dict[str, bool]:
    """Whether the kernel answers as the plain predictor does, by the number of rows: of one block, and of three."""
    torch.manual_seed(0)
    plain = Predictor(SMALL, WIDTH, torch.nn.Embedding(128, WIDTH)).requires_grad_(False)
    same: dict[str, bool] = {}
    for rows in (5, 33):
        hidden, code0 = torch.randn(rows, WIDTH), torch.randint(128, (rows,))
        fused = FusedPredictor(plain, rows, programs=1)
        same[str(rows)] = torch.equal(fused(hidden, code0)[0], plain(hidden, code0)[0])
    return same


def main() -> None:
    logging.getLogger().addHandler(log := BufferingHandler(100))
    plain = tiny_predictor(WIDTH)
    fused = FusedPredictor(plain, ROWS, programs=1)
    hidden, code0 = (each[:ROWS] for each in tiny_questions(WIDTH))
    rows = torch.arange(ROWS)
    how = (
        gumbel(rows, rows, 15, 2048),
        torch.tensor([0.0, 0.9, 0.9, 0.9]),  # the first row is greedy
        torch.tensor([50, 50, 0, 50]),
        torch.tensor([1.0, 0.8, 1.0, 1.0]),
    )
    last = slice(ROWS - 1, ROWS)
    codes, embed = fused(hidden, code0, *how)
    alone, _ = fused(hidden[last], code0[last], *(each[last] for each in how))
    unknown = torch.full_like(hidden, torch.nan)
    expected, expected_embed = plain(hidden, code0, *how)
    found = {
        "codes": codes.tolist(),
        "alone": alone.tolist(),
        "plain": expected.tolist(),
        "of_nan": {"fused": fused(unknown, code0, *how)[0].tolist(), "plain": plain(unknown, code0, *how)[0].tolist()},
        "embed_error": float((embed - expected_embed).abs().max()),
        "predictors": {n: type(fused_or_plain(plain, ROWS, n)).__name__ for n in (0, PROGRAMS - 1, PROGRAMS)},
        "log": [record.getMessage() for record in log.buffer],
        "blocks": blocks(),
        "of_a_cpu": multiprocessors_of(torch.device("cpu")),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
