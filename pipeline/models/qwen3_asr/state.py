"""The recogniser's part in vLLM's V2 runner: a step that writes a token of each transcript asks little of the host.

A token takes an H200 1.8 ms. What vLLM's thread does for it took 2.6 to 3.2 ms there, so that the GPU waited.
"""

from typing import Any

import torch
from torch import Tensor
from vllm.config import VllmConfig
from vllm.v1.worker.gpu.input_batch import InputBatch
from vllm.v1.worker.gpu.mm.encoder_cache import EncoderCache
from vllm.v1.worker.gpu.states import RequestState

from pipeline.models.shared.decoder_attention.state import OwnAttentionState
from pipeline.models.shared.sampling.likeliest_sampler import LikeliestSampler


class RecogniserState(OwnAttentionState):
    """A position counts tokens, whatever stands there: all of vLLM's three are alike, and none is kept of a prompt."""

    def __init__(
        self, vllm_config: VllmConfig, model: Any, encoder_cache: EncoderCache | None, device: torch.device
    ) -> None:
        super().__init__(vllm_config, model, encoder_cache, device)
        self.rope_state = None
        self._decoder = model.language_model.model
        self._alone = vllm_config.parallel_config.tensor_parallel_size == 1

    def attention(self) -> Any:
        return self._decoder.layers[0].self_attn

    def prepare_inputs_embeds(
        self, scheduled_encoder_inputs: dict[str, list[int]], input_batch: InputBatch, req_states: RequestState
    ) -> Tensor:
        """A step without a prompt hears nothing: its tokens are looked up where the graph reads them."""
        if input_batch.has_prefill or not self._alone:
            made: Tensor = super().prepare_inputs_embeds(scheduled_encoder_inputs, input_batch, req_states)
            return made
        embedded: Tensor = self.encoder_runner.inputs_embeds
        ids = input_batch.input_ids[: input_batch.num_tokens]
        torch.index_select(self._decoder.embed_tokens.weight, 0, ids, out=embedded[: len(ids)])
        return embedded[: input_batch.num_tokens_after_padding]

    def custom_sampler(self, sampler: Any) -> tuple[LikeliestSampler, None]:
        return LikeliestSampler(sampler, self.max_num_reqs, self.device), None
