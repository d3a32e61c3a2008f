"""What the measurement of the whole chain is made of: the sound, and the deployment."""

from pathlib import Path

import numpy as np
import soxr
import yaml

from pipeline.deployment import read_deployment
from pipeline.profiles import PROFILES, silero
from tests.gpu.chain_model import SHIPPED, TOKENS, write_deployment
from tests.gpu.speech import RATE, speech

VLLM = PROFILES["vllm"]
FRAME_S = 0.032


async def test_voice_activity_detection_takes_the_sound_for_speech_from_its_beginning_to_its_end() -> None:
    sound = np.frombuffer(speech(3.0), "<i2").astype(np.float32) / 32_768
    assert len(sound) == 3 * RATE
    quiet = np.zeros(RATE // 2, np.float32)
    heard = np.asarray(soxr.resample(np.concatenate([quiet, sound, quiet]), RATE, 16_000), np.float32)
    likely = np.asarray(await silero()().feed(heard))
    begins, ends = round(0.5 / FRAME_S), round(3.5 / FRAME_S)
    assert (likely[begins + 3 : ends - 3] > 0.35).all()
    assert (likely[: begins - 1] < 0.2).all() and (likely[ends + 3 :] < 0.2).all()


def test_only_weights_and_lengths_differ_from_the_deployment_that_is_shipped(tmp_path: Path) -> None:
    write_deployment(tmp_path / "copy.yaml", tiny=False)
    keys = VLLM.engine_keys(tmp_path)
    read_deployment(tmp_path / "copy.yaml", VLLM.topology, keys)
    shipped, copy = (yaml.safe_load(path.read_text()) for path in (SHIPPED, tmp_path / "copy.yaml"))
    for stage in copy["stage_args"]:
        assert stage["engine_args"].pop("load_format") == "dummy"
        if (name := stage["engine_args"]["model_stage"]) in TOKENS:
            assert stage["default_sampling_params"].pop("max_tokens") == TOKENS[name]
    shipped["stage_args"][1]["default_sampling_params"].pop("max_tokens")
    assert copy == shipped
