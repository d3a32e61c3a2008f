"""The example of a stage configuration that vLLM-Omni publishes, of Qwen2.5-Omni, read as one of Qwen3-Omni."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.deployment.loading import read_deployment
from pipeline.errors import ConfigError
from pipeline.runtime.profiles import PROFILES

EXAMPLE = Path(__file__).with_name("qwen2_5_omni.yaml")
OMNI = PROFILES["qwen3_omni"]
REFUSED = {  # by stage: what cannot hold here
    "0": {"worker_type", "scheduler_cls", "trust_remote_code", "model_arch"},
    "1": {"worker_type", "scheduler_cls", "trust_remote_code", "model_arch", "detokenize", "stop_token_ids"}
    | {"custom_process_input_func"},
    "2": {"worker_type", "scheduler_cls", "trust_remote_code", "model_arch", "enforce_eager"}
    | {"temperature", "top_p", "top_k", "max_tokens", "seed", "detokenize", "repetition_penalty"},
    "3": {"gpu_memory_utilization"},  # of the recogniser, which the example has not
}


def test_each_key_that_cannot_hold_is_refused_by_name_and_no_other() -> None:
    with pytest.raises(ConfigError) as refused:
        read_deployment(EXAMPLE, OMNI.topology, OMNI.engine_keys(Path()))
    found: dict[str, set[str]] = {}
    others = []
    for fault in refused.value.faults:
        if named := re.match(r"stage (\d): [^`]*`(\w+)`", fault):
            found.setdefault(named[1], set()).add(named[2])
        else:
            others.append(fault)
    assert found == REFUSED
    assert [fault.split(" ")[0] for fault in others] == ["`max_sessions`"]


def test_what_is_left_holds(tmp_path: Path) -> None:
    told: dict[str, Any] = yaml.safe_load(EXAMPLE.read_text())
    for stage in told["stage_args"]:
        for part in (stage, stage["engine_args"], stage["default_sampling_params"]):
            for key in REFUSED[str(stage["stage_id"])] & part.keys():
                del part[key]
    told["stage_args"][0]["engine_args"]["gpu_memory_utilization"] = 0.6
    told["stage_args"].append({"stage_id": 3, "engine_args": {"gpu_memory_utilization": 0.1}})
    (tmp_path / "left.yaml").write_text(yaml.safe_dump(told | {"max_sessions": 1}))
    deployment = read_deployment(tmp_path / "left.yaml", OMNI.topology, OMNI.engine_keys(tmp_path))
    talker = deployment.stage(1)
    assert (talker.devices, talker.max_batch_size, talker.engine_args["enforce_eager"]) == ((1,), 3, True)
    assert {key: talker.sampling[key] for key in ("temperature", "top_p", "top_k", "stop_token_ids")} == {
        "temperature": 0.9,
        "top_p": 0.8,
        "top_k": 40,
        "stop_token_ids": [2150],
    }
    assert talker.edge.window_size == deployment.stage(2).edge.window_size == -1, "each begins when the one before ends"
