"""The causal convolutions and activations of the speech decoder.

Sources: Qwen3-TTS technical report and the qwen_tts package 0.1.1 (layer shapes and names of weights); SnakeBeta from
BigVGAN (arXiv 2206.04658); ConvNeXt (arXiv 2201.03545).
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pipeline.models.qwen3_tts.codec.past import Join, Past
from pipeline.models.qwen3_tts.codec.snake import snake, snake_after

TINY = 1e-9  # keeps SnakeBeta's division defined
DILATIONS = (1, 3, 9)


class Folded(nn.Module):
    """A layer that computes with tensors which follow from its weights."""

    def fold(self) -> None:
        """Derive them. To be called when the weights have changed."""
        raise NotImplementedError


class InOrder(nn.ModuleList):
    """Layers one after the other. Each is called with a past, also those that need none."""

    def forward(self, x: Tensor, past: Past) -> Tensor:
        for layer in self:
            x = layer(x, past)
        return x


class CausalConv(Folded):
    """A convolution over time that sees no future. [batch, steps, inner] → [batch, steps, outer]."""

    kernel: Tensor

    def __init__(self, inner: int, outer: int, kernel: int, dilation: int = 1, groups: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv1d(inner, outer, kernel, dilation=dilation, groups=groups)
        self.keep = (kernel - 1) * dilation
        self.fold()

    def fold(self) -> None:
        kernel = self.conv.weight.detach()[:, :, None]
        self.register_buffer("kernel", kernel.contiguous(memory_format=torch.channels_last), persistent=False)

    def forward(self, x: Tensor, past: Past) -> Tensor:
        return self.convolved(past.before(x, self.keep), self.conv.bias)

    def convolved(self, joined: Tensor, bias: Tensor | None) -> Tensor:
        """Convolves a chunk with what is kept of the chunks before it in front."""
        # As an image of one line: GPUs convolve those with channels last, as the signal lies in memory.
        line = joined.transpose(1, 2)[:, :, None]
        dilation, groups = (1, *self.conv.dilation), self.conv.groups
        y = F.conv2d(line, self.kernel, bias, dilation=dilation, groups=groups)
        return y[:, :, 0].transpose(1, 2)


class Pointwise(nn.Module):
    """A convolution that sees one step only. [batch, steps, inner] → [batch, steps, outer]."""

    def __init__(self, inner: int, outer: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(inner, outer, 1)

    def forward(self, x: Tensor, past: Past) -> Tensor:
        return F.linear(x, self.conv.weight[:, :, 0], self.conv.bias)


class CausalUpsampling(Folded):
    """A transposed convolution that sees no future. [batch, steps, inner] → [batch, steps · rate, outer].

    Its kernel is a multiple of its rate: the `rate` outputs of a step are one product of a matrix with that step and
    the kernel / rate - 1 ones before it.
    """

    matrix: Tensor
    bias: Tensor

    def __init__(self, inner: int, outer: int, kernel: int, rate: int) -> None:
        super().__init__()
        self.conv = nn.ConvTranspose1d(inner, outer, kernel, stride=rate)
        self.rate, self.taps = rate, kernel // rate
        self.fold()

    def fold(self) -> None:
        weight, bias = self.conv.weight.detach(), self.conv.bias
        assert bias is not None
        newest_last = weight.unflatten(2, (self.taps, self.rate)).flip(2)  # type: ignore[no-untyped-call]
        matrix = newest_last.permute(3, 1, 2, 0).flatten(2).flatten(0, 1)
        self.register_buffer("matrix", matrix.contiguous(), persistent=False)
        self.register_buffer("bias", bias.detach().repeat(self.rate), persistent=False)

    def forward(self, x: Tensor, past: Past, join: Join | None = None) -> Tensor:
        batch, steps, _ = x.shape
        x = past.before(x, self.taps - 1, join=join)
        seen = torch.cat([x[:, at : at + steps] for at in range(self.taps)], 2)
        return F.linear(seen, self.matrix, self.bias).view(batch, steps * self.rate, -1)


class SnakeBeta(Folded):
    """x + sin²(αx) / β, with a learnt frequency α and magnitude 1 / β for each channel, kept as logarithms."""

    frequency: Tensor
    magnitude: Tensor

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.zeros(channels))
        self.beta = nn.Parameter(torch.zeros(channels))
        self.fold()

    def fold(self) -> None:
        self.register_buffer("frequency", self.alpha.detach().exp(), persistent=False)
        self.register_buffer("magnitude", 1 / (self.beta.detach().exp() + TINY), persistent=False)

    def forward(self, x: Tensor, past: Past, shift: Tensor | None = None) -> Tensor:
        return snake(x, shift, self.frequency, self.magnitude)

    def after(self, past: Tensor, x: Tensor) -> Tensor:
        """Applies the activation to `x`, and puts `past` in front as it is."""
        return snake_after(past, x, None, self.frequency, self.magnitude)


class ConvNeXt(nn.Module):
    """A depthwise convolution, then a small network on each step. [batch, steps, width] → the same."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.dwconv = CausalConv(width, width, 7, groups=width)
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.pwconv1 = nn.Linear(width, 4 * width)
        self.pwconv2 = nn.Linear(4 * width, width)
        self.gamma = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor, past: Past) -> Tensor:
        y = F.gelu(self.pwconv1(self.norm(self.dwconv(x, past))))
        return torch.addcmul(x, self.gamma, self.pwconv2(y))


class ResidualUnit(nn.Module):
    """[batch, steps, width] → the same."""

    def __init__(self, width: int, dilation: int) -> None:
        super().__init__()
        self.act1 = SnakeBeta(width)
        self.conv1 = CausalConv(width, width, 7, dilation)
        self.act2 = SnakeBeta(width)
        self.conv2 = Pointwise(width, width)

    def forward(self, x: Tensor, past: Past) -> Tensor:
        joined = past.before(x, self.conv1.keep, join=self.act1.after)
        y: Tensor = self.act2(self.conv1.convolved(joined, None), past, self.conv1.conv.bias)
        y = self.conv2(y, past)
        return x + y


class VocoderBlock(nn.Module):
    """Longer by `rate` and half as wide: [batch, steps, width] → [batch, steps · rate, width / 2].

    Attributes:
        lead: How many of a stream's first steps of output are zero, as if it began after them.
    """

    def __init__(self, width: int, rate: int, lead: int = 0) -> None:
        super().__init__()
        self.lead = lead
        units = (ResidualUnit(width // 2, dilation) for dilation in DILATIONS)
        self.block = InOrder([SnakeBeta(width), CausalUpsampling(width, width // 2, 2 * rate, rate), *units])

    def forward(self, x: Tensor, past: Past) -> Tensor:
        act, upsampling, *units = self.block
        assert isinstance(act, SnakeBeta)
        x = self._silenced(upsampling(x, past, act.after), past)
        for unit in units:
            x = self._silenced(unit(x, past), past)
        return x

    def _silenced(self, x: Tensor, past: Past) -> Tensor:
        if self.lead:
            x[:, : self.lead].mul_((past.frames > 0)[:, None, None])
        return x
