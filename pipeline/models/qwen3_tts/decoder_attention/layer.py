"""The attention of one layer of the Talker's decoder, in place of vLLM's: the same weights, cache and metadata."""

from typing import Any, cast

from torch import Tensor, nn
from vllm.config import VllmConfig
from vllm.model_executor.layers.attention.attention import get_attention_context
from vllm.platforms import current_platform

from pipeline.models.qwen3_tts.decoder_attention.launch import attend_layer, room_for


class DecoderAttention(nn.Module):
    """Is called as vLLM's `Qwen3Attention` is, whose parts it takes with their names.

    Args:
        of: Its heads are not shared out to several GPUs, its cache has the type of its weights.
        requests: Most at once.
    """

    def __init__(self, of: Any, requests: int) -> None:
        super().__init__()
        self.qkv_proj, self.o_proj = of.qkv_proj, of.o_proj
        self.q_norm, self.k_norm = of.q_norm, of.k_norm
        self.rotary_emb, self.attn = of.rotary_emb, of.attn
        self._heads, self._groups, self._size = of.num_heads, of.num_kv_heads, of.head_dim
        self._starts = room_for(requests)

    def forward(self, positions: Tensor, hidden_states: Tensor) -> Tensor:
        """[tokens], [tokens, width] → [tokens, width]."""
        projected, _ = self.qkv_proj(hidden_states)
        seen, _ = self.o_proj(self._seen(positions, projected))
        return cast(Tensor, seen)

    def _seen(self, positions: Tensor, projected: Tensor) -> Tensor:
        step, _, cache, slots = get_attention_context(self.attn.layer_name)
        seen = projected.new_empty(len(projected), self._heads * self._size)
        if step is None:  # vLLM finds out how much memory a step takes
            return seen.zero_()
        attend_layer(
            seen, projected, positions, step.query_start_loc, step.block_table, slots, cache,
            self.q_norm.weight, self.k_norm.weight, self.rotary_emb.cos_sin_cache,
            heads=self._heads, epsilon=self.q_norm.variance_epsilon, starts_room=self._starts,
        )  # fmt: skip
        return seen


def with_own_attention(model: Any, config: VllmConfig) -> None:
    """Puts `DecoderAttention` in place of the attention of each layer of a Qwen3 decoder, if it is asked for and fits.

    It is asked for by `own_attention` in vLLM's `additional_config`; where nothing says it, on GPUs.
    """
    if not isinstance(told := config.additional_config, dict):
        return
    first = model.layers[0].self_attn.attn
    fits = config.parallel_config.tensor_parallel_size == 1 and first.kv_cache_torch_dtype == config.model_config.dtype
    if fits and told.get("own_attention", current_platform.is_cuda()):
        for layer in model.layers:
            layer.self_attn = DecoderAttention(layer.self_attn, config.scheduler_config.max_num_seqs)
