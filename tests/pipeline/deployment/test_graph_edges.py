"""What a deployment file says of the edges of a graph."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.deployment.loading import Deployment, Edge, read_deployment
from pipeline.errors import ConfigError
from pipeline.topology.config import PipelineConfig, StagePipelineConfig
from pipeline.topology.processors.handover import talker2code2wav_async_chunk, talker2code2wav_full_payload
from tests.pipeline.topology.test_config import AR, CODE2WAV, prompts

THINKER = StagePipelineConfig(
    0, "thinker", AR, (), "latent", "Thinker",
    final_output=True, final_output_type="text", hears=True, custom_process_input_func=prompts,
)  # fmt: skip
TALKER = StagePipelineConfig(
    1, "talker", AR, (0,), "latent", "Talker",
    custom_process_input_func=prompts,
    async_chunk_process_next_stage_input_func=talker2code2wav_async_chunk,
    custom_process_next_stage_input_func=talker2code2wav_full_payload,
)  # fmt: skip
TALKER_ALONE = replace(
    TALKER, async_chunk_process_next_stage_input_func=None, custom_process_next_stage_input_func=None
)
DECODER = replace(CODE2WAV, stage_id=2, input_sources=(1,), custom_process_input_func=None)
OMNI = PipelineConfig("omni", "Thinker", (THINKER, TALKER, DECODER))


def read(folder: Path, topology: PipelineConfig, **file: Any) -> Deployment:
    path = folder / "omni.yaml"
    path.write_text(yaml.safe_dump({"max_sessions": 1, **file}))
    return read_deployment(path, topology, {})


def test_async_chunk_hands_hidden_states_on_as_they_come_and_cuts_codec_frames(tmp_path: Path) -> None:
    deployment = read(tmp_path, OMNI, async_chunk=True)
    assert deployment.stage(1).edge.window_size == 1
    assert deployment.stage(2).edge.chunks, "a ramp of frames"


def test_without_async_chunk_all_is_handed_on_once_it_is_complete(tmp_path: Path) -> None:
    deployment = read(tmp_path, OMNI, async_chunk=False, runtime={"defaults": {"window_size": 1}})
    assert [deployment.stage(at).edge for at in (1, 2)] == [Edge(), Edge()]


def test_async_chunk_that_decides_of_no_frames_changes_nothing(tmp_path: Path) -> None:
    own = PipelineConfig(
        "omni", "Thinker", (THINKER, TALKER_ALONE, replace(DECODER, custom_process_input_func=prompts))
    )
    with pytest.raises(ConfigError, match="`async_chunk` changes nothing: talker makes its prompts itself"):
        read(tmp_path, own, async_chunk=True)


def test_all_that_a_stage_reads_is_handed_on_alike(tmp_path: Path) -> None:
    joins = replace(DECODER, input_sources=(0, 1), custom_process_input_func=prompts)
    topology = PipelineConfig("omni", "Thinker", (THINKER, TALKER_ALONE, joins))
    edges = [{"from": 0, "to": 2, "window_size": 1}, {"from": 1, "to": 2, "window_size": 4}]
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, topology, runtime={"edges": edges})
    assert refused.value.faults == [
        "runtime: stage 1 to stage 2: all that stage 2 reads has one `window_size` and one `max_inflight`"
    ]
    alike = read(tmp_path, topology, runtime={"edges": [{**each, "window_size": 4} for each in edges]})
    assert alike.stage(2).edge == Edge(4)
