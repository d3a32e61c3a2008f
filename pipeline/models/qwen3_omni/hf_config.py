"""Qwen3-Omni's configuration as vLLM wants to see it for the talker: that of a Qwen3 mixture of experts."""

from typing import Any

from transformers import Qwen3MoeConfig

from pipeline.models.registry import OMNI_TALKER

_OF_THE_DECODER = (
    *("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads"),
    *("num_key_value_heads", "head_dim", "hidden_act", "max_position_embeddings", "rms_norm_eps", "attention_bias"),
    *("tie_word_embeddings", "moe_intermediate_size", "num_experts", "num_experts_per_tok", "norm_topk_prob"),
    *("decoder_sparse_step", "mlp_only_layers"),
)
_OF_POSITIONS = ("rope_theta", "mrope_section")


def talker_only(config: Any) -> Any:
    """Makes the configuration of the talker out of the whole checkpoint's: an `hf_overrides` of vLLM's.

    Its positions have three rows, which differ where pictures are.
    vLLM also asks of an empty configuration, whose type it wants to know: that stays as it is.
    """
    if not hasattr(config, "talker_config"):
        return config
    decoder = config.talker_config.text_config
    rope = {"rope_type": "default", **{name: decoder.rope_parameters[name] for name in _OF_POSITIONS}}
    own = {name: getattr(decoder, name) for name in _OF_THE_DECODER}
    told = Qwen3MoeConfig(
        **own,
        rope_parameters={**rope, "mrope_interleaved": True},
        eos_token_id=config.talker_config.codec_eos_token_id,
        architectures=[OMNI_TALKER],
        dtype=config.dtype,
    )
    told.shared_expert_intermediate_size = decoder.shared_expert_intermediate_size
    return told
