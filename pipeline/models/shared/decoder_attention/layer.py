"""The attention of one layer of a Qwen3 decoder, in place of vLLM's: the same weights, cache and metadata."""

import logging
from typing import Any, cast

from torch import Tensor, nn
from vllm.config import CompilationMode, VllmConfig
from vllm.model_executor.layers.attention.attention import get_attention_context
from vllm.platforms import current_platform

from pipeline.models.shared.decoder_attention.fit import misfits
from pipeline.models.shared.decoder_attention.launch import Sharing, attend_layer, room_for

log = logging.getLogger(__name__)


class DecoderAttention(nn.Module):
    """Is called as vLLM's `Qwen3Attention` is, whose parts it takes with their names.

    Args:
        of: One without `misfits`. It is called itself for steps of more than `most` tokens, if that is given.
        requests: Most at once.
    """

    def __init__(self, of: Any, requests: int, sharing: Sharing, most: int | None = None) -> None:
        super().__init__()
        self.qkv_proj, self.o_proj = of.qkv_proj, of.o_proj
        self.q_norm, self.k_norm = of.q_norm, of.k_norm
        self.rotary_emb, self.attn = of.rotary_emb, of.attn
        self._heads, self._size = of.num_heads, of.head_dim
        self._room, self._sharing = room_for(requests), sharing
        self._most, self._theirs = most, of.forward

    def is_own(self, tokens: int) -> bool:
        """Whether a step of so many tokens is ours, and not vLLM's."""
        return self._most is None or tokens <= self._most

    def forward(self, positions: Tensor, hidden_states: Tensor) -> Tensor:
        """[tokens], or [3, tokens] that are alike, [tokens, width] → [tokens, width]."""
        if not self.is_own(len(hidden_states)):
            return cast(Tensor, self._theirs(positions, hidden_states))
        qkv, _ = self.qkv_proj(hidden_states)
        output, _ = self.o_proj(self._attended(positions if positions.dim() == 1 else positions[0], qkv))
        return cast(Tensor, output)

    def _attended(self, positions: Tensor, qkv: Tensor) -> Tensor:
        step, _, cache, slot_mapping = get_attention_context(self.attn.layer_name)
        output = qkv.new_empty(len(qkv), self._heads * self._size)
        if step is None:  # vLLM finds out how much memory a step takes
            return output.zero_()
        attend_layer(
            output, qkv, positions, step.query_start_loc, step.block_table, slot_mapping, cache,
            self.q_norm.weight, self.k_norm.weight, self.rotary_emb.cos_sin_cache,
            heads=self._heads, epsilon=self.q_norm.variance_epsilon, room=self._room, sharing=self._sharing,
        )  # fmt: skip
        return output


def runs_own(attention: Any, tokens: int) -> bool:
    """Whether a layer's attention is `DecoderAttention`, and a step of so many tokens is its own."""
    return isinstance(attention, DecoderAttention) and attention.is_own(tokens)


def with_own_attention(model: Any, config: VllmConfig, whose: str, most: int | None = None) -> None:
    """Puts `DecoderAttention` in place of the attention of each layer of a Qwen3 decoder, if it is asked for and fits.

    It is asked for by `own_attention` in vLLM's `additional_config`; where nothing says it, on GPUs. Where it is, and
    does not fit, the log says why. A token has one position: models whose pictures have three keep vLLM's.

    Args:
        whose: Named in the log.
        most: Tokens of a step; a longer one has vLLM's. None: of any length. `own_attention_most` takes its place.
    """
    told = config.additional_config
    if not isinstance(told, dict) or not told.get("own_attention", current_platform.is_cuda()):
        return
    most = told.get("own_attention_most", most)
    first, parallel = model.layers[0].self_attn, config.parallel_config
    compiled, dtype = config.compilation_config.mode != CompilationMode.NONE, config.model_config.dtype
    if found := misfits(first, parallel.tensor_parallel_size, dtype, mixed=most is not None, compiled=compiled):
        log.warning("%s keeps vLLM's attention: %s", whose, "; ".join(found))
        return
    size, device = first.head_dim, first.q_norm.weight.device
    sharing = Sharing.of(device, heads=first.num_heads, kv_heads=first.num_kv_heads, size=size)
    for layer in model.layers:
        layer.self_attn = DecoderAttention(layer.self_attn, config.scheduler_config.max_num_seqs, sharing, most)
