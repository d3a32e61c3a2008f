"""Writes down which checkpoints a deployment names; runs in a venv that has the pipeline."""

import json
import sys
from pathlib import Path

from pipeline.deployment.loading import read_deployment
from pipeline.errors import ConfigError
from pipeline.runtime.profiles import PROFILES


def write_names(name: str, models: Path, into: Path, file: Path | None = None) -> None:
    """Writes the names of the checkpoints that a deployment names, each once.

    Args:
        name: The profile.
        models: The folder of the checkpoints.
        into: Gets a list (JSON).
        file: Of the deployment; None: the profile's own.

    Raises:
        ConfigError: The file is wrong, or there is no such profile.
    """
    if name not in PROFILES:
        raise ConfigError("", [f"there is no profile `{name}` in {sys.prefix}: install its package there"])
    profile = PROFILES[name]
    deployment = read_deployment(file or profile.deployment, profile.topology, profile.engine_keys(models))
    names = [str(stage.engine_args["model"]) for stage in deployment.stages if "model" in stage.engine_args]
    into.write_text(json.dumps(list(dict.fromkeys(names))))


if __name__ == "__main__":
    try:
        write_names(sys.argv[1], *map(Path, sys.argv[2:]))
    except ConfigError as error:
        sys.exit(str(error))
