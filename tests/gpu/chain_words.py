"""Recogniser and AURA as vLLM models that write words and full stops, whatever their weights, and find no end.

So a deployment's `max_tokens` is the length of what they write: weights that are made up end anywhere.
"""

import json
import math
from pathlib import Path
from typing import Any

import torch

from pipeline.models.aura import AuraQwen3VLForConditionalGeneration
from pipeline.models.qwen3_asr.graphed import GraphedQwen3ASRForConditionalGeneration

LIKELY = {"Ġthe": 1.0, "Ġof": 1.0, "Ġyou": 1.0, "Ġand": 0.4, "Ġis": 0.4, ".": 0.4}  # of tests.contract.vllm.tiny
TEMPERATURE = 0.5  # AURA's; a recogniser that takes the likeliest never writes a full stop
NEVER = -1e4


class Words:
    """What is added to the logits.

    Args:
        folder: The checkpoint's, for its vocabulary.
    """

    def __init__(self, folder: Path) -> None:
        ids = json.loads((folder / "vocab.json").read_text())
        self._likely = {ids[word]: TEMPERATURE * math.log(weight) for word, weight in LIKELY.items()}
        self._added: torch.Tensor | None = None

    def only(self, logits: torch.Tensor | None) -> torch.Tensor | None:
        if logits is None:
            return None
        if self._added is None:
            added = torch.full((logits.shape[-1],), NEVER)
            added[list(self._likely)] = torch.tensor(list(self._likely.values()))
            self._added = added.to(logits)
        return logits + self._added


class RecogniserOfWords(GraphedQwen3ASRForConditionalGeneration):
    def __init__(self, *, vllm_config: Any, prefix: str = "") -> None:
        super().__init__(vllm_config=vllm_config, prefix=prefix)
        self.words = Words(Path(vllm_config.model_config.model))

    def compute_logits(self, hidden_states: torch.Tensor) -> torch.Tensor | None:
        return self.words.only(super().compute_logits(hidden_states))


class AuraOfWords(AuraQwen3VLForConditionalGeneration):
    def __init__(self, *, vllm_config: Any, prefix: str = "model") -> None:
        super().__init__(vllm_config=vllm_config, prefix=prefix)
        self.words = Words(Path(vllm_config.model_config.model))

    def compute_logits(self, hidden_states: torch.Tensor) -> torch.Tensor | None:
        return self.words.only(super().compute_logits(hidden_states))
