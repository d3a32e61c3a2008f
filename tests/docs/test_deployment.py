"""`docs/deployment.md` names every key of a deployment file, of every engine, with its default, and no other."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.deployment.loading import Deployment, read_deployment
from pipeline.deployment.schema import (
    CHUNK_KEYS,
    CONNECTOR_KEYS,
    EDGE_KEYS,
    NEEDED,
    PLACE_KEYS,
    RUNTIME_KEYS,
    SAMPLING_KEYS,
    STAGE_KEYS,
    TOP_KEYS,
    TOPOLOGY_KEYS,
    WINDOW_KEYS,
    Key,
    Keys,
)
from pipeline.runtime.profiles import PROFILES, Profile
from tests.docs.tables import DOCS, Row, names, tables

PAGE = DOCS / "deployment.md"
ENGINES = {
    "vllm": "`engine_args` on GPUs",
    "qwen3_omni": "`engine_args` of Qwen3-Omni",
    "embedded": "`engine_args` of the embedded profile",
    "embedded-chat": "`engine_args` with a language model of your own",
}
OF_FILES: Mapping[str, Keys] = {
    "The keys of a file": TOP_KEYS,
    "The keys of a stage": {
        **{name: key for name, key in STAGE_KEYS.items() if name != "runtime"},
        **{f"runtime.{name}": key for name, key in PLACE_KEYS.items()},
    },
    "`default_sampling_params`": SAMPLING_KEYS,
    "`runtime` of the file": {
        **{name: key for name, key in RUNTIME_KEYS.items() if key.kind is bool},
        **{f"defaults.{name}": key for name, key in WINDOW_KEYS.items()},
        **{f"edges[].{name}": key for name, key in EDGE_KEYS.items()},
        **{f"connectors.NAME.extra.{name}": key for name, key in CHUNK_KEYS.items()},
    },
}


@pytest.mark.parametrize("heading", OF_FILES)
def test_every_key_of_a_file_is_there_with_its_default_and_no_other(heading: str) -> None:
    written = {names(row[0])[0]: default_in(row[1]) for row in tables(PAGE)[heading]}
    assert written == {name: shown_of(key) for name, key in OF_FILES[heading].items()}


def test_every_part_of_the_runtime_is_there() -> None:
    written = [names(row[0])[0].split(".") for row in tables(PAGE)["`runtime` of the file"]]
    assert {path[0].removesuffix("[]") for path in written} == set(RUNTIME_KEYS)
    assert {path[2] for path in written if path[0] == "connectors"} == set(CONNECTOR_KEYS)


@pytest.mark.parametrize("profile", PROFILES)
def test_every_key_of_every_engine_is_there_with_its_default_and_no_other(profile: str, tmp_path: Path) -> None:
    held = deployment(PROFILES[profile], tmp_path)
    there = {
        (stage, name): shown(held.stage(stage_id).engine_args.get(name))
        for stage, (stage_id, keys) in engines(PROFILES[profile]).items()
        for name in keys
    }
    written = {(stage, name): default_in(row[2]) for stage, name, row in engine_rows(profile)}
    assert written == there


@pytest.mark.parametrize("profile", PROFILES)
def test_every_word_that_a_key_is_said_to_take_is_taken(profile: str) -> None:
    keys = {stage: keys for stage, (_, keys) in engines(PROFILES[profile]).items()}
    refused = [
        f"{stage}: {name}: {word}"
        for stage, name, row in engine_rows(profile)
        for word in names(row[3])
        if keys[stage][name].kind is str and keys[stage][name].refusal(word)
    ]
    assert refused == []


def engine_rows(profile: str) -> Iterator[tuple[str, str, Row]]:
    """Each key of each stage that a table of engines names, and its row."""
    for row in tables(PAGE)[ENGINES[profile]]:
        yield from ((stage, names(row[0])[0], row) for stage in names(row[1]))


def engines(profile: Profile) -> Mapping[str, tuple[int, Keys]]:
    """What each stage's engine may be told, by the name of the stage, with its id."""
    return {
        spec.model_stage: (spec.stage_id, {**TOPOLOGY_KEYS, **profile.engines[spec.model_arch].keys.keys})
        for spec in profile.topology.stages
    }


def deployment(profile: Profile, folder: Path) -> Deployment:
    """What holds where a file is silent, each engine on a GPU of its own."""
    keys = {arch: kind.keys for arch, kind in profile.engines.items()}
    placed = [spec.stage_id for spec in profile.topology.stages if keys[spec.model_arch].placed]
    stages = [{"stage_id": stage_id, "runtime": {"devices": str(stage_id)}} for stage_id in placed]
    path = folder / "silent.yaml"
    path.write_text(yaml.safe_dump({"max_sessions": 1, "stage_args": stages}), encoding="utf-8")
    return read_deployment(path, profile.topology, keys)


def default_in(cell: str) -> str:
    """A default that stands in a cell; words about one are none."""
    return next(iter(names(cell)), "needed" if cell == "needed" else "")


def shown_of(key: Key) -> str:
    return "needed" if key.default is NEEDED else shown(key.default)


def shown(default: Any) -> str:
    match default:
        case None:
            return ""
        case bool():
            return str(default).lower()
        case float():
            return f"{default:g}"
        case _:
            return str(default)
