"""What an AURA checkpoint says of itself, as far as it is looked at here: vLLM reads the rest."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pipeline.errors import ConfigError, quoted
from pipeline.models.shared.decoder_config import DecoderConfig
from pipeline.models.shared.fields import UNTOLD, Few, FieldPath, Size, read_config, undivided, unequal
from pipeline.models.shared.processor_files import read_processor

MEDIA = (("preprocessor_config.json", "image_processor"), ("video_preprocessor_config.json", "video_processor"))


class AuraTextConfig(DecoderConfig):
    def disagreements(self, where: str) -> Iterator[str]:
        return self.section_faults(where, needed=True)


@dataclass(frozen=True, slots=True)
class AuraVisionConfig:
    """The encoder of pictures.

    Attributes:
        deepstack_visual_indexes: Blocks whose outputs are shown to the decoder beside the last one's.
    """

    depth: Few
    deepstack_visual_indexes: tuple[int, ...]
    hidden_size: Size = UNTOLD
    intermediate_size: Size = UNTOLD
    out_hidden_size: Size = UNTOLD
    num_heads: Size = UNTOLD
    in_channels: Size = UNTOLD
    patch_size: Size = UNTOLD
    temporal_patch_size: Size = UNTOLD
    spatial_merge_size: Size = UNTOLD
    num_position_embeddings: Size = UNTOLD

    def disagreements(self, where: str) -> Iterator[str]:
        taps = self.deepstack_visual_indexes
        if len(set(taps)) != len(taps) or not all(0 <= tap < self.depth for tap in taps):
            told = f"`{where}deepstack_visual_indexes` is {quoted(list(taps))}"
            yield f"{told}, not blocks of 0 to {self.depth - 1}, each once"
        yield from undivided(where, "num_heads", self.num_heads, "hidden_size", self.hidden_size)


UNKNOWN = AuraVisionConfig(1, ())  # where the configuration is damaged: nothing can be held against it


@dataclass(frozen=True, slots=True)
class AuraConfig:
    """A whole checkpoint."""

    text: Annotated[AuraTextConfig, FieldPath("text_config")]
    vision: Annotated[AuraVisionConfig, FieldPath("vision_config")]
    tie_word_embeddings: bool = False
    quantization_config: Any = None

    def disagreements(self, where: str) -> Iterator[str]:
        wide = "vision_config.out_hidden_size", self.vision.out_hidden_size
        yield from unequal(*wide, "text_config.hidden_size", self.text.hidden_size)


@dataclass(frozen=True, slots=True)
class MediaConfig:
    """How clips are cut into patches."""

    patch_size: Size = UNTOLD
    temporal_patch_size: Size = UNTOLD
    merge_size: Size = UNTOLD


def read_aura(folder: Path) -> AuraConfig:
    """Reads the configuration of the checkpoint in `folder`.

    Raises:
        ConfigError: It is missing, no JSON, another model's, or lacks fields, has sizes that do not agree, or
            shares its heads out wrongly among time, height and width; names every fault.
    """
    return read_config(AuraConfig, folder / "config.json", "qwen3_vl")


def check_media(folder: Path, file: str, part: str, vision: AuraVisionConfig) -> None:
    """Checks that what makes clips ready is told of the same patches as the model.

    Args:
        file: One of `MEDIA`, with its part.

    Raises:
        ConfigError: It cannot be read, or says something else; lists its faults.
    """
    media, source, where = read_processor(MediaConfig, folder, file, part)
    faults = [
        *unequal(f"{where}patch_size", media.patch_size, "vision_config.patch_size", vision.patch_size),
        *unequal(
            f"{where}temporal_patch_size",
            media.temporal_patch_size,
            "vision_config.temporal_patch_size",
            vision.temporal_patch_size,
        ),
        *unequal(f"{where}merge_size", media.merge_size, "vision_config.spatial_merge_size", vision.spatial_merge_size),
    ]
    if faults:
        raise ConfigError(source, faults)
