"""Checkpoints that the real transformers 5 has written again are taken, and mean the same."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.models.aura.text import AuraText
from pipeline.models.qwen3_asr.tokenizer import read_tokenizer as read_asr
from pipeline.models.qwen3_tts.tokenizer import read_tokenizer as read_tts
from pipeline.models.shared.tokenizer import check_tokenizer
from tests.contract.vllm.tiny_aura import write_aura
from tests.pipeline.runtime.checkpoints import ASR, AURA, VOICE, write_all
from tests.pipeline.runtime.shipped import SHIPPED, check

pytestmark = pytest.mark.vllm

TEXT = "Is the user reading?<|im_end|>"


def written_again(folder: Path, own: Any) -> None:
    """What transformers saves takes the places of the files that it has read."""
    own.save_pretrained(folder / "again")
    for name in ("vocab.json", "merges.txt", "preprocessor_config.json", "video_preprocessor_config.json"):
        (folder / name).unlink(missing_ok=True)
    shutil.copytree(folder / "again", folder, dirs_exist_ok=True)
    shutil.rmtree(folder / "again")


def ids_of(models: Path) -> list[Any]:
    asr, named = read_asr(models / ASR)
    return [asr.encode(TEXT), named, AuraText.read(models / AURA).ids(TEXT), read_tts(models / VOICE)(TEXT)]


def test_what_transformers_writes_again_is_taken_and_means_the_same(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed (extra `vllm`)")
    write_all(tmp_path)
    write_aura(tmp_path / AURA)
    before, added = ids_of(tmp_path), [check_tokenizer(tmp_path / name) for name in (ASR, AURA)]
    read: dict[str, Callable[[Path], Any]] = {
        ASR: transformers.AutoProcessor.from_pretrained,
        AURA: transformers.AutoProcessor.from_pretrained,
        VOICE: transformers.Qwen2Tokenizer.from_pretrained,
    }
    for name, from_pretrained in read.items():
        written_again(tmp_path / name, from_pretrained(tmp_path / name))
    model = transformers.Qwen3VLForConditionalGeneration.from_pretrained(tmp_path / AURA)
    written_again(tmp_path / AURA, model)
    assert check(SHIPPED, tmp_path)
    assert ids_of(tmp_path) == before
    for name, names in zip((ASR, AURA), added, strict=True):
        assert check_tokenizer(tmp_path / name).items() >= names.items()
