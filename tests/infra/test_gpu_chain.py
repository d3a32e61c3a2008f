"""What the measurement of the whole chain is made of: the sound, and the deployment."""

import argparse
import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soxr
import yaml

from agent.livekit.session_settings import PipelineSessionSettings
from agent.persona.persona import AURA
from infra.bench.load.answer import Served
from pipeline.deployment.loading import read_deployment
from pipeline.runtime.metrics import Metrics
from pipeline.runtime.profiles import PROFILES, silero
from pipeline.types.chunks import DraftOutcome
from pipeline.types.events.input_events import EarlyAnswersEnded, TranscriptionCompleted
from tests.gpu.chain_measures import SESSION, summary
from tests.gpu.chain_model import SHIPPED, TOKENS, write_deployment
from tests.gpu.chain_outliers import outliers
from tests.gpu.chain_server import drafts
from tests.gpu.made_up import STAT_LOGGER, add_server_arguments, made_up_from
from tests.gpu.speech import RATE, speech

VLLM = PROFILES["vllm"]
FRAME_S = 0.032


def test_voice_activity_detection_takes_the_sound_for_speech_from_its_beginning_to_its_end() -> None:
    sound = np.frombuffer(speech(3.0), "<i2").astype(np.float32) / 32_768
    assert len(sound) == 3 * RATE
    quiet = np.zeros(RATE // 2, np.float32)
    heard = np.asarray(soxr.resample(np.concatenate([quiet, sound, quiet]), RATE, 16_000), np.float32)
    likely = np.asarray(asyncio.run(silero()().feed(heard)))  # on a thread: not on virtual time
    begins, ends = round(0.5 / FRAME_S), round(3.5 / FRAME_S)
    assert (likely[begins + 3 : ends - 3] > 0.35).all()
    assert (likely[: begins - 1] < 0.2).all() and (likely[ends + 3 :] < 0.2).all()


@pytest.mark.parametrize(("asked", "watched", "words"), [((), True, "steady"), (("--unwatched",), False, "changing")])
def test_what_is_asked_of_a_server_is_what_it_is_started_with(
    asked: tuple[str, ...], watched: bool, words: str, tmp_path: Path
) -> None:
    parser = argparse.ArgumentParser()
    add_server_arguments(parser)
    args = parser.parse_args(["--tiny", "--words", words, "--heard", "9", "--caches", str(tmp_path), *asked])
    with made_up_from(args) as place:
        (points,) = place.deployment.parent.rglob("entry_points.txt")
        told = points.read_text()
        (asr,) = (each for each in yaml.safe_load(place.deployment.read_text())["stage_args"] if not each["stage_id"])
        assert (STAT_LOGGER in told) is watched and f":{words}" in told
        assert asr["default_sampling_params"]["max_tokens"] == 9
        assert place.env["TRITON_CACHE_DIR"].startswith(str(tmp_path))


def test_a_turn_that_took_much_longer_is_told_with_its_steps_and_how_late_the_servers_event_loop_was() -> None:
    usual = [served(turn, first_s=0.14, heard_s=0.06) for turn in range(1, 6)]
    slow = served(6, first_s=0.4, heard_s=0.3)
    silent = replace(slow, turn=7, first_audio=None)
    late = [(58.0, 0.5), (60.2, 0.001), (61.2, 0.02), (63.0, 0.7)]
    assert outliers([*usual, slow, silent], late) == [
        {
            "turn": 6,
            "at_s": 60.0,
            "first_ms": 400.0,
            "usual_ms": 140.0,
            "loop_lag_ms": 20.0,
            "steps_ms": {
                "created → committed": 0.0,
                "committed → aura": 300.0,
                "aura → first_sent": 70.0,
                "wire": 30.0,
            },
            "shares": {"created → committed": 0.0, "committed → aura": 0.75, "aura → first_sent": 0.18, "wire": 0.08},
            "usual_steps_ms": {
                "created → committed": 0.0,
                "committed → aura": 60.0,
                "aura → first_sent": 70.0,
                "wire": 10.0,
            },
        }
    ]
    assert outliers(usual, late) == outliers([silent], late) == []
    assert outliers([*usual, slow], [])[0]["loop_lag_ms"] is None


def test_answers_that_begin_with_a_full_stop_are_told_apart() -> None:
    words = [Served(0.0, "completed", None, first_s, 1.0, 2.0, (), text_begins="The") for first_s in (0.04, 0.05)]
    stop = Served(0.0, "completed", None, 0.2, 1.0, 2.0, (), text_begins=".")
    row = summary([*words, stop])
    assert (row["n"], row["first_ms_p95"]) == (3, 200.0)
    assert (row["worded"], row["worded_ms_p50"], row["worded_ms_p95"]) == (2, 40.0, 50.0)
    assert (summary(words)["worded"], summary([stop])["worded"]) == (2, 0)


def served(turn: int, first_s: float, heard_s: float) -> Served:
    """A turn at ten times its number, in seconds."""
    at = 10.0 * turn
    moments = {"created": at, "committed": at, "aura": at + heard_s, "first_sent": at + heard_s + 0.07}
    return Served(at, "completed", None, first_s, 1.0, 2.0, (), moments=moments, turn=turn)


def test_what_became_of_the_drafts_meanwhile_is_read_from_two_pages_of_metrics() -> None:
    metrics, heard = Metrics(), [DraftOutcome(6, 6), None, DraftOutcome(8, 5), DraftOutcome(11, 11)]
    before = [page(metrics, [])]
    before += [page(metrics, [draft]) for draft in heard]
    assert drafts(before[1], before[4]) == {
        "none_passes": 1, "right_passes": 1, "wrong_passes": 1, "draft_tokens": 19, "accepted_tokens": 16,
        "adopted_early": 0, "discarded_early": 0, "right_share": 0.5,
    }  # fmt: skip
    assert drafts(before[4], before[4])["right_share"] is None


def test_what_became_of_the_early_answers_meanwhile_is_read_from_them_too() -> None:
    metrics = Metrics()
    before = page(metrics, [])
    metrics.happened(EarlyAnswersEnded("item", adopted=2, discarded=1))
    told = drafts(before, metrics.page().decode())
    assert (told["adopted_early"], told["discarded_early"]) == (2, 1)


def page(metrics: Metrics, heard: list[DraftOutcome | None]) -> str:
    metrics.happened(TranscriptionCompleted("item", "Hello.", 1.0, tuple(heard)))
    return metrics.page().decode()


def test_its_callers_are_heard_while_they_speak_as_an_agents_are() -> None:
    asked = PipelineSessionSettings(AURA, spoken=True, camera=True).session()["aura"]
    assert SESSION["aura"].items() <= asked.items()
    assert SESSION["aura"]["partials"]


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
