"""Random weights that are a function of a seed and of each tensor's name: the same in every environment."""

import zlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

FACTORS = {"lm_head": 2.0, "gate_proj": 1.5, "up_proj": 1.5, "down_proj": 1.5}


def seeded(shapes: Mapping[str, tuple[int, ...]], seed: int = 0) -> dict[str, NDArray[np.float32]]:
    """A tensor for each name. Activations keep about their size; queries and keys are sharp."""
    return {name: _tensor(name, shape, seed) for name, shape in shapes.items()}


def _tensor(name: str, shape: tuple[int, ...], seed: int) -> NDArray[np.float32]:
    draw = np.random.default_rng([seed, zlib.crc32(name.encode())]).standard_normal(shape, dtype=np.float32)
    if "q_norm" in name or "k_norm" in name:
        return np.asarray(1.5 + 0.1 * draw, np.float32)
    if "norm" in name:
        return np.asarray(1.0 + 0.1 * draw, np.float32)
    if "embedding" in name:
        return np.asarray(0.4 * draw, np.float32)
    if len(shape) == 1:
        return np.asarray(0.1 * draw, np.float32)
    factor = next((f for part, f in FACTORS.items() if part in name), 1.0)
    return np.asarray(factor / np.sqrt(shape[1]) * draw, np.float32)
