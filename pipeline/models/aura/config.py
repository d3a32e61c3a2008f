"""What an AURA checkpoint says of itself, as far as it is looked at here: vLLM reads the rest."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError, quoted
from pipeline.models.shared.agreement import equal_faults, head_faults
from pipeline.models.shared.fields import Few, part, read_fields, read_json, read_object
from pipeline.models.shared.mrope import section_faults

MODEL_TYPE = "qwen3_vl"
MEDIA_FILES = ("preprocessor_config.json", "video_preprocessor_config.json")
PATCHES = {  # what these call the sizes of a patch, and what `vision_config` does
    "patch_size": "patch_size",
    "temporal_patch_size": "temporal_patch_size",
    "merge_size": "spatial_merge_size",
}


@dataclass(frozen=True, slots=True)
class AuraTextConfig:
    num_hidden_layers: Few


@dataclass(frozen=True, slots=True)
class AuraVisionConfig:
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
        ConfigError: It is missing, no JSON, another model's, or lacks fields, has sizes that do not agree, or
            shares its heads out wrongly among time, height and width; names every fault.
    """
    path = folder / "config.json"
    raw = read_json(path, MODEL_TYPE)
    faults: list[str] = []
    text = part(raw, "text_config", faults)
    read_fields(AuraTextConfig, text, "text_config.", faults)
    vision = part(raw, "vision_config", faults)
    if sees := read_fields(AuraVisionConfig, vision, "vision_config.", faults):
        faults += _tap_faults(sees)
    faults += head_faults(vision, "num_heads", "hidden_size", "vision_config.")
    faults += equal_faults(vision, "out_hidden_size", "vision_config.", text, "hidden_size", "text_config.")
    faults += section_faults(text, "text_config.", needed=True) if text else ()
    if faults:
        raise ConfigError(str(path), faults)
    return raw


def check_media(folder: Path, vision: Mapping[str, Any]) -> None:
    """That what makes clips ready is told of the same patches as the model.

    Raises:
        ConfigError: A file cannot be read, or says something else; lists its faults.
    """
    for path in (folder / name for name in MEDIA_FILES):
        told, faults = read_object(path), list[str]()
        for name, others in PATCHES.items():
            faults += equal_faults(told, name, "", vision, others, "vision_config.")
        if faults:
            raise ConfigError(str(path), faults)


def _tap_faults(vision: AuraVisionConfig) -> Iterator[str]:
    """Of the blocks that what is written is shown beside the last one."""
    taps = vision.deepstack_visual_indexes
    if len(set(taps)) != len(taps) or not all(0 <= tap < vision.depth for tap in taps):
        name = "vision_config.deepstack_visual_indexes"
        yield f"`{name}` is {quoted(list(taps))}, not blocks of 0 to {vision.depth - 1}, each once"
