"""A speech tokenizer in the published format with seeded weights, small or of full size. It is heard at an rms of 0.1.

Each tensor is seeded by its own name. LayerScale and gamma are near 1, where training starts from almost nothing, so
that no branch is too quiet to be compared.
"""

import json
import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Config = Mapping[str, Any]

TINY: Config = {
    "latent_dim": 32,
    "codebook_dim": 32,
    "codebook_size": 2048,
    "decoder_dim": 32,
    "hidden_size": 32,
    "intermediate_size": 64,
    "head_dim": 16,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "num_quantizers": 16,
    "num_semantic_quantizers": 1,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10_000,
    "sliding_window": 72,
    "upsample_rates": [8, 5, 4, 3],
    "upsampling_ratios": [2, 2],
}

FULL: Config = {
    **TINY,
    "latent_dim": 1024,
    "codebook_dim": 512,
    "decoder_dim": 1536,
    "hidden_size": 512,
    "intermediate_size": 1024,
    "head_dim": 64,
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "num_hidden_layers": 8,
}

Shaped = tuple[str, tuple[int, ...], float, float]  # name, shape, standard deviation, mean
Weights = dict[str, NDArray[np.float32]]


def weights(config: Config = TINY) -> Weights:
    """All tensors of the decoder, under their full names."""
    made: Weights = {}
    for name, shape, deviation, mean in _all(config):
        dice = np.random.default_rng(zlib.crc32(name.encode()))
        drawn = dice.standard_normal(shape, np.float32)
        made[f"decoder.{name}"] = drawn * np.float32(deviation) + np.float32(mean)
    return made


def codes(frames: int) -> NDArray[np.int16]:
    """Shape [frames, codebooks]; always the same ones."""
    shape = frames, TINY["num_quantizers"]
    return np.random.default_rng(12).integers(0, TINY["codebook_size"], shape, np.int16)


def write(folder: Path, keep: Callable[[str], bool] = lambda name: True) -> None:
    """The checkpoint as a folder of files, with the tensors to `keep`."""
    from safetensors.numpy import save_file

    own = folder / "speech_tokenizer"
    own.mkdir(parents=True)
    (own / "config.json").write_text(json.dumps({"model_type": "qwen3_tts_tokenizer_12hz", "decoder_config": TINY}))
    save_file({name: each for name, each in weights().items() if keep(name)}, own / "model.safetensors")


def _all(c: Config) -> Iterator[Shaped]:
    semantic, half = c["num_semantic_quantizers"], c["codebook_dim"] // 2
    for part, books in (("first", semantic), ("rest", c["num_quantizers"] - semantic)):
        for at in range(books):
            book = f"quantizer.rvq_{part}.vq.layers.{at}._codebook"
            yield f"{book}.cluster_usage", (c["codebook_size"],), 0.2, 2.0
            yield f"{book}.embedding_sum", (c["codebook_size"], half), 1.0, 0.0
        yield _matrix(f"quantizer.rvq_{part}.input_proj", half, 2 * half, 1)
        yield _matrix(f"quantizer.rvq_{part}.output_proj", 2 * half, half, 1)
    latent, hidden, width = c["latent_dim"], c["hidden_size"], c["decoder_dim"]
    yield from _biased("pre_conv.conv", latent, c["codebook_dim"], 3)
    yield from _biased("pre_transformer.input_proj", hidden, latent)
    yield from _biased("pre_transformer.output_proj", latent, hidden)
    yield "pre_transformer.norm.weight", (hidden,), 0.1, 1.0
    for at in range(c["num_hidden_layers"]):
        yield from _layer(f"pre_transformer.layers.{at}", c)
    for at, ratio in enumerate(c["upsampling_ratios"]):
        yield from _upsampling(f"upsample.{at}.0.conv", latent, latent, ratio, ratio)
        yield from _convnext(f"upsample.{at}.1", latent)
    yield from _biased("decoder.0.conv", width, latent, 7)
    blocks = len(c["upsample_rates"])
    for at, rate in enumerate(c["upsample_rates"]):
        yield from _block(f"decoder.{at + 1}.block", width >> at, rate)
    yield from _snake(f"decoder.{blocks + 1}", width >> blocks)
    yield from _biased(f"decoder.{blocks + 2}.conv", 1, width >> blocks, 7, gain=0.03)


def _layer(name: str, c: Config) -> Iterator[Shaped]:
    hidden, inner = c["hidden_size"], c["intermediate_size"]
    queries, keys = (c[heads] * c["head_dim"] for heads in ("num_attention_heads", "num_key_value_heads"))
    for part, outer in (("q_proj", queries), ("k_proj", keys), ("v_proj", keys)):
        yield _matrix(f"{name}.self_attn.{part}", outer, hidden, gain=1.5)
    yield _matrix(f"{name}.self_attn.o_proj", hidden, queries)
    for part in ("gate_proj", "up_proj"):
        yield _matrix(f"{name}.mlp.{part}", inner, hidden, gain=1.5)
    yield _matrix(f"{name}.mlp.down_proj", hidden, inner, gain=1.5)
    for part in ("input_layernorm.weight", "post_attention_layernorm.weight"):
        yield f"{name}.{part}", (hidden,), 0.1, 1.0
    for part in ("self_attn_layer_scale.scale", "mlp_layer_scale.scale"):
        yield f"{name}.{part}", (hidden,), 0.1, 1.0


def _convnext(name: str, width: int) -> Iterator[Shaped]:
    yield from _biased(f"{name}.dwconv.conv", width, 1, 7)
    yield f"{name}.norm.weight", (width,), 0.1, 1.0
    yield f"{name}.norm.bias", (width,), 0.1, 0.0
    yield from _biased(f"{name}.pwconv1", 4 * width, width)
    yield from _biased(f"{name}.pwconv2", width, 4 * width)
    yield f"{name}.gamma", (width,), 0.1, 1.0


def _block(name: str, width: int, rate: int) -> Iterator[Shaped]:
    yield from _snake(f"{name}.0", width)
    yield from _upsampling(f"{name}.1.conv", width, width // 2, 2 * rate, rate)
    for at in (2, 3, 4):
        yield from _snake(f"{name}.{at}.act1", width // 2)
        yield from _biased(f"{name}.{at}.conv1.conv", width // 2, width // 2, 7, gain=0.7)
        yield from _snake(f"{name}.{at}.act2", width // 2)
        yield from _biased(f"{name}.{at}.conv2.conv", width // 2, width // 2, 1, gain=0.5)


def _snake(name: str, width: int) -> Iterator[Shaped]:
    yield f"{name}.alpha", (width,), 0.2, 0.0
    yield f"{name}.beta", (width,), 0.2, 0.0


def _upsampling(name: str, inner: int, outer: int, kernel: int, rate: int) -> Iterator[Shaped]:
    yield f"{name}.weight", (inner, outer, kernel), 1 / math.sqrt(inner * kernel // rate), 0.0
    yield f"{name}.bias", (outer,), 0.1, 0.0


def _biased(name: str, outer: int, *inner: int, gain: float = 1.0) -> Iterator[Shaped]:
    yield _matrix(name, outer, *inner, gain=gain)
    yield f"{name}.bias", (outer,), 0.1, 0.0


def _matrix(name: str, outer: int, *inner: int, gain: float = 1.0) -> Shaped:
    """The output has the variance of the input times the square of the gain."""
    return f"{name}.weight", (outer, *inner), gain / math.sqrt(math.prod(inner)), 0.0
