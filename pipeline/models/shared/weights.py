"""Reads the weights of a checkpoint by prefix, so that every one is used and none is missing."""

from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from pipeline.errors import ConfigError
from pipeline.models.shared.weight_files import opened
from pipeline.models.shared.weight_names import check_names, some


def read_weights(folder: Path, prefix: str = "", keep: Callable[[str], bool] = lambda name: True) -> dict[str, Tensor]:
    """The tensors of a checkpoint whose names begin with `prefix`, under their names without it.

    Args:
        folder: Holds one or more `*.safetensors`, and may hold their index.
        keep: Says of a name without prefix whether it is wanted; others are not read.

    Raises:
        ConfigError: There are none, or a file is damaged.
    """
    found: dict[str, Tensor] = {}
    for file in opened(folder, "pt"):
        for name in file.keys():  # noqa: SIM118 - not a mapping
            short = name.removeprefix(prefix)
            if name.startswith(prefix) and keep(short):
                found[short] = file.get_tensor(name)
    if not found:
        raise ConfigError(str(folder), [f"no weights `{prefix}*` in its files `*.safetensors`"])
    return found


@torch.no_grad()
def load_weights(module: nn.Module, weights: Mapping[str, Tensor], source: str) -> None:
    """Copy each tensor into the parameter or buffer of its name, in that one's dtype and place.

    Raises:
        ConfigError: Lists the names that are missing, that nothing uses, or that have another shape.
    """
    own = module.state_dict()
    check_names(own, weights, source)
    wrong = [
        f"{name} is {tuple(weights[name].shape)}, not {tuple(own[name].shape)}"
        for name in own
        if weights[name].shape != own[name].shape
    ]
    if wrong:
        raise ConfigError(source, [f"weights of another shape: {some(wrong)}"])
    for name, tensor in own.items():
        tensor.copy_(weights[name])
