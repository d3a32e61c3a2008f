"""The activation x + sin²(fx) · m of the speech decoder, in one pass over the signal where there is a GPU."""

from torch import Tensor


def snake(x: Tensor, frequency: Tensor, magnitude: Tensor) -> Tensor:
    """[batch, steps, channels] → the same. Of each channel its frequency f and magnitude m."""
    if x.is_cuda:
        from pipeline.models.qwen3_tts.codec_snake_triton import snake as in_one_pass

        return in_one_pass(x, frequency, magnitude)
    return (x * frequency).sin().square().mul(magnitude).add(x)
