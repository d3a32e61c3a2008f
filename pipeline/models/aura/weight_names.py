"""The names of the weights in a checkpoint of AURA, which are those of Qwen3-VL, and their shapes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pipeline.models.qwen3_tts.weight_names import LAYER
from pipeline.models.shared.weight_names import check_names
from pipeline.models.shared.weight_shapes import Shape, biased, decoder_shapes, sizes, table_shapes

LANGUAGE, VISUAL = "model.language_model.", "model.visual."
HEAD = "lm_head.weight"
TABLES = (f"{LANGUAGE}embed_tokens.weight", HEAD)

_BLOCK = ("attn.qkv", "attn.proj", "mlp.linear_fc1", "mlp.linear_fc2", "norm1", "norm2")
_MERGER = ("norm", "linear_fc1", "linear_fc2")


def expected_names(config: Mapping[str, Any]) -> set[str]:
    """All that a checkpoint of this `config.json` has."""
    return {*_language(config), *_visual(config["vision_config"])}


def check_all(config: Mapping[str, Any], given: Iterable[str], source: str) -> None:
    """That a checkpoint has them all and no others; a head that is tied may stand in it, too.

    Raises:
        ConfigError: As `check_names`.
    """
    expected = expected_names(config)
    check_names(expected, (name for name in given if name in expected or name != HEAD), source)


def expected_shapes(config: Mapping[str, Any]) -> Iterator[tuple[str, Shape]]:
    """Of all whose sizes the configuration tells."""
    text = config["text_config"]
    yield from decoder_shapes(LANGUAGE, text)
    yield from table_shapes(TABLES, text.get("vocab_size"), text.get("hidden_size"))
    yield from _visual_shapes(config["vision_config"])


def _language(config: Mapping[str, Any]) -> Iterator[str]:
    embedding, head = TABLES
    yield from (embedding, f"{LANGUAGE}norm.weight")
    for layer in range(config["text_config"]["num_hidden_layers"]):
        yield from (f"{LANGUAGE}layers.{layer}.{part}.weight" for part in LAYER)
    if not config.get("tie_word_embeddings"):
        yield head


def _visual(config: Mapping[str, Any]) -> Iterator[str]:
    yield f"{VISUAL}pos_embed.weight"
    parts = ["patch_embed.proj", *(f"merger.{part}" for part in _MERGER)]
    parts += [f"blocks.{block}.{part}" for block in range(config["depth"]) for part in _BLOCK]
    taps = range(len(config["deepstack_visual_indexes"]))
    parts += [f"deepstack_merger_list.{tap}.{part}" for tap in taps for part in _MERGER]
    yield from (f"{VISUAL}{part}.{kind}" for part in parts for kind in ("weight", "bias"))


def _visual_shapes(config: Mapping[str, Any]) -> Iterator[tuple[str, Shape]]:
    looks = ("in_channels", "temporal_patch_size", "patch_size", "num_position_embeddings", "spatial_merge_size")
    if not (told := sizes(config, "hidden_size", "intermediate_size", "out_hidden_size", *looks)):
        return
    width, inner, out, colours, frames, patch, places, edge = told
    merged = width * edge**2
    yield from biased(f"{VISUAL}patch_embed.proj", width, colours, frames, patch, patch)
    yield f"{VISUAL}pos_embed.weight", (places, width)
    for block in range(config["depth"]):
        shapes = ((3 * width, width), (width, width), (inner, width), (width, inner), (width,), (width,))
        for part, shape in zip(_BLOCK, shapes, strict=True):
            yield from biased(f"{VISUAL}blocks.{block}.{part}", *shape)
    mergers = {"merger": width}
    mergers |= {f"deepstack_merger_list.{tap}": merged for tap in range(len(config["deepstack_visual_indexes"]))}
    for merger, normed in mergers.items():
        for part, shape in zip(_MERGER, ((normed,), (merged, merged), (out, merged)), strict=True):
            yield from biased(f"{VISUAL}{merger}.{part}", *shape)
