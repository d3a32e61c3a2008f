"""Writes down which checkpoints a deployment file for GPUs names; runs in a venv that has the pipeline."""

import json
import sys
from pathlib import Path

from pipeline.deployment.loading import read_deployment
from pipeline.errors import ConfigError
from pipeline.runtime.profiles import PROFILES


def write_names(file: Path, models: Path, into: Path) -> None:
    """Writes the names of the checkpoints that a deployment's file names, each once.

    Args:
        models: The folder of the checkpoints.
        into: Gets a list (JSON).

    Raises:
        ConfigError: The file is wrong.
    """
    profile = PROFILES["vllm"]
    deployment = read_deployment(file, profile.topology, profile.engine_keys(models))
    names = [str(stage.engine_args["model"]) for stage in deployment.stages]
    into.write_text(json.dumps(list(dict.fromkeys(names))))


if __name__ == "__main__":
    try:
        write_names(*map(Path, sys.argv[1:]))
    except ConfigError as error:
        sys.exit(str(error))
