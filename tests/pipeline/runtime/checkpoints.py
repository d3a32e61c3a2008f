"""Folders like those of the checkpoints that a deployment names: what is in their files, but no numbers."""

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.contract.vllm import tiny, tiny_asr, tiny_aura
from tests.contract.vllm.seeded import Shape
from tests.pipeline.models.qwen3_tts import seeded_codec

WIDTHS = {"BF16": 2, "F16": 2, "F32": 4, "F64": 8, "I8": 1, "I32": 4, "F8_E4M3": 1}
Shapes = Mapping[str, tuple[int, ...]]

ASR, AURA, VOICE = "Qwen3-ASR-1.7B", "AURA", "Qwen3-TTS-12Hz-1.7B-CustomVoice"  # as `aura_80gb.yaml` names them


def write_all(models_dir: Path) -> None:
    tiny_asr.write_files(models_dir / ASR, tiny_asr.recogniser())
    write_weights(models_dir / ASR, shapes(tiny_asr.tensors(tiny_asr.recogniser())))
    tiny_aura.write_aura(models_dir / AURA, weights=False)
    write_weights(models_dir / AURA, shapes(tiny_aura.tensors(tiny_aura.config())))
    codec = models_dir / VOICE / "speech_tokenizer"
    codec.mkdir(parents=True)
    tiny.write_tokenizer(models_dir / VOICE)
    voice = tiny.voice("custom_voice")
    (models_dir / VOICE / "config.json").write_text(json.dumps(voice))
    write_weights(models_dir / VOICE, shapes(tiny.tensors(voice)))
    decoder = {"model_type": "qwen3_tts_tokenizer_12hz", "decoder_config": seeded_codec.TINY}
    (codec / "config.json").write_text(json.dumps(decoder))
    write_weights(codec, {"decoder.one": (1,), "encoder.other": (1,)})


def as_transformers_5_writes(folder: Path) -> None:
    """Makes one file of those of the tokenizer, and another of those for media."""
    vocabulary, merges, settings = (folder / name for name in ("vocab.json", "merges.txt", "tokenizer_config.json"))
    told = json.loads(settings.read_text())
    added = [{"id": int(number), **token} for number, token in told.pop("added_tokens_decoder").items()]
    pairs = [line.split(" ") for line in merges.read_text().splitlines()[1:]]
    model = {"type": "BPE", "vocab": json.loads(vocabulary.read_text()), "merges": pairs}
    settings.write_text(json.dumps(told))
    (folder / "tokenizer.json").write_text(json.dumps({"version": "1.0", "added_tokens": added, "model": model}))
    vocabulary.unlink()
    merges.unlink()
    parts = {}
    for file in folder.glob("*preprocessor_config.json"):
        raw = json.loads(file.read_text())
        kind = "feature_extractor" if "feature_size" in raw else "image_processor"
        parts["video_processor" if file.name.startswith("video") else kind] = raw
        file.unlink()
    if parts:
        (folder / "processor_config.json").write_text(json.dumps(parts))


def shapes(tensors: Iterable[Shape]) -> dict[str, tuple[int, ...]]:
    return {name: shape for name, shape, *_ in tensors}


def write_weights(folder: Path, shapes: Shapes, kind: str = "BF16") -> None:
    """Tensors of these shapes, as a file with holes."""
    width, at = WIDTHS[kind], 0
    tensors: dict[str, Any] = {}
    for name, shape in sorted(shapes.items()):
        end = at + width * math.prod(shape)
        tensors[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, end]}
        at = end
    header = json.dumps({"__metadata__": {"format": "pt"}, **tensors}).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + at)
