"""Writes what an engine with dummy weights reads of a checkpoint: JSON files only, small or of full size.

Full sizes are those of the `config.json` of Qwen3-TTS-12Hz-1.7B-CustomVoice.
"""

import json
from pathlib import Path
from typing import Any

from tests.contract.vllm.tiny import voice, write_tokenizer
from tests.pipeline.models.qwen3_tts import seeded_codec

NAME = "voice"
PLUGIN = "measured"
TALKER = {
    "hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 28, "num_attention_heads": 16,
    "num_key_value_heads": 8, "head_dim": 128, "text_vocab_size": 151_936, "text_hidden_size": 2048,
    "rope_scaling": {"rope_type": "default", "type": "default", "interleaved": True, "mrope_section": [24, 20, 20]},
}  # fmt: skip
PREDICTOR = {
    "hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 5, "num_attention_heads": 16,
    "num_key_value_heads": 8, "head_dim": 128,
}  # fmt: skip


def write_voice(models_dir: Path, *, tiny: bool) -> None:
    """The folder `NAME` in `models_dir`, its speech tokenizer with it."""
    folder = models_dir / NAME
    config = voice("custom_voice")
    if not tiny:
        talker = config["talker_config"]
        talker["code_predictor_config"] |= PREDICTOR
        config |= {"dtype": "bfloat16", "talker_config": talker | TALKER}
    codec = seeded_codec.TINY if tiny else seeded_codec.FULL
    (folder / "speech_tokenizer").mkdir(parents=True)
    write_tokenizer(folder)
    if tiny:  # Triton's interpreter does not run vLLM's top-k
        _write_json(folder / "generation_config.json", {"do_sample": False})
    _write_json(folder / "config.json", config)
    _write_json(
        folder / "speech_tokenizer" / "config.json",
        {"model_type": "qwen3_tts_tokenizer_12hz", "decoder_config": dict(codec)},
    )


def write_plugin(folder: Path, register: str, stat_logger: str = "") -> dict[str, str]:
    """Tells vLLM's processes of a model that is not installed; returns the environment that they need.

    Args:
        stat_logger: As `module:class`, for the process in front of the engines; none if empty.
    """
    info = folder / "aura_measured-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: aura-measured\nVersion: 0\n")
    points = {"vllm.general_plugins": register, "vllm.stat_logger_plugins": stat_logger}
    told = [f"[{group}]\n{PLUGIN} = {each}\n" for group, each in points.items() if each]
    (info / "entry_points.txt").write_text("".join(told))
    return {"VLLM_PLUGINS": PLUGIN}


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n")
