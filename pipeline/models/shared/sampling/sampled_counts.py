"""How many tokens of a step count for each request."""

from typing import Any

import torch
from torch import Tensor
from vllm.v1.worker.gpu.input_batch import InputBatch, get_num_sampled_and_rejected
from vllm.v1.worker.gpu.sample.sampler import Sampler


class SampledCounts:
    """One token for each request; none while its prompt is being read. Nothing is ever rejected.

    Args:
        requests: Most at once.
    """

    def __init__(self, base: Sampler, requests: int, device: Any) -> None:
        self._base = base
        self._one, self._none = (make(requests, dtype=torch.int32, device=device) for make in (torch.ones, torch.zeros))

    def of(self, batch: InputBatch) -> tuple[Tensor, Tensor]:
        """Returns how many were sampled, and how many of a draft rejected: int32, shape [requests] each."""
        count = batch.num_reqs
        if not batch.has_prefill:
            return self._one[:count], self._none[:count]
        counts: tuple[Tensor, Tensor] = get_num_sampled_and_rejected(
            self._one[:count].clone(), batch.seq_lens, batch.cu_num_logits, batch.idx_mapping,
            self._base.req_states.prefill_len.gpu,
        )  # fmt: skip
        return counts
