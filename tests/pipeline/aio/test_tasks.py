"""What went wrong first is what is told."""

from pipeline.aio.tasks import first
from pipeline.errors import EngineError


def test_of_failures_that_follow_from_each_other_the_first_is_told() -> None:
    cause, effect, other = (EngineError(stage, "failed") for stage in ("aura", "tts", "asr"))
    assert first(ExceptionGroup("", [ExceptionGroup("", [cause, effect]), other])) is cause
