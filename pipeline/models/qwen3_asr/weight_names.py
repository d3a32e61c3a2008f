"""The names that a checkpoint has for the weights of Qwen3-ASR, and their shapes; vLLM passes over those it lacks."""

from collections.abc import Collection

from pipeline.models.qwen3_asr.config import AsrConfig, AsrEncoderConfig
from pipeline.models.qwen3_asr.mel import BANDS
from pipeline.models.shared.weight_shapes import Named, biased, decoder_shapes, tables

TEXT, TOWER, HEAD = "thinker.model.", "thinker.audio_tower.", "thinker.lm_head"


def expected_shapes(config: AsrConfig) -> Named:
    """Yields all that a checkpoint of this configuration has, and a head, too, that is tied."""
    yield from decoder_shapes(TEXT, config.text)
    yield from tables((f"{TEXT}embed_tokens", HEAD), config.text.vocab_size, config.text.hidden_size)
    yield from tower_shapes(TOWER, config.tower)


def optional_names(config: AsrConfig) -> Collection[str]:
    """A head that is tied may stand in a checkpoint, or not."""
    return {f"{HEAD}.weight"} if config.text.tie_word_embeddings else ()


def tower_shapes(tower: str, config: AsrEncoderConfig) -> Named:
    """Yields the encoder of sound, named from `tower` on."""
    width, inner, channels = config.d_model, config.encoder_ffn_dim, config.downsample_hidden_size
    yield from biased(f"{tower}conv2d1", channels, 1, 3, 3)
    yield from biased(f"{tower}conv2d2", channels, channels, 3, 3)
    yield from biased(f"{tower}conv2d3", channels, channels, 3, 3)
    yield f"{tower}conv_out.weight", (width, channels * BANDS // 8)  # each convolution halves them
    for layer in range(config.encoder_layers):
        at = f"{tower}layers.{layer}."
        for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
            yield from biased(f"{at}self_attn.{part}", width, width)
        yield from biased(f"{at}self_attn_layer_norm", width)
        yield from biased(f"{at}final_layer_norm", width)
        yield from biased(f"{at}fc1", inner, width)
        yield from biased(f"{at}fc2", width, inner)
    yield from biased(f"{tower}ln_post", width)
    yield from biased(f"{tower}proj1", width, width)
    yield from biased(f"{tower}proj2", config.output_dim, width)
