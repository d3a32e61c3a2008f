"""The activation x + sin²(fx) · m of the speech decoder, in one pass over the signal where there is a GPU."""

import torch
from torch import Tensor


def snake(x: Tensor, shift: Tensor | None, frequency: Tensor, magnitude: Tensor) -> Tensor:
    """[batch, steps, channels] → the same, of `x + shift`. Of each channel its shift, frequency f and magnitude m."""
    return snake_after(x[:, :0], x, shift, frequency, magnitude)


def snake_after(past: Tensor, x: Tensor, shift: Tensor | None, frequency: Tensor, magnitude: Tensor) -> Tensor:
    """Applies `snake` to `x` and puts `past` in front as it is: [batch, kept + steps, channels]."""
    if x.is_cuda:
        from pipeline.models.qwen3_tts.codec.snake_triton import snake_after as in_one_pass

        return in_one_pass(past, x, shift, frequency, magnitude)
    shifted = x if shift is None else x + shift
    y = (shifted * frequency).sin().square().mul(magnitude).add(shifted)
    return torch.cat([past, y], 1) if past.shape[1] else y
