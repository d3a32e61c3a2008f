"""Folders like those of the checkpoints that a deployment names: what is in their files, but no numbers."""

import json
from collections.abc import Iterable
from pathlib import Path

from pipeline.models.aura_names import expected_names as aura_names
from pipeline.models.qwen3_asr.config import read_recogniser
from pipeline.models.qwen3_asr.names import expected_names as recogniser_names
from pipeline.models.qwen3_tts.config import read_voice
from pipeline.models.qwen3_tts.talker_names import expected_names as talker_names
from tests.contract.vllm import tiny_aura
from tests.contract.vllm.tiny import voice, write_tokenizer
from tests.contract.vllm.tiny_asr import recogniser, write_files
from tests.pipeline.models import seeded_codec

ASR, AURA, VOICE = "Qwen3-ASR-1.7B", "AURA", "Qwen3-TTS-12Hz-1.7B-CustomVoice"  # as `aura_80gb.yaml` names them


def write_all(models_dir: Path) -> None:
    write_files(models_dir / ASR, recogniser())
    write_weights(models_dir / ASR, recogniser_names(read_recogniser(models_dir / ASR)))
    tiny_aura.write_aura(models_dir / AURA, weights=False)
    write_weights(models_dir / AURA, aura_names(tiny_aura.config()))
    codec = models_dir / VOICE / "speech_tokenizer"
    codec.mkdir(parents=True)
    write_tokenizer(models_dir / VOICE)
    (models_dir / VOICE / "config.json").write_text(json.dumps(voice("custom_voice")))
    write_weights(models_dir / VOICE, talker_names(read_voice(models_dir / VOICE)))
    decoder = {"model_type": "qwen3_tts_tokenizer_12hz", "decoder_config": seeded_codec.TINY}
    (codec / "config.json").write_text(json.dumps(decoder))
    write_weights(codec, ["decoder.one", "encoder.other"])


def write_weights(folder: Path, names: Iterable[str], numbers: int = 1, kind: str = "BF16") -> None:
    """Tensors of so many numbers each, as a file with holes."""
    size = numbers * {"BF16": 2, "F32": 4, "I32": 4}[kind]
    tensors = {
        name: {"dtype": kind, "shape": [numbers], "data_offsets": [at * size, (at + 1) * size]}
        for at, name in enumerate(sorted(names))
    }
    header = json.dumps({"__metadata__": {"format": "pt"}, **tensors}).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + len(tensors) * size)
