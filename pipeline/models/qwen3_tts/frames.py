"""Makes a whole frame of the code that vLLM samples, in the same step."""

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from vllm.sampling_params import SamplingParams
from vllm.v1.outputs import LogprobsTensors
from vllm.v1.worker.gpu.input_batch import InputBatch
from vllm.v1.worker.gpu.sample.output import SamplerOutput

from pipeline.models.qwen3_tts.extra_args import APART, CODES
from pipeline.models.qwen3_tts.frame_step import Given

if TYPE_CHECKING:
    from pipeline.models.qwen3_tts.state import TalkerState


class FrameSampler:
    """vLLM's sampler, and after it the code predictor.

    The codes leave as the ids of logprobs, which no probabilities are computed for: the sampled id,
    then the codebooks. There is no other field for what a step makes beside its token.
    """

    def __init__(self, base: Any, state: "TalkerState") -> None:
        self._base = base
        self._state = state
        self._apart = torch.arange(1, CODES + 1, device=state.device) * APART

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)

    def add_request(self, req_idx: int, sampling_params: SamplingParams) -> None:
        params = copy(sampling_params)
        params.logprobs = None
        self._base.add_request(req_idx, params)

    def __call__(self, logits: Tensor, input_batch: InputBatch) -> SamplerOutput:
        output: SamplerOutput = self._base(logits, input_batch)
        sampled = output.sampled_token_ids
        codes = self._frames(sampled[:, 0].long(), input_batch)
        ids = torch.cat([sampled, codes + self._apart], 1).int()
        nothing = torch.zeros_like(ids, dtype=torch.float32)
        return replace(output, logprobs_tensors=LogprobsTensors(ids, nothing, torch.zeros_like(ids[:, 0])))

    def _frames(self, code0: Tensor, batch: InputBatch) -> Tensor:
        """The codes of one frame a request, [requests, codebooks]; their embeddings stay for the next step."""
        state, slots = self._state, batch.idx_mapping
        seeds = self._base.sampling_states.seeds.gpu[slots]  # each request's own, whatever else is in the batch
        places = batch.positions[batch.logits_indices]
        given = Given(state.talker.hidden, code0, seeds, places, state.rows.choices[slots])
        codes, embeds = state.step(given)
        state.rows.frames[slots] = embeds.to(state.rows.frames.dtype)
        return codes
