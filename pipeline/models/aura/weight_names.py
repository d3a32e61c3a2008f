"""The names of the weights in a checkpoint of AURA, which are those of Qwen3-VL, and their shapes."""

from collections.abc import Collection

from pipeline.models.aura.config import AuraConfig, AuraVisionConfig
from pipeline.models.shared.weight_shapes import Named, biased, decoder_shapes, tables

LANGUAGE, VISUAL = "model.language_model.", "model.visual."
HEAD = "lm_head"


def expected_shapes(config: AuraConfig) -> Named:
    """Yields all that a checkpoint of this configuration has, and a head, too, that is tied."""
    yield from decoder_shapes(LANGUAGE, config.text)
    yield from tables((f"{LANGUAGE}embed_tokens", HEAD), config.text.vocab_size, config.text.hidden_size)
    yield from _visual(config.vision)


def optional_names(config: AuraConfig) -> Collection[str]:
    """A head that is tied may stand in a checkpoint, or not."""
    return {f"{HEAD}.weight"} if config.tie_word_embeddings else ()


def _visual(config: AuraVisionConfig) -> Named:
    width, inner, out = config.hidden_size, config.intermediate_size, config.out_hidden_size
    merged, patch = width * config.spatial_merge_size**2, config.patch_size
    yield from biased(f"{VISUAL}patch_embed.proj", width, config.in_channels, config.temporal_patch_size, patch, patch)
    yield f"{VISUAL}pos_embed.weight", (config.num_position_embeddings, width)
    for block in range(config.depth):
        at = f"{VISUAL}blocks.{block}."
        yield from biased(f"{at}attn.qkv", 3 * width, width)
        yield from biased(f"{at}attn.proj", width, width)
        yield from biased(f"{at}mlp.linear_fc1", inner, width)
        yield from biased(f"{at}mlp.linear_fc2", width, inner)
        yield from biased(f"{at}norm1", width)
        yield from biased(f"{at}norm2", width)
    mergers = {"merger": width}
    mergers |= {f"deepstack_merger_list.{tap}": merged for tap in range(len(config.deepstack_visual_indexes))}
    for merger, normed in mergers.items():
        yield from biased(f"{VISUAL}{merger}.norm", normed)
        yield from biased(f"{VISUAL}{merger}.linear_fc1", merged, merged)
        yield from biased(f"{VISUAL}{merger}.linear_fc2", out, merged)
