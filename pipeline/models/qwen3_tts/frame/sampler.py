"""Makes a whole frame of the code that vLLM samples, in the same step."""

from copy import copy
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from vllm.sampling_params import SamplingParams
from vllm.v1.outputs import LogprobsTensors
from vllm.v1.worker.gpu.input_batch import InputBatch
from vllm.v1.worker.gpu.sample.output import SamplerOutput
from vllm.v1.worker.gpu.sample.sampler import Sampler

from pipeline.models.qwen3_tts.extra_args import CODES
from pipeline.models.qwen3_tts.frame.draw import Decoded
from pipeline.models.qwen3_tts.frame.slot_sampling import SlotSampling
from pipeline.models.shared.sampling.sampled_counts import SampledCounts

if TYPE_CHECKING:
    from pipeline.models.qwen3_tts.state import TalkerState


class FrameSampler:
    """In the place of vLLM's sampler, which still keeps what requests were told and what was drawn in them.

    The codes leave as the ids of logprobs, which no probabilities are computed for: the sampled id,
    then the codebooks. There is no other field for what a step makes beside its token.
    """

    def __init__(self, base: Sampler, sampling: SlotSampling, state: "TalkerState") -> None:
        self._base = base
        self._sampling = sampling
        self._state = state
        self._told = True
        most = state.max_num_reqs
        self._counts = SampledCounts(base, most, state.device)
        # Of these nobody wants to know anything. They are on the host, where they need not be copied to.
        self._probabilities, self._ranks = torch.zeros(most, 1 + CODES), torch.zeros(most, dtype=torch.int32)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)

    def add_request(self, req_idx: int, sampling_params: SamplingParams) -> None:
        params = copy(sampling_params)
        params.logprobs = None
        self._base.add_request(req_idx, params)
        self._told = False

    def apply_staged_writes(self) -> None:
        """Called in every step; only requests that are new have anything to tell."""
        if not self._told:
            self._sampling.tell()
            self._told = True

    def __call__(self, logits: Tensor, batch: InputBatch) -> SamplerOutput:
        state, count = self._state, batch.num_reqs
        places = batch.positions[batch.logits_indices]
        # What graphs answer stands until the next step, and is copied to the host beside that.
        code0, ids = state.draw(Decoded(state.talker.hidden, logits, batch.idx_mapping, places, self._sampling.spare))
        codes = LogprobsTensors(ids.clone(), self._probabilities[:count], self._ranks[:count])
        return SamplerOutput(code0.clone()[:, None], codes, None, *self._counts.of(batch))
