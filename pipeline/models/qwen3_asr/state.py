"""The recogniser's part in vLLM's V2 runner: a step that writes a token of each transcript asks little of the host.

A token takes an H200 1.8 ms. What vLLM's thread did for it took up to 3.2 ms there, so that the GPU waited.
"""

from typing import Any

import torch
from torch import Tensor
from vllm.config import VllmConfig
from vllm.model_executor.layers.vocab_parallel_embedding import UnquantizedEmbeddingMethod
from vllm.v1.worker.gpu.input_batch import InputBatch
from vllm.v1.worker.gpu.mm.encoder_cache import EncoderCache
from vllm.v1.worker.gpu.states import RequestState

from pipeline.models.shared.decoder_attention.state import OwnAttentionState
from pipeline.models.shared.sampling.likeliest_sampler import LikeliestSampler


class RecogniserState(OwnAttentionState):
    """Positions simply count, so that vLLM's table of three for each token of a prompt is not kept. A step without a
    prompt skips metadata of attention, looks its tokens up itself, and takes the likeliest without vLLM's sampler.
    """

    def __init__(
        self, vllm_config: VllmConfig, model: Any, encoder_cache: EncoderCache | None, device: torch.device
    ) -> None:
        super().__init__(vllm_config, model, encoder_cache, device)
        self.rope_state = None
        self._decoder = model.language_model.model
        method = getattr(self._decoder.embed_tokens, "quant_method", None)
        undivided = vllm_config.parallel_config.tensor_parallel_size == 1
        self._has_plain_table = undivided and isinstance(method, UnquantizedEmbeddingMethod)
        self._drafts = vllm_config.speculative_config is not None

    def first_attention(self) -> Any:
        return self._decoder.layers[0].self_attn

    def prepare_inputs_embeds(
        self, scheduled_encoder_inputs: dict[str, list[int]], input_batch: InputBatch, req_states: RequestState
    ) -> Tensor:
        """A step without a prompt hears nothing: its tokens are looked up where the graph reads them."""
        if input_batch.has_prefill or not self._has_plain_table:
            made: Tensor = super().prepare_inputs_embeds(scheduled_encoder_inputs, input_batch, req_states)
            return made
        embedded: Tensor = self.encoder_runner.inputs_embeds
        ids = input_batch.input_ids[: input_batch.num_tokens]
        torch.index_select(self._decoder.embed_tokens.weight, 0, ids, out=embedded[: len(ids)])
        return embedded[: input_batch.num_tokens_after_padding]

    def custom_sampler(self, sampler: Any) -> tuple[LikeliestSampler, None] | None:
        """None where vLLM itself drafts: it would lose the sampler that rejects."""
        return None if self._drafts else (LikeliestSampler(sampler, self.max_num_reqs, self.device), None)
