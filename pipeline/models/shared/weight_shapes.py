"""The names and shapes of the weights that all models here have. A size that is `UNTOLD` is so in a shape, too."""

from collections.abc import Iterable, Iterator

from pipeline.models.shared.decoder_config import DecoderConfig

Shape = tuple[int, ...]
Named = Iterator[tuple[str, Shape]]


def biased(name: str, *shape: int) -> Named:
    """Yields a product, a convolution or a norm, which has a bias."""
    yield f"{name}.weight", shape
    yield f"{name}.bias", shape[:1]


def decoder_shapes(at: str, decoder: DecoderConfig) -> Named:
    """Yields the layers of a decoder and the norm behind them, named from `at` on."""
    width, inner, head = decoder.hidden_size, decoder.intermediate_size, decoder.head_dim
    queries, keys = decoder.num_attention_heads * head, decoder.num_key_value_heads * head
    for layer in range(decoder.num_hidden_layers):
        for part, shape in (
            ("self_attn.q_proj", (queries, width)),
            ("self_attn.k_proj", (keys, width)),
            ("self_attn.v_proj", (keys, width)),
            ("self_attn.o_proj", (width, queries)),
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


def tables(names: Iterable[str], rows: int, columns: int) -> Named:
    """Yields embeddings and heads."""
    yield from ((f"{name}.weight", (rows, columns)) for name in names)
