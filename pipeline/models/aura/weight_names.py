"""The names of the weights in a checkpoint of AURA, which are those of Qwen3-VL, and their shapes."""

from collections.abc import Collection
from dataclasses import dataclass

from pipeline.models.aura.config import AuraConfig, AuraVisionConfig
from pipeline.models.shared.weight_shapes import Named, biased, decoder_shapes, tables

LANGUAGE, VISUAL = "model.language_model.", "model.visual."
HEAD = "lm_head"


def expected_shapes(config: AuraConfig) -> Named:
    """Yields all that a checkpoint of this configuration has, and a head, too, that is tied."""
    yield from decoder_shapes(LANGUAGE, config.text)
    yield from tables((f"{LANGUAGE}embed_tokens", HEAD), config.text.vocab_size, config.text.hidden_size)
    yield from visual_shapes(VISUAL, config.vision, MergerNames())


def optional_names(config: AuraConfig) -> Collection[str]:
    """A head that is tied may stand in a checkpoint, or not."""
    return {f"{HEAD}.weight"} if config.tie_word_embeddings else ()


@dataclass(frozen=True, slots=True)
class MergerNames:
    """What a checkpoint calls the mergers behind the blocks of an encoder, and their layers."""

    of_taps: str = "deepstack_merger_list"
    norm: str = "norm"
    first: str = "linear_fc1"
    second: str = "linear_fc2"


def visual_shapes(at: str, config: AuraVisionConfig, names: MergerNames) -> Named:
    """Yields the encoder of pictures, named from `at` on."""
    width, inner, out = config.hidden_size, config.intermediate_size, config.out_hidden_size
    merged, patch = width * config.spatial_merge_size**2, config.patch_size
    yield from biased(f"{at}patch_embed.proj", width, config.in_channels, config.temporal_patch_size, patch, patch)
    yield f"{at}pos_embed.weight", (config.num_position_embeddings, width)
    for number in range(config.depth):
        block = f"{at}blocks.{number}."
        yield from biased(f"{block}attn.qkv", 3 * width, width)
        yield from biased(f"{block}attn.proj", width, width)
        yield from biased(f"{block}mlp.linear_fc1", inner, width)
        yield from biased(f"{block}mlp.linear_fc2", width, inner)
        yield from biased(f"{block}norm1", width)
        yield from biased(f"{block}norm2", width)
    mergers = {"merger": width}
    mergers |= {f"{names.of_taps}.{tap}": merged for tap in range(len(config.deepstack_visual_indexes))}
    for merger, normed in mergers.items():
        yield from biased(f"{at}{merger}.{names.norm}", normed)
        yield from biased(f"{at}{merger}.{names.first}", merged, merged)
        yield from biased(f"{at}{merger}.{names.second}", out, merged)
