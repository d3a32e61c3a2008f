"""The names that a checkpoint has for the weights of Qwen3-ASR, and their shapes; vLLM passes over those it lacks."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.models.qwen3_asr.config import CONFIG_FILE, AsrConfig
from pipeline.models.qwen3_asr.mel import BANDS
from pipeline.models.shared.fields import read_object
from pipeline.models.shared.weight_names import check_names, weight_names
from pipeline.models.shared.weight_shapes import (
    Shape,
    biased,
    check_kinds,
    check_shapes,
    decoder_shapes,
    sizes,
    table_shapes,
)

_BOTH = ("weight", "bias")
_LAYER = (
    *(f"self_attn.{part}" for part in ("q_proj", "k_proj", "v_proj", "o_proj", "q_norm", "k_norm")),
    *(f"mlp.{part}_proj" for part in ("gate", "up", "down")),
    *("input_layernorm", "post_attention_layernorm"),
)
_TOWER_LAYER = (
    *(f"self_attn.{part}_proj" for part in ("q", "k", "v", "out")),
    *("self_attn_layer_norm", "final_layer_norm", "fc1", "fc2"),
)
_TEXT, _TOWER = "thinker.model.", "thinker.audio_tower."
_EMBEDDING, _HEAD = f"{_TEXT}embed_tokens.weight", "thinker.lm_head.weight"


def expected_names(config: AsrConfig) -> set[str]:
    """All that a checkpoint of this configuration has."""
    names = {_EMBEDDING, f"{_TEXT}norm.weight", f"{_TOWER}conv_out.weight"}
    names |= {f"{_TEXT}layers.{i}.{part}.weight" for i in range(config.text.num_hidden_layers) for part in _LAYER}
    for part in ("conv2d1", "conv2d2", "conv2d3", "ln_post", "proj1", "proj2"):
        names |= {f"{_TOWER}{part}.{kind}" for kind in _BOTH}
    for i in range(config.tower.encoder_layers):
        names |= {f"{_TOWER}layers.{i}.{part}.{kind}" for part in _TOWER_LAYER for kind in _BOTH}
    return names if config.text.tie_word_embeddings else names | {_HEAD}


def check_weights(folder: Path, config: AsrConfig) -> None:
    """That the checkpoint in `folder` has them all and no others; a head that is tied may stand in it, too.

    Raises:
        ConfigError: Lists the names that are missing, and those that nothing uses, or that have another shape or kind;
            or a file is damaged.
    """
    expected, given = expected_names(config), set(weight_names(folder))
    check_names(expected, given if _HEAD in expected else given - {_HEAD}, str(folder))
    check_kinds(expected, folder)
    check_shapes(dict(expected_shapes(read_object(folder / CONFIG_FILE)["thinker_config"])), folder)


def expected_shapes(thinker: Mapping[str, Any]) -> Iterator[tuple[str, Shape]]:
    """Of all whose sizes the configuration tells; a head, too, that is tied."""
    text = thinker["text_config"]
    yield from decoder_shapes(_TEXT, text)
    yield from table_shapes((_EMBEDDING, _HEAD), text.get("vocab_size"), text.get("hidden_size"))
    yield from _tower_shapes(thinker["audio_config"])


def _tower_shapes(config: Mapping[str, Any]) -> Iterator[tuple[str, Shape]]:
    if not (told := sizes(config, "d_model", "encoder_ffn_dim", "downsample_hidden_size", "output_dim")):
        return
    width, inner, channels, out = told
    yield from biased(f"{_TOWER}conv2d1", channels, 1, 3, 3)
    yield from biased(f"{_TOWER}conv2d2", channels, channels, 3, 3)
    yield from biased(f"{_TOWER}conv2d3", channels, channels, 3, 3)
    yield f"{_TOWER}conv_out.weight", (width, channels * BANDS // 8)  # each convolution halves them
    for i in range(config["encoder_layers"]):
        shapes = (*[(width, width)] * 4, (width,), (width,), (inner, width), (width, inner))
        for part, shape in zip(_TOWER_LAYER, shapes, strict=True):
            yield from biased(f"{_TOWER}layers.{i}.{part}", *shape)
    yield from biased(f"{_TOWER}ln_post", width)
    yield from biased(f"{_TOWER}proj1", width, width)
    yield from biased(f"{_TOWER}proj2", out, width)
