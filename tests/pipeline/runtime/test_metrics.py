"""As what an answer is counted when it has ended, and how much video is not seen."""

import pytest

from pipeline.runtime.metrics import Metrics
from pipeline.types.events.input_events import VideoSkipped
from pipeline.types.events.response_events import ResponseDone
from pipeline.types.history import Item
from pipeline.types.turn_request import ResponseOptions

WORDS = Item("words", "assistant", "Paris.")
CALL = Item("call", "assistant", "{}", kind="function_call", call_id="1", name="look")


@pytest.mark.parametrize(
    ("output", "status"),
    [((), "silent"), ((WORDS,), "completed"), ((CALL,), "completed"), ((WORDS, CALL), "completed")],
    ids=["silence", "words", "a call", "words and a call"],
)
def test_only_an_answer_without_words_and_calls_is_silence(output: tuple[Item, ...], status: str) -> None:
    metrics = Metrics()
    metrics.happened(ResponseDone("resp", ResponseOptions(), {}, "completed", output))
    counted = [line for line in metrics.page().decode().splitlines() if line.startswith("aura_responses_total")]
    assert [line for line in counted if not line.endswith(" 0.0")] == [f'aura_responses_total{{status="{status}"}} 1.0']


def test_seconds_of_video_that_were_not_seen_are_counted() -> None:
    metrics = Metrics()
    assert "aura_video_skipped_seconds_total 0.0" in metrics.page().decode()
    metrics.happened(VideoSkipped(3))
    assert "aura_video_skipped_seconds_total 3.0" in metrics.page().decode()
