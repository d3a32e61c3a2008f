"""How codebook 0 is drawn in each slot, and the drawing: by vLLM's own kernels, out of tables that stay in their place.

vLLM keeps these numbers in buffers that take turns, so that none of its launches can be put into a CUDA graph.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from vllm.utils.torch_utils import async_tensor_h2d
from vllm.v1.sample.ops.topk_topp_sampler import apply_top_k_top_p, apply_top_k_top_p_pytorch
from vllm.v1.worker.gpu.sample.gumbel import apply_temperature, gumbel_sample
from vllm.v1.worker.gpu.sample.logit_bias import LogitBiasState, apply_logit_bias
from vllm.v1.worker.gpu.sample.penalties import apply_penalties
from vllm.v1.worker.gpu.sample.sampler import Sampler

FLOATS, INTS = 3, 3  # tables of each type; the seeds take two more


class SlotSampling:
    """Knows `temperature`, `top_k`, `top_p`, `repetition_penalty`, `min_tokens`, `seed`, and nothing else: the Talker's
    requests are told no more.

    Args:
        sampler: vLLM's, which is told of requests, and counts what was drawn in each.
        ids: That codebook 0 has.

    Attributes:
        spare: A slot that no request has, for the rows that fill up a CUDA graph: it takes the likeliest id.
        seeds: [slots + 1], int64.
    """

    def __init__(self, sampler: Sampler, ids: int, device: torch.device) -> None:
        self._states, self._penalties = sampler.sampling_states, sampler.penalties_state
        self._bias: Any = next(each for each in sampler.logits_processors if isinstance(each, LogitBiasState))
        self.spare = len(self._states.temperature.np)
        slots = self.spare + 1
        self._host = np.zeros((FLOATS + INTS + 2, slots), np.int32)
        self._device = torch.zeros(self._host.shape, dtype=torch.int32, device=device)
        self._temperature, self._top_p, self._repetition = self._device[:FLOATS].view(torch.float32)
        self._top_k, self._min_lens, self._stops = self._device[FLOATS : FLOATS + INTS]
        self.seeds = self._device[FLOATS + INTS :].view(-1).view(torch.int64)
        self._none = torch.zeros(slots, device=device)
        self._zeros = torch.zeros(slots, dtype=torch.int32, device=device)
        self._host[1:FLOATS].view(np.float32)[:, self.spare] = 1.0
        self._host[FLOATS, self.spare] = ids
        self.tell()

    def tell(self) -> None:
        """Takes over what vLLM has been told of its requests, and has it do what is left of that for itself."""
        self._penalties.apply_staged_writes()
        self._bias.stop_token_ids.apply_write()
        told = self._host[:, : self.spare]
        floats = told[:FLOATS].view(np.float32)
        floats[:] = self._states.temperature.np, self._states.top_p.np, self._penalties.repetition_penalty.np
        told[FLOATS : FLOATS + INTS] = self._states.top_k.np, self._bias.min_lens.np, self._bias.num_stop_token_ids.np
        self._host[FLOATS + INTS :].reshape(-1).view(np.int64)[: self.spare] = self._states.seeds.np
        async_tensor_h2d(self._host, out=self._device)

    def draw(self, logits: Tensor, slots: Tensor, places: Tensor) -> Tensor:
        """One id of each row.

        Args:
            logits: [rows, ids].
            slots: [rows], int64: which slot each row belongs to.
            places: [rows], int64: the position in its request at which each was computed.

        Returns:
            [rows], int64.
        """
        rows, bias, penalties = len(slots), self._bias, self._penalties
        scaled = logits.to(torch.float32, copy=True)
        apply_logit_bias(
            scaled, slots, places,
            self._zeros, bias.allowed_token_ids.gpu, self._zeros, bias.logit_bias_token_ids.gpu, bias.logit_bias.gpu,
            self._min_lens, self._stops, self._zeros, bias.stop_token_ids.gpu,
        )  # fmt: skip
        apply_penalties(
            scaled, slots, slots, self._zeros[:rows],
            self._repetition, self._none, self._none, penalties.prompt_bin_mask, penalties.output_bin_counts,
        )  # fmt: skip
        apply_temperature(scaled, slots, self._temperature)
        likely = apply_top_k_top_p if scaled.is_cuda else apply_top_k_top_p_pytorch
        scaled = likely(scaled, self._top_k[slots], self._top_p[slots])
        drawn: Tensor = gumbel_sample(
            scaled, slots, self._temperature, self.seeds, places, apply_temperature=False, is_drafting=False
        )
        return drawn
