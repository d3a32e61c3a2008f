"""The weights of the tiny checkpoints: which there are in a part of a model, and numbers drawn from a seed."""

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Shape = tuple[str, tuple[int, ...], float, float]  # name, shape, standard deviation and mean of a weight


def decoder(at: str, c: dict[str, Any]) -> Iterator[Shape]:
    """A stack of Qwen3's layers, and the norm behind it."""
    width, inner, head = c["hidden_size"], c["intermediate_size"], c["head_dim"]
    queries, keys = c["num_attention_heads"] * head, c["num_key_value_heads"] * head
    for i in range(c["num_hidden_layers"]):
        layer = f"{at}layers.{i}."
        for name, source, out, gain in (
            ("self_attn.q_proj", width, queries, 1.0),
            ("self_attn.k_proj", width, keys, 1.0),
            ("self_attn.v_proj", width, keys, 1.0),
            ("self_attn.o_proj", queries, width, 1.0),
            ("mlp.gate_proj", width, inner, 1.5),
            ("mlp.up_proj", width, inner, 1.5),
            ("mlp.down_proj", inner, width, 1.5),
        ):
            yield f"{layer}{name}.weight", (out, source), gain / source**0.5, 0.0
        for name, size, mean in (
            ("self_attn.q_norm", head, 1.5),
            ("self_attn.k_norm", head, 1.5),
            ("input_layernorm", width, 1.0),
            ("post_attention_layernorm", width, 1.0),
        ):
            yield f"{layer}{name}.weight", (size,), 0.1, mean
    yield f"{at}norm.weight", (width,), 0.1, 1.0


def linear(name: str, shape: tuple[int, ...], gain: float = 1.0) -> Iterator[Shape]:
    """A product or a convolution, with its bias."""
    yield f"{name}.weight", shape, gain / float(np.prod(shape[1:])) ** 0.5, 0.0
    yield f"{name}.bias", shape[:1], 0.1, 0.0


def norm(name: str, width: int) -> Iterator[Shape]:
    yield f"{name}.weight", (width,), 0.1, 1.0
    yield f"{name}.bias", (width,), 0.1, 0.0


def values(seed: int, weight: Shape) -> NDArray[np.float32]:
    """They depend on nothing but the seed and the weight."""
    name, shape, deviation, mean = weight
    drawn = np.random.default_rng([seed, zlib.crc32(name.encode())]).standard_normal(shape, dtype=np.float32)
    return drawn * np.float32(deviation) + np.float32(mean)
