"""Prints, as JSON, what the fused predictor answers to tiny questions. Run with TRITON_INTERPRET=1."""

import json

import torch

from pipeline.models.qwen3_tts.predictor_fused import FusedPredictor
from pipeline.models.qwen3_tts.sampling import gumbel
from tests.pipeline.models.tiny_torch_predictor import tiny_predictor, tiny_questions

ROWS = 3


def main() -> None:
    found = {}
    for width in (64, 32):
        plain = tiny_predictor(width)
        fused = FusedPredictor(plain, ROWS, programs=1)
        hidden, code0 = (each[:ROWS] for each in tiny_questions(width))
        rows = torch.arange(ROWS)
        how = (
            gumbel(rows, rows, 15, 2048),
            torch.tensor([0.9, 0.0, 0.7]),
            torch.tensor([50, 50, 0]),
            torch.tensor([1.0, 1.0, 0.8]),
        )
        codes, embed = fused(hidden, code0)
        drawn, _ = fused(hidden, code0, *how)
        alone, _ = fused(hidden[:1], code0[:1], *(each[:1] for each in how))
        found[width] = {
            "greedy": codes.tolist(),
            "embed_error": float((embed - plain(hidden, code0)[1]).abs().max()),
            "drawn": drawn.tolist(),
            "drawn_plain": plain(hidden, code0, *how)[0].tolist(),
            "alone": alone.tolist(),
        }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
