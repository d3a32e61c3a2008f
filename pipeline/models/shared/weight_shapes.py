"""The shapes of the weights in a checkpoint, as its configuration implies them, and their kinds, against its files."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError, quoted
from pipeline.models.shared.weight_files import FLOATS, stored
from pipeline.models.shared.weight_names import some

Shape = tuple[int, ...]


def sizes(config: Mapping[str, Any], *names: str) -> Shape:
    """What a configuration says of them; nothing, where it leaves any to a default."""
    told = tuple(size for name in names if type(size := config.get(name)) is int)
    return told if len(told) == len(names) else ()


def biased(name: str, *shape: int) -> Iterator[tuple[str, Shape]]:
    """A product, a convolution or a norm, which has a bias."""
    yield f"{name}.weight", shape
    yield f"{name}.bias", shape[:1]


def decoder_shapes(at: str, config: Mapping[str, Any]) -> Iterator[tuple[str, Shape]]:
    """Of a stack of Qwen3's layers, and of the norm behind it, named from `at` on.

    None, where the configuration leaves a size to a default.
    """
    names = ("hidden_size", "intermediate_size", "num_attention_heads", "num_key_value_heads", "head_dim")
    if not (told := sizes(config, *names)):
        return
    width, inner, queries, keys, head = told
    for layer in range(config["num_hidden_layers"]):
        for part, shape in (
            ("self_attn.q_proj", (queries * head, width)),
            ("self_attn.k_proj", (keys * head, width)),
            ("self_attn.v_proj", (keys * head, width)),
            ("self_attn.o_proj", (width, queries * head)),
            ("mlp.gate_proj", (inner, width)),
            ("mlp.up_proj", (inner, width)),
            ("mlp.down_proj", (width, inner)),
            ("self_attn.q_norm", (head,)),
            ("self_attn.k_norm", (head,)),
            ("input_layernorm", (width,)),
            ("post_attention_layernorm", (width,)),
        ):
            yield f"{at}layers.{layer}.{part}.weight", shape
    yield f"{at}norm.weight", (width,)


def table_shapes(names: tuple[str, ...], rows: Any, columns: Any) -> Iterator[tuple[str, Shape]]:
    """Of embeddings and heads; none, where the configuration leaves a size to a default."""
    if type(rows) is int and type(columns) is int:
        yield from ((name, (rows, columns)) for name in names)


def check_shapes(wanted: Mapping[str, Shape], folder: Path) -> None:
    """
    Raises:
        ConfigError: Lists the weights that have another shape.
    """
    wrong = [
        f"{tensor.name} is {tensor.shape}, not {wanted[tensor.name]}"
        for tensor in stored(folder)
        if wanted.get(tensor.name, tensor.shape) != tensor.shape
    ]
    if wrong:
        raise ConfigError(str(folder), [f"weights of another shape: {some(wrong)}"])


def check_kinds(names: Collection[str], folder: Path) -> None:
    """
    Raises:
        ConfigError: Lists those of the weights that are not numbers as an engine computes with.
    """
    wrong = [
        f"{tensor.name} is {quoted(tensor.kind)}"
        for tensor in stored(folder)
        if tensor.name in names and tensor.kind not in FLOATS
    ]
    if wrong:
        raise ConfigError(str(folder), [f"weights of another kind than {', '.join(FLOATS)}: {some(wrong)}"])
