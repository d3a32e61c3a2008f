"""What an AURA checkpoint says of itself, as far as it is looked at here: vLLM reads the rest."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError
from pipeline.models.fields import Few, part, read_fields, read_json
from pipeline.models.mrope import section_faults

MODEL_TYPE = "qwen3_vl"


@dataclass(frozen=True, slots=True)
class TextConfig:
    num_hidden_layers: Few


@dataclass(frozen=True, slots=True)
class VisionConfig:
    depth: Few
    deepstack_visual_indexes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CacheConfig:
    """What keys and values take."""

    num_hidden_layers: Few
    num_key_value_heads: int
    head_dim: int


def read_aura(folder: Path) -> dict[str, Any]:
    """The configuration of the checkpoint in `folder`: it has the fields that are named above.

    Raises:
        ConfigError: It is missing, no JSON, another model's, or lacks fields, or shares its heads out wrongly among
            time, height and width; names every fault.
    """
    path = folder / "config.json"
    raw = read_json(path, MODEL_TYPE)
    faults: list[str] = []
    text = part(raw, "text_config", faults)
    read_fields(TextConfig, text, "text_config.", faults)
    read_fields(VisionConfig, part(raw, "vision_config", faults), "vision_config.", faults)
    faults += section_faults(text, "text_config.", needed=True) if text else ()
    if faults:
        raise ConfigError(str(path), faults)
    return raw
