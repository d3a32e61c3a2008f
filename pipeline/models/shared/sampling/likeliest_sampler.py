"""Takes the likeliest token of each request where nobody asks for more, in fewer steps than vLLM's sampler."""

from typing import Any

import numpy as np
from torch import Tensor
from vllm.v1.worker.gpu.input_batch import InputBatch
from vllm.v1.worker.gpu.sample.output import SamplerOutput
from vllm.v1.worker.gpu.sample.sampler import Sampler

from pipeline.models.shared.sampling.sampled_counts import SampledCounts


class LikeliestSampler:
    """Delegates to vLLM's sampler where a request asks for more than the likeliest token.

    Of equally likely tokens it takes the first, as vLLM's does. It is for engines in which vLLM does not draft.
    """

    def __init__(self, base: Sampler, requests: int, device: Any) -> None:
        self._base = base
        self._counts = SampledCounts(base, requests, device)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)

    def __call__(self, logits: Tensor, batch: InputBatch) -> SamplerOutput:
        if not self._takes_likeliest(batch):
            output: SamplerOutput = self._base(logits, batch)
            return output
        sampled, rejected = self._counts.of(batch)
        return SamplerOutput(logits.argmax(-1, keepdim=True), None, None, sampled, rejected)

    def _takes_likeliest(self, batch: InputBatch) -> bool:
        """No request draws, has its logits changed or replayed, or wants to know how likely or how sound they are."""
        base, slots = self._base, batch.idx_mapping_np
        return not (
            np.any(base.sampling_states.temperature.np[slots])
            or np.any(base.needs_logits_processing[slots])
            or base.get_logprobs_dims(slots)
            or base.trace_replay_state
            or base.compute_nans
            or base.return_sampling_mask
        )
