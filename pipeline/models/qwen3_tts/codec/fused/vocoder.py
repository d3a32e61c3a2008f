"""The vocoder of the speech decoder, a kernel for each convolution. It computes what its layers do one by one."""

import torch
import triton
from torch import Tensor, nn

from pipeline.models.qwen3_tts.codec.fused.kernel import MOST, convolve, to_wave
from pipeline.models.qwen3_tts.codec.fused.tiles import Tile, fits, tile_for
from pipeline.models.qwen3_tts.codec.layers import (
    CausalConv,
    CausalUpsampling,
    InOrder,
    Pointwise,
    SnakeBeta,
    VocoderBlock,
)
from pipeline.models.qwen3_tts.codec.past import Past

SAMPLES = 32  # of the wave that one program computes


class FusedConv(nn.Module):
    """A convolution, and the activation behind it: [batch, keep + steps, inner] → [batch, steps · rate, channels].

    Args:
        conv: Whose weights it has, as they are now.
        after: What follows.
        lead: How many of a stream's first steps of output are zero.
    """

    weight: Tensor
    bias: Tensor
    frequency: Tensor
    magnitude: Tensor

    def __init__(self, conv: CausalConv | CausalUpsampling | Pointwise, after: SnakeBeta, lead: int = 0) -> None:
        super().__init__()
        self.lead = lead
        self.taps, self.dilation = 1, 1
        if isinstance(conv, CausalUpsampling):
            matrix, bias = conv.matrix.T, conv.bias
            self.taps = conv.taps
        else:
            kernel = conv.conv.weight.detach().float()
            matrix, bias = kernel.permute(2, 1, 0).flatten(0, 1), conv.conv.bias
            self.taps, self.dilation = kernel.shape[2], conv.conv.dilation[0]
        assert bias is not None
        self.inner, self.outer, self.channels = len(matrix) // self.taps, matrix.shape[1], len(after.frequency)
        self.keep = (self.taps - 1) * self.dilation
        self.register_buffer("weight", matrix.half().contiguous(), persistent=False)
        self.register_buffer("bias", bias.detach().float(), persistent=False)
        self.register_buffer("frequency", after.frequency.float(), persistent=False)
        self.register_buffer("magnitude", after.magnitude.float(), persistent=False)

    def forward(
        self,
        x: Tensor,
        frames: Tensor,
        ahead: int,
        added: Tensor | None = None,
        *,
        keeps: bool = False,
        tile: Tile | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Convolves a chunk.

        Args:
            x: The chunk behind the `keep` steps before it.
            frames: int64, [batch]: zero for a stream's first chunk.
            ahead: How many steps to leave ahead of the activated output.
            added: float32, of the output's shape.
            keeps: Whether the output is needed as it is before the activation.

        Returns:
            That, float32, which means nothing unless it is kept; and the activated output, float16, behind these.
        """
        batch, steps = x.shape[0], x.shape[1] - self.keep
        longer = steps * self.outer // self.channels
        y = x.new_empty(batch, ahead + longer, self.channels)
        total = x.new_empty((batch, longer, self.channels) if keeps else (0,), dtype=torch.float32)
        tile = tile or tile_for(batch * steps, self.inner, self.outer, self.taps)
        grid = triton.cdiv(self.outer, tile.columns), triton.cdiv(batch * steps, tile.rows)
        convolve[grid](
            x, self.weight, self.bias, self.bias if added is None else added, total, y, self.frequency, self.magnitude,
            frames, self.lead,
            batch * steps, steps, x.stride(0), y.stride(0), ahead * self.channels,
            self.inner, self.outer, self.channels, len(self.weight), self.dilation,
            ADDS=added is not None, KEEPS=keeps, LEADS=self.lead > 0, FILLS=self.outer % tile.columns == 0,
            BLOCK_M=tile.rows, BLOCK_N=tile.columns, BLOCK_K=tile.deep, num_warps=tile.warps, num_stages=tile.stages,
        )  # fmt: skip
        return total, y


class FusedVocoder(nn.Module):
    """What the layers in `decoder` do: [batch, steps, latent] → the wave in [-1, 1], [batch, samples, 1].

    Signals lie in memory twice: as sums in float32, to be added to, and activated in float16, to be convolved.
    """

    weight: Tensor
    bias: Tensor

    def __init__(self, decoder: InOrder) -> None:
        super().__init__()
        first, *blocks, last_act, last = decoder
        assert isinstance(first, CausalConv) and isinstance(last, CausalConv) and isinstance(last_act, SnakeBeta)
        acts = [block.block[0] for block in blocks] + [last_act]
        self.first = FusedConv(first, acts[0])
        self.blocks = nn.ModuleList(FusedBlock(block, after) for block, after in zip(blocks, acts[1:], strict=True))
        self.taps = last.keep + 1
        bias = last.conv.bias
        assert bias is not None
        weight = last.conv.weight.detach()[0].T.float().contiguous()
        self.register_buffer("weight", weight, persistent=False)
        self.register_buffer("bias", bias.detach().float(), persistent=False)

    def forward(self, x: Tensor, past: Past) -> Tensor:
        x = past.before(x, self.first.keep).clamp(-MOST.value, MOST.value).half()
        keeps = [*(block.keep for block in self.blocks[1:]), self.taps - 1]
        _, x = self.first(x, past.frames, self.blocks[0].keep)
        x = behind(past, x, self.blocks[0].keep)
        for block, keep in zip(self.blocks, keeps, strict=True):
            x = behind(past, block(x, past, keep), keep)
        batch, steps = x.shape[0], x.shape[1] - self.taps + 1
        wave = x.new_empty(batch, steps, 1, dtype=torch.float32)
        to_wave[(triton.cdiv(batch * steps, SAMPLES),)](
            x, self.weight, self.bias, wave, batch * steps, steps, x.stride(0),
            INNER=x.shape[2], PADDED=triton.next_power_of_2(x.shape[2]), TAPS=self.taps, BLOCK_M=SAMPLES,
        )  # fmt: skip
        return wave


class FusedBlock(nn.Module):
    """A block of the vocoder, and the activation behind it."""

    def __init__(self, block: VocoderBlock, after: SnakeBeta) -> None:
        super().__init__()
        _, upsampling, *units = block.block
        self.upsampling = FusedConv(upsampling, units[0].act1, block.lead)
        afters = [unit.act1 for unit in units[1:]] + [after]
        self.wide = nn.ModuleList(FusedConv(unit.conv1, unit.act2) for unit in units)
        self.pointwise = nn.ModuleList(
            FusedConv(unit.conv2, act, block.lead) for unit, act in zip(units, afters, strict=True)
        )
        self.keep = self.upsampling.keep

    def forward(self, x: Tensor, past: Past, ahead: int) -> Tensor:
        """The activated signal behind its past → that of the next layer, behind the steps ahead of it."""
        keeps = [conv.keep for conv in self.wide]
        total, x = self.upsampling(x, past.frames, keeps[0], keeps=True)
        for wide, pointwise, then in zip(self.wide, self.pointwise, [*keeps[1:], None], strict=True):
            _, x = wide(behind(past, x, wide.keep), past.frames, 0)
            total, x = pointwise(x, past.frames, ahead if then is None else then, total, keeps=then is not None)
        return x


def behind(past: Past, chunk: Tensor, ahead: int) -> Tensor:
    """Fills the steps ahead of a chunk with what the chunk before it left, and keeps what the next one needs."""

    def filled(before: Tensor, _: Tensor) -> Tensor:
        chunk[:, :ahead].copy_(before)
        return chunk

    return past.before(chunk[:, ahead:], ahead, join=filled)


def can_be_fused(decoder: InOrder) -> bool:
    """Whether the channels of all layers are multiples of what a tile multiplies together."""
    convs = [each for each in decoder.modules() if isinstance(each, CausalConv | CausalUpsampling)]
    return all(fits(conv.conv.in_channels) for conv in convs)
