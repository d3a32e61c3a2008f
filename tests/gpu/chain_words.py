"""Recogniser and AURA as vLLM models that write words and full stops, whatever their weights, and find no end.

So a deployment's `max_tokens` is the length of what they write: weights that are made up end anywhere.

A recogniser that is `steady` writes one word, over and over: a pass finds all of its draft right, and writes one token
more. It stands for a trained one that keeps to what it wrote, as Whisper does in 81 of 100 passes over a growing
utterance; in 90 all but the last token stays, in 100 all but two (42 passes). It does not stand for those others, nor
for each further word that the newest sound adds, a step of its own: `tests.gpu.transcriber` measures both. One that is
`changing` draws its words by lot: hardly a draft is right, and the pipeline soon tries none. That is the least that
drafts can give.
"""

import json
import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from pipeline.models.aura.model import AuraQwen3VLForConditionalGeneration
from pipeline.models.qwen3_asr.model import GraphedQwen3ASRForConditionalGeneration
from pipeline.models.qwen3_omni.thinker import Qwen3OmniThinker

LIKELY = {"Ġthe": 1.0, "Ġof": 1.0, "Ġyou": 1.0, "Ġand": 0.4, "Ġis": 0.4, ".": 0.4}  # of tests.contract.vllm.tiny
STEADY = {"Ġthe": 1.0}
TEMPERATURE = 0.5  # AURA's
LOT = 0.1  # added to a word's logit at the most: it decides among the likeliest, and a recogniser writes no full stop
NEVER = -1e4
LOTS = 257  # that are drawn beforehand: a step begins at any of them


class Words:
    """What is added to the logits.

    Args:
        folder: The checkpoint's, for its vocabulary.
        likely: How likely each word is; all others never come.
        lot: Most that chance adds, anew each time.
    """

    def __init__(self, folder: Path, likely: Mapping[str, float] = LIKELY, lot: float = 0.0) -> None:
        ids = json.loads((folder / "vocab.json").read_text())
        self._likely = {ids[word]: TEMPERATURE * math.log(weight) for word, weight in likely.items()}
        self._lot = lot
        self._added: torch.Tensor | None = None

    def only(self, logits: torch.Tensor | None) -> torch.Tensor | None:
        """One kernel more than a trained model has: an engine's thread has little time in a step."""
        if logits is None:
            return None
        if self._added is None:
            self._added = self._drawn(logits)
        rows, count = len(self._added), len(logits)
        if not self._lot:
            return logits + self._added
        if count > rows:
            return logits + self._added[torch.arange(count, device=logits.device) % rows]
        first = random.randrange(rows - count + 1)
        return logits + self._added[first : first + count]

    def _drawn(self, like: torch.Tensor) -> torch.Tensor:
        """Draws what is added, before it is needed: [`LOTS` or one, vocabulary]."""
        added = torch.full((LOTS if self._lot else 1, like.shape[-1]), NEVER)
        for token, weight in self._likely.items():
            added[:, token] = weight + self._lot * torch.rand(len(added))
        return added.to(like)


class SteadyRecogniser(GraphedQwen3ASRForConditionalGeneration):
    def __init__(self, *, vllm_config: Any, prefix: str = "") -> None:
        super().__init__(vllm_config=vllm_config, prefix=prefix)
        self.words = Words(Path(vllm_config.model_config.model), STEADY)

    def compute_logits(self, hidden_states: torch.Tensor) -> torch.Tensor | None:
        return self.words.only(super().compute_logits(hidden_states))


class ChangingRecogniser(GraphedQwen3ASRForConditionalGeneration):
    def __init__(self, *, vllm_config: Any, prefix: str = "") -> None:
        super().__init__(vllm_config=vllm_config, prefix=prefix)
        self.words = Words(Path(vllm_config.model_config.model), LIKELY, LOT)

    def compute_logits(self, hidden_states: torch.Tensor) -> torch.Tensor | None:
        return self.words.only(super().compute_logits(hidden_states))


class AuraOfWords(AuraQwen3VLForConditionalGeneration):
    def __init__(self, *, vllm_config: Any, prefix: str = "model") -> None:
        super().__init__(vllm_config=vllm_config, prefix=prefix)
        self.words = Words(Path(vllm_config.model_config.model))

    def compute_logits(self, hidden_states: torch.Tensor) -> torch.Tensor | None:
        return self.words.only(super().compute_logits(hidden_states))


class ThinkerOfWords(Qwen3OmniThinker):
    def __init__(self, *, vllm_config: Any, prefix: str = "") -> None:
        super().__init__(vllm_config=vllm_config, prefix=prefix)
        self.words = Words(Path(vllm_config.model_config.model))

    def compute_logits(self, hidden_states: torch.Tensor) -> torch.Tensor | None:
        return self.words.only(super().compute_logits(hidden_states))
