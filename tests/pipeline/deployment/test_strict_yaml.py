"""Whatever a YAML file holds, what is wrong with it is one line with its place."""

import random
from pathlib import Path

import pytest

from pipeline.deployment.loading import read_deployment
from pipeline.deployment.strict_yaml import read_yaml
from pipeline.errors import ConfigError
from pipeline.runtime.profiles import DEPLOY, PROFILES

NINES = 5_000 * "9"
FILES = {"aura_80gb.yaml": "vllm", "embedded.yaml": "embedded"}
ODD = (
    *("[2]", "{}", "{a: [1]}", "{b}", "[", "2020-13-45", "2020-01-01", "!!int x", "!!float", "!!map x", "!!set {a}"),
    *(NINES, ".nan", ".inf", "0.5", "-1", "true", "~", "''", "&a [*a]", "&b {c: *b}", "*x", "<<", "? [1] : 2"),
    *('"\\0"', '"\\uD800"', '"two\\nlines"'),
)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("2020-13-45", "line 2, column 4: '2020-13-45' is no timestamp"),
        ("2020-01-02", "line 2, column 4: '2020-01-02' is a date: if a text is meant, put it in quotation marks"),
        ("!!int abc", "line 2, column 4: 'abc' is no int"),
        ("!!set {b}", "line 2, column 4: this is a set: if a text is meant, put it in quotation marks"),
        (".inf", "line 2, column 4: '.inf' is no number that anything here could use"),
        (3_000 * "[" + 3_000 * "]", "line 2, column 36: lists and mappings stand more than 32 deep in one another"),
        (NINES, f"line 2, column 4: '{57 * '9'}...{58 * '9'}' is no int"),
        ('"\\uD800"', "line 2, column 4: '\\ud800' is no str"),
        ("[1", "line 2, column 6: while parsing a flow sequence, expected ',' or ']', but got '<stream end>'"),
    ],
)
def test_what_is_no_plain_value_is_refused_with_its_line(tmp_path: Path, value: str, fault: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"one: 1\na: {value}")
    with pytest.raises(ConfigError) as refused:
        read_yaml(path)
    assert str(refused.value) == f"{path}: cannot be read: {fault}"


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_put_into_a_shipped_file_every_fault_is_one_short_line(tmp_path: Path, seed: int) -> None:
    sampling_defaults, path = random.Random(seed), tmp_path / "mine.yaml"
    for file, profile in FILES.items():
        topology, keys = PROFILES[profile].topology, PROFILES[profile].engine_keys(tmp_path)
        for _ in range(8):
            path.write_text(mutated((DEPLOY / file).read_text(), sampling_defaults))
            try:
                read_deployment(path, topology, keys)
            except ConfigError as error:
                assert all(len(fault) < 1_500 and fault.isprintable() for fault in error.faults)


def mutated(text: str, sampling_defaults: random.Random) -> str:
    """With something odd in up to three places where values stand, or a line out of place."""
    lines = text.splitlines()
    for _ in range(sampling_defaults.randint(1, 3)):
        at = sampling_defaults.randrange(len(lines))
        before, colon, after = lines[at].partition(": ")
        match sampling_defaults.randrange(4):
            case 0:
                lines.insert(sampling_defaults.randrange(len(lines)), lines.pop(at))
            case 1:
                lines[at] = f"{sampling_defaults.choice(ODD)}: {after}"
            case _:
                values = after.split(", ")
                values[sampling_defaults.randrange(len(values))] = sampling_defaults.choice(ODD)
                lines[at] = before + colon + ", ".join(values)
    return "\n".join(lines)
