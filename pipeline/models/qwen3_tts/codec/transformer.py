"""The transformer of the speech decoder: each frame attends to the frames of a sliding window before it.

Source: the qwen_tts package 0.1.1 (layer shapes and names of weights).
"""

import math
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pipeline.models.qwen3_tts.codec.layers import Folded
from pipeline.models.qwen3_tts.codec.past import Past
from pipeline.models.qwen3_tts.config import CodecConfig
from pipeline.models.shared.rope import angles_of, rotated

ALIGNMENT = 16  # numbers
LEAST_HEAD = 16  # numbers that a tensor core takes
MOST_KEYS = 128  # all of which one program of the kernels has at once


class Scale(nn.Module):
    """LayerScale (arXiv 2103.17239): adds a branch with a learnt factor for each channel."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor, branch: Tensor) -> Tensor:
        return torch.addcmul(x, self.scale, branch)


class CodecAttention(Folded):
    """Attention with rotary positions. Keys are remembered as they are when turned, beside their values."""

    qkv: Tensor

    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        self.head_dim, self.keep = config.head_dim, config.sliding_window - 1
        self.heads, self.groups = config.num_attention_heads, config.num_key_value_heads
        queries, keys = self.heads * config.head_dim, self.groups * config.head_dim
        self.q_proj = nn.Linear(config.hidden_size, queries, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, keys, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, keys, bias=False)
        self.o_proj = nn.Linear(queries, config.hidden_size, bias=False)
        self.fold()

    def fold(self) -> None:
        weights = [self.q_proj.weight, self.k_proj.weight, self.v_proj.weight]
        self.register_buffer("qkv", torch.cat(weights).detach(), persistent=False)

    def forward(self, x: Tensor, angles: tuple[Tensor, Tensor], mask: Tensor | None, past: Past) -> Tensor:
        """Without a mask it is kernels of our own that attend, and know what a frame sees."""
        projected = F.linear(x, self.qkv)
        if mask is None:
            from pipeline.models.qwen3_tts.codec.fused.window import attended

            return cast(Tensor, self.o_proj(attended(projected, angles, past, self.heads, self.groups, self.keep)))
        projected = projected.view(*x.shape[:2], -1, self.head_dim).transpose(1, 2)
        turned, v = rotated(projected[:, : -self.groups], angles), projected[:, -self.groups :]
        q, k = turned[:, : self.heads], turned[:, self.heads :]
        k, v = past.before(torch.stack([k, v], 1), self.keep, dim=3).unbind(1)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=self.heads != self.groups)
        merged: Tensor = self.o_proj(y.transpose(1, 2).flatten(2))
        return merged


class GatedNetwork(Folded):
    gate_up: Tensor

    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)
        self.fold()

    def fold(self) -> None:
        weights = torch.cat([self.gate_proj.weight, self.up_proj.weight]).detach()
        self.register_buffer("gate_up", weights, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        gate, up = F.linear(x, self.gate_up).chunk(2, -1)
        y: Tensor = self.down_proj(F.silu(gate) * up)
        return y


class CodecLayer(nn.Module):
    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        self.self_attn = CodecAttention(config)
        self.mlp = GatedNetwork(config)
        self.input_layernorm = nn.RMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        self.post_attention_layernorm = nn.RMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        self.self_attn_layer_scale = Scale(config.hidden_size)
        self.mlp_layer_scale = Scale(config.hidden_size)

    def forward(self, x: Tensor, angles: tuple[Tensor, Tensor], mask: Tensor | None, past: Past) -> Tensor:
        x = self.self_attn_layer_scale(x, self.self_attn(self.input_layernorm(x), angles, mask, past))
        x = self.mlp_layer_scale(x, self.mlp(self.post_attention_layernorm(x)))
        return x


class WindowedTransformer(nn.Module):
    """[batch, frames, latent] → the same.

    Args:
        projected: Whether it has a width of its own, to and from which inputs and outputs are projected.
    """

    def __init__(self, config: CodecConfig, *, projected: bool = True) -> None:
        super().__init__()
        self.config = config
        self.input_proj: nn.Module = nn.Identity()
        self.output_proj: nn.Module = nn.Identity()
        if projected:
            self.input_proj = nn.Linear(config.latent_dim, config.hidden_size)
            self.output_proj = nn.Linear(config.hidden_size, config.latent_dim)
        self.layers = nn.ModuleList(CodecLayer(config) for _ in range(config.num_hidden_layers))
        self.norm = nn.RMSNorm(config.hidden_size, eps=config.rms_norm_eps)

    def forward(self, x: Tensor, past: Past) -> Tensor:
        places = past.frames[:, None] + torch.arange(x.shape[1], device=x.device)
        window = self.config.sliding_window
        own = x.is_cuda and has_kernels(self.config.head_dim, window - 1 + x.shape[1])
        mask = None if own else as_bias(seen(places, window), x.dtype)
        angles = angles_of(places[:, None], self.config.rope_theta, self.config.head_dim, x.dtype)
        x = self.input_proj(x)
        for layer in self.layers:
            x = layer(x, angles, mask, past)
        y: Tensor = self.output_proj(self.norm(x))
        return y


def has_kernels(head_dim: int, keys: int) -> bool:
    """Whether there are kernels for heads of that size, and so many keys."""
    return head_dim >= LEAST_HEAD and head_dim & (head_dim - 1) == 0 and keys <= MOST_KEYS


def seen(places: Tensor, window: int) -> Tensor:
    """Which keys each frame attends to, shape [batch, 1, frames, window - 1 + frames].

    Keys are those of the last `window - 1` frames before the chunk, of which the first ones may lie before the
    beginning, and then those of the chunk itself.
    """
    before = places[:, :1] - torch.arange(window - 1, 0, -1, device=places.device)
    keys = torch.cat([before, places], 1)[:, None, :]
    back = places[:, :, None] - keys
    return ((keys >= 0) & (back >= 0) & (back < window))[:, None]


def as_bias(seen: Tensor, dtype: torch.dtype) -> Tensor:
    """0 where a key is seen, minus infinity elsewhere. Lines begin at multiples of ALIGNMENT, as attention kernels
    want them: otherwise every layer would make a copy."""
    keys = seen.shape[-1]
    bias = torch.zeros(seen.shape, dtype=dtype, device=seen.device).masked_fill(~seen, -math.inf)
    return F.pad(bias, (0, -keys % ALIGNMENT))[..., :keys]
