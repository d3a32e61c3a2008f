"""Writes goldens/predictor.json: what the official predictor answers, in greedy, to the tiny questions.

Run it where `qwen-tts==0.1.1` is installed: `python -m tests.pipeline.models.make_predictor_golden`.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from qwen_tts.core.models.configuration_qwen3_tts import (
    Qwen3TTSTalkerCodePredictorConfig,
    Qwen3TTSTalkerConfig,
)
from qwen_tts.core.models.modeling_qwen3_tts import (
    Qwen3TTSTalkerCodePredictorModelForConditionalGeneration,
)

from tests.pipeline.models.qwen3_tts.seeded import seeded
from tests.pipeline.models.qwen3_tts.tiny_predictor import CONFIG, FIRST_IDS, TALKER_WIDTHS, questions

GOLDEN = Path(__file__).parent / "goldens" / "predictor.json"


def main() -> None:
    GOLDEN.parent.mkdir(exist_ok=True)
    answers = {str(width): answer(width) for width in TALKER_WIDTHS}
    GOLDEN.write_text(json.dumps(answers, separators=(",", ":")) + "\n")
    for width, found in answers.items():
        print(f"talker width {width}: {len(found['codes'])} frames, smallest margin {found['smallest_margin']:.1e}")


def answer(width: int) -> dict[str, Any]:
    config = Qwen3TTSTalkerCodePredictorConfig(**asdict(CONFIG))
    talker = Qwen3TTSTalkerConfig(hidden_size=width, code_predictor_config=asdict(CONFIG))
    predictor = Qwen3TTSTalkerCodePredictorModelForConditionalGeneration(config, talker).eval()
    state = predictor.state_dict()
    weights = seeded({name: tuple(tensor.shape) for name, tensor in state.items()})
    predictor.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    first = torch.from_numpy(seeded({"first_embedding.weight": (FIRST_IDS, width)})["first_embedding.weight"])
    hidden, code0 = (torch.from_numpy(array) for array in questions(width))
    result = predictor.generate(
        inputs_embeds=torch.stack([hidden, first[code0]], 1),
        max_new_tokens=CONFIG.num_code_groups - 1,
        do_sample=False,
        output_scores=True,
        return_dict_in_generate=True,
    )
    best = torch.stack(result.scores, 1).topk(2).values
    codes = torch.cat([code0[:, None], result.sequences], 1)
    return {"codes": codes.tolist(), "smallest_margin": float((best[..., 0] - best[..., 1]).min())}


if __name__ == "__main__":
    main()
