"""What the kernel reads and writes, in the order of its parameters."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from pipeline.models.qwen3_tts.config import PredictorConfig
from pipeline.models.qwen3_tts.predictor.predictor import Predictor, PredictorLayer
from pipeline.models.shared.rope import angles_of


class KernelBuffers(NamedTuple):
    """What the phases of a frame leave for each other; shapes stand at the kernel."""

    counter: Tensor
    state: Tensor
    low: Tensor
    squares: Tensor
    projected: Tensor
    seen: Tensor
    inner: Tensor
    logits: Tensor


class Packed(NamedTuple):
    """The weights of all layers or steps, one after the other, and the table of rotations.

    Matrices have the gains of the norm before them multiplied in: what is left of a norm is a number for each row.
    """

    qkv: Tensor
    output: Tensor
    gate: Tensor
    up: Tensor
    down: Tensor
    q_gain: Tensor
    k_gain: Tensor
    heads: Tensor
    embeddings: Tensor
    cosines: Tensor
    sines: Tensor


def kernel_buffers(
    config: PredictorConfig, rows: int, programs: int, dtype: torch.dtype, device: torch.device
) -> KernelBuffers:
    """For frames of up to `rows` sequences."""
    heads, groups, size = config.num_attention_heads, config.num_key_value_heads, config.head_dim
    places = config.num_hidden_layers * config.num_code_groups * rows
    return KernelBuffers(
        torch.zeros(1, dtype=torch.int32, device=device),
        torch.zeros(2 * rows, config.hidden_size, device=device),
        torch.zeros(2 * rows, config.hidden_size, dtype=dtype, device=device),
        torch.zeros(2 * rows, programs, device=device),
        torch.zeros(places, (heads + 2 * groups) * size, dtype=dtype, device=device),
        torch.zeros(2 * rows, heads * size, dtype=dtype, device=device),
        torch.zeros(2 * rows, config.intermediate_size, dtype=dtype, device=device),
        torch.zeros(rows, config.vocab_size, device=device),
    )


@torch.no_grad()
def packed(predictor: Predictor) -> Packed:
    """A copy of the predictor's weights. Embeddings are taken to the layers' width once, here, not every step."""
    layers = [layer for layer in predictor.model.layers if isinstance(layer, PredictorLayer)]
    attention, mlp = [layer.self_attn for layer in layers], [layer.mlp for layer in layers]
    tables = [predictor.small_to_mtp_projection(table) for table in predictor.model.tables()]
    heads = [head.weight for head in predictor.lm_head if isinstance(head, nn.Linear)]
    gain = predictor.model.norm.weight
    config, places = predictor.config, torch.arange(predictor.config.num_code_groups, device=gain.device)
    return Packed(
        torch.stack(
            [
                _after(layer.input_layernorm.weight, torch.cat([a.q_proj.weight, a.k_proj.weight, a.v_proj.weight]))
                for layer, a in zip(layers, attention, strict=True)
            ]
        ),
        torch.stack([a.o_proj.weight for a in attention]),
        torch.stack([_after(each.post_attention_layernorm.weight, each.mlp.gate_proj.weight) for each in layers]),
        torch.stack([_after(each.post_attention_layernorm.weight, each.mlp.up_proj.weight) for each in layers]),
        torch.stack([m.down_proj.weight for m in mlp]),
        torch.stack([a.q_norm.weight for a in attention]),
        torch.stack([a.k_norm.weight for a in attention]),
        torch.stack([_after(gain, head) for head in heads]),
        torch.stack(tables),
        *angles_of(places, config.rope_theta, config.head_dim, torch.float32),
    )


def _after(gain: Tensor, matrix: Tensor) -> Tensor:
    """The matrix that does what `matrix` does after a norm's gain."""
    return (matrix.float() * gain.float()).to(matrix.dtype)
