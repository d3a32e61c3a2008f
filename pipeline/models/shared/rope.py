"""Rotary position embedding (arXiv 2104.09864), as the predictor and the speech decoder both use it."""

import torch
from torch import Tensor


def angles_of(places: Tensor, theta: float, head_dim: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Cosines and sines, shape [*places.shape, head_dim]; computed in float32."""
    exponents = torch.arange(0, head_dim, 2, device=places.device, dtype=torch.float32) / head_dim
    angles = places[..., None].float() * (1.0 / theta**exponents)
    angles = torch.cat([angles, angles], -1)
    return angles.cos().to(dtype), angles.sin().to(dtype)


def rotated(x: Tensor, angles: tuple[Tensor, Tensor]) -> Tensor:
    """[batch, heads, n, head_dim]: the two halves of a head are the coordinates."""
    cosines, sines = angles
    first, second = x.chunk(2, -1)
    return x * cosines + torch.cat([-second, first], -1) * sines
