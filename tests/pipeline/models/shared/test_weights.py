"""Every weight of a checkpoint is used, and none is missing."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed (extra `vllm`)")
pytest.importorskip("safetensors", reason="safetensors is not installed (extra `vllm`)")

import torch
from safetensors.torch import save_file
from torch import nn

from pipeline.errors import ConfigError
from pipeline.models.shared.weights import load_weights, read_weights


def written(folder: Path, **tensors: torch.Tensor) -> Path:
    save_file(tensors, folder / "model.safetensors")
    return folder


def test_weights_are_read_by_prefix_and_loaded(tmp_path: Path) -> None:
    written(tmp_path, **{"a.weight": torch.ones(2, 3), "a.bias": torch.zeros(2), "b.weight": torch.ones(1)})
    module = nn.Linear(3, 2)
    load_weights(module, read_weights(tmp_path, "a."), "test")
    assert torch.equal(module.weight, torch.ones(2, 3))


def test_names_that_are_missing_or_unused_are_listed(tmp_path: Path) -> None:
    weights = read_weights(written(tmp_path, weight=torch.ones(2, 3), gain=torch.ones(1)))
    with pytest.raises(ConfigError) as error:
        load_weights(nn.Linear(3, 2), weights, "test")
    assert error.value.faults == ["weights missing: bias", "weights that nothing uses: gain"]


def test_another_shape_is_named(tmp_path: Path) -> None:
    weights = read_weights(written(tmp_path, weight=torch.ones(3, 2), bias=torch.ones(2)))
    with pytest.raises(ConfigError, match=r"weight is \(3, 2\), not \(2, 3\)"):
        load_weights(nn.Linear(3, 2), weights, "test")


def test_truncated_and_absent_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no weights `talker\.\*` in its files"):
        read_weights(tmp_path, "talker.")
    path = written(tmp_path, weight=torch.ones(200, 3)) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:1_000])
    with pytest.raises(ConfigError, match=r"model\.safetensors: cannot be read"):
        read_weights(tmp_path)
