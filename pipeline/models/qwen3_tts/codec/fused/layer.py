"""A layer of the decoder's transformer as six kernels, for the few frames that a chunk mostly has."""

import torch
import triton
from torch import Tensor, nn

from pipeline.models.qwen3_tts.codec.fused.linear import multiply
from pipeline.models.qwen3_tts.codec.fused.window import attended
from pipeline.models.qwen3_tts.codec.past import Past
from pipeline.models.qwen3_tts.codec.transformer import CodecLayer, WindowedTransformer

FEW = 32  # frames of all rows: more are multiplied by the library's kernels, which take as long for 32 as for one
COLUMNS, DEEP = 16, 128  # of a tile


class FusedLayer(nn.Module):
    """Is called as `CodecLayer` is, and has its weights as they are now, norms' and scales' multiplied into them."""

    qkv: Tensor
    output: Tensor
    gate_up: Tensor
    down: Tensor

    def __init__(self, layer: CodecLayer) -> None:
        super().__init__()
        self.layer = layer
        attention, mlp = layer.self_attn, layer.mlp
        folded = {
            "qkv": attention.qkv * layer.input_layernorm.weight,
            "output": layer.self_attn_layer_scale.scale[:, None] * attention.o_proj.weight,
            "gate_up": mlp.gate_up * layer.post_attention_layernorm.weight,
            "down": layer.mlp_layer_scale.scale[:, None] * mlp.down_proj.weight,
        }
        for name, weight in folded.items():
            self.register_buffer(name, nearest_tf32(weight.detach().float()), persistent=False)
        self.epsilons = layer.input_layernorm.eps, layer.post_attention_layernorm.eps

    def forward(self, x: Tensor, angles: tuple[Tensor, Tensor], mask: Tensor | None, past: Past) -> Tensor:
        if mask is not None or x.shape[0] * x.shape[1] > FEW:
            y: Tensor = self.layer(x, angles, mask, past)
            return y
        x, attention = x.contiguous(), self.layer.self_attn
        first, second = self.epsilons
        projected = multiplied(x, self.qkv, epsilon=first)
        x = multiplied(
            attended(projected, angles, past, attention.heads, attention.groups, attention.keep), self.output, x
        )
        return multiplied(multiplied(x, self.gate_up, epsilon=second, gates=True), self.down, x)


def multiplied(
    x: Tensor, weight: Tensor, added: Tensor | None = None, *, epsilon: float | None = None, gates: bool = False
) -> Tensor:
    """A product of a few rows.

    Args:
        x: float32, [batch, frames, inner].
        weight: float32, [outer, inner], and as many more if it gates.
        added: [batch, frames, outer].
        epsilon: Of the norm of each frame, by which it is divided; None: it is not.
        gates: The first half of the columns gates the second.
    """
    batch, frames, inner = x.shape
    outer = len(weight) >> gates
    y = x.new_empty(batch, frames, outer)
    rows = batch * frames
    multiply[(triton.cdiv(outer, COLUMNS),)](
        x, weight, y if added is None else added, y, rows, outer, epsilon or 0.0,
        INNER=inner, ADDS=added is not None, NORMS=epsilon is not None, GATES=gates,
        BLOCK_M=16 if rows <= 16 else FEW, BLOCK_N=COLUMNS, BLOCK_K=DEEP, num_warps=4, num_stages=4,
    )  # fmt: skip
    return y


def nearest_tf32(x: Tensor) -> Tensor:
    """float32 → the nearest numbers that tensor cores multiply as they are: of each the last 13 bits are zero."""
    return ((x.contiguous().view(torch.int32) + 0x1000) & -0x2000).view(torch.float32)


def with_fused_layers(transformer: WindowedTransformer) -> None:
    """Puts `FusedLayer` in place of each layer, if its widths are multiples of what a tile multiplies together."""
    config = transformer.config
    attended_width = config.num_attention_heads * config.head_dim
    if all(width % DEEP == 0 for width in (config.hidden_size, attended_width, config.intermediate_size)):
        transformer.layers = nn.ModuleList(FusedLayer(layer) for layer in transformer.layers)
