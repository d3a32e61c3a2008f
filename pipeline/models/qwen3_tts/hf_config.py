"""A Qwen3-TTS configuration as vLLM wants to see it: that of the Talker's decoder, a plain Qwen3."""

from typing import Any

from transformers import Qwen3Config


class Qwen3TTSConfig(Qwen3Config):  # type: ignore[no-untyped-call]
    """The Talker's own fields stand at the top; the file's are kept in `checkpoint`.

    The checkpoints ask for M-RoPE, but all three of its rows are equal for speech, which makes it the
    ordinary rotation: `mrope_section` is left out.
    """

    model_type = "qwen3_tts"

    def __init__(self, **raw: Any) -> None:
        talker = raw.get("talker_config") or {}
        own = {name: talker[name] for name in _OF_THE_DECODER if name in talker}
        rope = {"rope_type": "default", "rope_theta": talker.get("rope_theta", 1e6)}
        others = {name: raw[name] for name in ("architectures", "dtype", "transformers_version") if name in raw}
        super().__init__(**own, **others, rope_parameters=rope, eos_token_id=talker.get("codec_eos_token_id"))
        self.checkpoint = raw


_OF_THE_DECODER = (
    "vocab_size",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "hidden_act",
    "max_position_embeddings",
    "rms_norm_eps",
    "attention_bias",
    "tie_word_embeddings",
)
