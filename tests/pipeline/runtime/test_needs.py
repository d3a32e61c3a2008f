"""What a package's pipeline needs is looked for by name before an engine starts."""

from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.deployment.loading import read_deployment
from pipeline.errors import ConfigError
from pipeline.runtime.checks.preflight import preflight
from pipeline.runtime.profiles import PROFILES, ModelNeed, Profile

CODEBOOK = ModelNeed("codebook/table.bin", "pip install voice-tables")


def looked_at(profile: Profile, models_dir: Path) -> list[str]:
    deployment = read_deployment(profile.deployment, profile.topology, profile.engine_keys(models_dir))
    with pytest.raises(ConfigError) as refused:
        preflight("file", profile, deployment, models_dir, ())
    return refused.value.faults


def test_a_need_that_is_not_there_is_named_with_where_it_can_be_had(tmp_path: Path) -> None:
    profile = replace(PROFILES["embedded"], needs=(CODEBOOK,))
    fault = f"`codebook/table.bin` is not in {tmp_path}: pip install voice-tables"
    assert fault in looked_at(profile, tmp_path)
    (tmp_path / "codebook").mkdir()
    (tmp_path / "codebook" / "table.bin").touch()
    assert fault not in looked_at(profile, tmp_path)
