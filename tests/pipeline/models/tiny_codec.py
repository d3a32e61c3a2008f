"""A small speech tokenizer in the published format, with seeded weights: its decoder is heard at an rms of about 0.1.

Each tensor is seeded by its own name. LayerScale and gamma are near 1, where training starts from almost nothing, so
that no branch is too quiet to be compared.
"""

import json
import math
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BOOKS, ENTRIES, LATENT, CODE, HIDDEN, INNER, HEADS, HEAD, LAYERS, WIDTH = 16, 2048, 32, 32, 32, 64, 2, 16, 2, 32
RATES, RATIOS, WINDOW = (8, 5, 4, 3), (2, 2), 72

DECODER = {
    "latent_dim": LATENT,
    "codebook_dim": CODE,
    "codebook_size": ENTRIES,
    "decoder_dim": WIDTH,
    "hidden_size": HIDDEN,
    "intermediate_size": INNER,
    "head_dim": HEAD,
    "num_attention_heads": HEADS,
    "num_key_value_heads": HEADS,
    "num_hidden_layers": LAYERS,
    "num_quantizers": BOOKS,
    "num_semantic_quantizers": 1,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10_000,
    "sliding_window": WINDOW,
    "upsample_rates": list(RATES),
    "upsampling_ratios": list(RATIOS),
}

Shaped = tuple[str, tuple[int, ...], float, float]  # name, shape, standard deviation, mean
Weights = dict[str, NDArray[np.float32]]


def weights() -> Weights:
    """All tensors of the decoder, under their full names."""
    made: Weights = {}
    for name, shape, deviation, mean in _all():
        dice = np.random.default_rng(zlib.crc32(name.encode()))
        made[f"decoder.{name}"] = dice.normal(mean, deviation, shape).astype(np.float32)
    return made


def codes(frames: int) -> NDArray[np.int16]:
    """Shape [frames, BOOKS]; always the same ones."""
    return np.random.default_rng(12).integers(0, ENTRIES, (frames, BOOKS), np.int16)


def write(folder: Path, keep: Callable[[str], bool] = lambda name: True) -> None:
    """The checkpoint as a folder of files, with the tensors to `keep`."""
    from safetensors.numpy import save_file

    own = folder / "speech_tokenizer"
    own.mkdir(parents=True)
    (own / "config.json").write_text(json.dumps({"model_type": "qwen3_tts_tokenizer_12hz", "decoder_config": DECODER}))
    save_file({name: each for name, each in weights().items() if keep(name)}, own / "model.safetensors")


def _all() -> Iterator[Shaped]:
    for part, books in (("first", 1), ("rest", BOOKS - 1)):
        for at in range(books):
            yield f"quantizer.rvq_{part}.vq.layers.{at}._codebook.cluster_usage", (ENTRIES,), 0.2, 2.0
            yield f"quantizer.rvq_{part}.vq.layers.{at}._codebook.embedding_sum", (ENTRIES, CODE // 2), 1.0, 0.0
        yield _matrix(f"quantizer.rvq_{part}.input_proj", CODE // 2, CODE, 1)
        yield _matrix(f"quantizer.rvq_{part}.output_proj", CODE, CODE // 2, 1)
    yield from _biased("pre_conv.conv", LATENT, CODE, 3)
    yield from _biased("pre_transformer.input_proj", HIDDEN, LATENT)
    yield from _biased("pre_transformer.output_proj", LATENT, HIDDEN)
    yield "pre_transformer.norm.weight", (HIDDEN,), 0.1, 1.0
    for at in range(LAYERS):
        yield from _layer(f"pre_transformer.layers.{at}")
    for at, ratio in enumerate(RATIOS):
        yield from _upsampling(f"upsample.{at}.0.conv", LATENT, LATENT, ratio, ratio)
        yield from _convnext(f"upsample.{at}.1")
    yield from _biased("decoder.0.conv", WIDTH, LATENT, 7)
    for at, rate in enumerate(RATES):
        yield from _block(f"decoder.{at + 1}.block", WIDTH >> at, rate)
    yield from _snake(f"decoder.{len(RATES) + 1}", WIDTH >> len(RATES))
    yield from _biased(f"decoder.{len(RATES) + 2}.conv", 1, WIDTH >> len(RATES), 7, gain=0.03)


def _layer(name: str) -> Iterator[Shaped]:
    for part in ("q_proj", "k_proj", "v_proj"):
        yield _matrix(f"{name}.self_attn.{part}", HEADS * HEAD, HIDDEN, gain=1.5)
    yield _matrix(f"{name}.self_attn.o_proj", HIDDEN, HEADS * HEAD)
    for part in ("gate_proj", "up_proj"):
        yield _matrix(f"{name}.mlp.{part}", INNER, HIDDEN, gain=1.5)
    yield _matrix(f"{name}.mlp.down_proj", HIDDEN, INNER, gain=1.5)
    for part in ("input_layernorm.weight", "post_attention_layernorm.weight"):
        yield f"{name}.{part}", (HIDDEN,), 0.1, 1.0
    for part in ("self_attn_layer_scale.scale", "mlp_layer_scale.scale"):
        yield f"{name}.{part}", (HIDDEN,), 0.1, 1.0


def _convnext(name: str) -> Iterator[Shaped]:
    yield from _biased(f"{name}.dwconv.conv", LATENT, 1, 7)
    yield f"{name}.norm.weight", (LATENT,), 0.1, 1.0
    yield f"{name}.norm.bias", (LATENT,), 0.1, 0.0
    yield from _biased(f"{name}.pwconv1", 4 * LATENT, LATENT)
    yield from _biased(f"{name}.pwconv2", LATENT, 4 * LATENT)
    yield f"{name}.gamma", (LATENT,), 0.1, 1.0


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
