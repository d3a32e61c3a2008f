"""Writes what a recogniser with dummy weights reads of a checkpoint: JSON files only, small or of full size.

Full sizes are those of the `config.json` of Qwen3-ASR-1.7B and Qwen3-ASR-0.6B.
"""

from pathlib import Path
from typing import Any

from tests.contract.vllm.tiny_asr import recogniser, write_files

TEXT = {
    "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128,
    "vocab_size": 151_936, "dtype": "bfloat16",
}  # fmt: skip
SECTION = [24, 20, 20]  # M-RoPE's, for heads of 128
SIZES: dict[str, tuple[dict[str, int], dict[str, int]]] = {
    "1.7b": (
        {"hidden_size": 2048, "intermediate_size": 6144},
        {"d_model": 1024, "encoder_layers": 24, "encoder_attention_heads": 16, "encoder_ffn_dim": 4096},
    ),
    "0.6b": (
        {"hidden_size": 1024, "intermediate_size": 3072},
        {"d_model": 896, "encoder_layers": 18, "encoder_attention_heads": 14, "encoder_ffn_dim": 3584},
    ),
}


def write_recogniser_files(models_dir: Path, name: str, *, tiny: bool) -> Path:
    """The folder `name` in `models_dir`; the name begins with a size."""
    config = recogniser()
    if not tiny:
        _enlarge(config, name.partition("-")[0])
    write_files(models_dir / name, config)
    return models_dir / name


def _enlarge(config: dict[str, Any], size: str) -> None:
    text, tower = SIZES[size]
    thinker = config["thinker_config"]
    thinker["text_config"] |= TEXT | text
    thinker["text_config"]["rope_scaling"]["mrope_section"] = SECTION
    thinker["audio_config"] |= tower | {"output_dim": text["hidden_size"], "downsample_hidden_size": 480}
    thinker["dtype"] = config["dtype"] = "bfloat16"
