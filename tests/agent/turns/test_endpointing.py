"""The numbers of taking turns, and that nothing outside this machine is asked."""

import pytest

from agent.livekit.send_queue import MOST_INPUT
from agent.turns.endpointing import TURNS, CallerKind, turn_handling, voice_activity
from agent.turns.voice_level import NearVoice


class Words:
    """Knows nothing."""

    async def words_over(self, until: float) -> bool | None:
        return None

    @property
    def sentence_end(self) -> None:
        return None

    @property
    def words_short(self) -> bool:
        return True

    @property
    def unfinished(self) -> None:
        return None

    async def sound_vote(self, until: float) -> float | None:
        return None


@pytest.mark.parametrize("kind", list(TURNS))
def test_the_end_of_a_turn_is_found_on_this_machine(kind: CallerKind, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LIVEKIT_REMOTE_EOT_URL", "LIVEKIT_INFERENCE_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET"):
        monkeypatch.setenv(name, "wss://cloud.invalid")  # with which LiveKit would rather ask its cloud
    handling = turn_handling(TURNS[kind], Words(), lambda *_: None)
    detector = handling["turn_detection"]
    assert getattr(detector, "model", None) == "turn-detector-v1-mini"
    assert handling["interruption"]["mode"] == "vad"
    assert handling["interruption"]["discard_audio_if_uninterruptible"] is False
    assert handling["preemptive_generation"] == {"enabled": False}


@pytest.mark.parametrize("kind", list(TURNS))
def test_the_numbers_fit_together(kind: CallerKind) -> None:
    turns = TURNS[kind]
    assert turns.silence_s >= 0.2  # the end-of-turn model looks at that much
    ends = (
        turns.early_end_s,
        turns.end_s,
        turns.words_end_s,
        turns.sound_end_s,
        turns.doubted_end_s,
        turns.longest_end_s,
    )
    assert turns.silence_s < ends[0] and ends[-1] < turns.label_s
    assert list(ends) == sorted(ends)
    assert ends[-1] < turns.unlikely_end_s < turns.hold_end_s < turns.label_s
    assert turns.interrupt_s == 5 * 0.032  # frames of voice activity
    assert (
        turns.silence_s + turns.go_on_s < 1.0
    )  # an answer that a sound without words has paused goes on within a second
    assert turns.go_on_s < turns.resume_s
    assert turns.frame_ms * MOST_INPUT == 10_000  # of sound is kept while the pipeline is away
    assert voice_activity(turns, NearVoice()).min_silence_duration == turns.silence_s


def test_only_the_browser_has_a_camera() -> None:
    assert [kind for kind, turns in TURNS.items() if turns.camera] == ["browser"]
