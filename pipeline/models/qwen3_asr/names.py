"""The names that a checkpoint has for the weights of Qwen3-ASR; vLLM itself passes over those that are missing."""

from pathlib import Path

from pipeline.models.fields import read_object
from pipeline.models.qwen3_asr.config import CONFIG_FILE, RecogniserConfig
from pipeline.models.shapes import check_shapes, decoder_shapes, table_shapes
from pipeline.models.weight_names import check_names, weight_names

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
_TEXT = "thinker.model."
_EMBEDDING, _HEAD = f"{_TEXT}embed_tokens.weight", "thinker.lm_head.weight"


def expected_names(config: RecogniserConfig) -> set[str]:
    """All that a checkpoint of this configuration has."""
    tower = "thinker.audio_tower."
    names = {_EMBEDDING, f"{_TEXT}norm.weight", f"{tower}conv_out.weight"}
    names |= {f"{_TEXT}layers.{i}.{part}.weight" for i in range(config.text.num_hidden_layers) for part in _LAYER}
    for part in ("conv2d1", "conv2d2", "conv2d3", "ln_post", "proj1", "proj2"):
        names |= {f"{tower}{part}.{kind}" for kind in _BOTH}
    for i in range(config.tower.encoder_layers):
        names |= {f"{tower}layers.{i}.{part}.{kind}" for part in _TOWER_LAYER for kind in _BOTH}
    return names if config.text.tie_word_embeddings else names | {_HEAD}


def check_weights(folder: Path, config: RecogniserConfig) -> None:
    """That the checkpoint in `folder` has them all and no others; a head that is tied may stand in it, too.

    Raises:
        ConfigError: Lists the names that are missing, and those that nothing uses, or that have another shape; or a
            file is damaged.
    """
    expected, given = expected_names(config), set(weight_names(folder))
    check_names(expected, given if _HEAD in expected else given - {_HEAD}, str(folder))
    text = read_object(folder / CONFIG_FILE)["thinker_config"]["text_config"]
    tables = table_shapes((_EMBEDDING, _HEAD), text.get("vocab_size"), text.get("hidden_size"))
    check_shapes(dict([*decoder_shapes(_TEXT, text), *tables]), folder)
