"""This module divides the wait for an answer among the stages of the turn: each millisecond counts once. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

MOST_MOMENTS = 32  # of a pipeline, which names them; those that come first
LONGEST_NAME = 40  # letters


@dataclass(frozen=True, slots=True)
class StageTimings:
    """The timings say what a person waited for, and how long each stage took.

    Attributes:
        waited_ms: What was waited for, in order; the sum is all of the wait, from the end of speech (of what was
            written: from the request) until playback began. What was done before it was asked for is 0.
        took_ms: What each stage took by itself, whether or not anybody waited for it.
        moments_ms: When what happened that is known, in order, from the same beginning as the wait: what the pipeline
            tells, and `asked`, `sounded` and `played` of the agent; below 0: before anybody waited.
    """

    waited_ms: Mapping[str, int] = field(default_factory=dict)
    took_ms: Mapping[str, int] = field(default_factory=dict)
    moments_ms: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnswerMoments:
    """When what happened to an answer, in seconds on the agent's clock.

    Attributes:
        speech_end: When the person was last heard to speak; None: they wrote, or have not stopped.
        sounded_at: When the answer's first sound came.
        played_at: When it was played.
    """

    asked_at: float
    sounded_at: float
    played_at: float
    speech_end: float | None = None


def stage_timings(answer: AnswerMoments, pipeline: Mapping[str, float]) -> StageTimings:
    """Return the timings of an answer.

    `endpointing` lasts until the answer is asked for: by then it was certain that the person had finished. `asr` lasts
    until all that they said is made out, then each stage until its first chunk. `wire` is what there is between the
    request and the first sound beyond that: both ways to the pipeline, and in it until the sound leaves. `playback` is
    what comes after.

    Args:
        pipeline: The timings of the pipeline, in seconds on a clock of its own; without `created` nothing is known.
    """
    if "created" not in pipeline:
        return StageTimings()
    since = answer.asked_at if answer.speech_end is None else answer.speech_end
    asked, sounded = _ms(answer.asked_at - since), _ms(answer.sounded_at - since)
    waited: dict[str, int] = {} if answer.speech_end is None else {"endpointing": asked}
    reached = asked
    for stage, at in _ends(pipeline):
        until = min(max(reached, asked + _ms(at - pipeline["created"])), sounded)
        waited[stage], reached = until - reached, until
    waited["wire"] = sounded - reached
    waited["playback"] = _ms(answer.played_at - since) - sounded
    moments = {name: asked + _ms(at - pipeline["created"]) for name, at in pipeline.items() if name != "created"}
    ours = {"asked": asked, "sounded": sounded, "played": _ms(answer.played_at - since)}
    return StageTimings(waited, _took(pipeline), _in_order(moments, MOST_MOMENTS) | ours)


def _in_order(moments: Mapping[str, int], most: int) -> dict[str, int]:
    """Return the first of them, names that are too long left out."""
    named = [(at, name) for name, at in moments.items() if len(name) <= LONGEST_NAME]
    return {name: at for at, name in sorted(named)[:most]}


def _ends(pipeline: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Yield when each stage had something for the next one, in the order of the stages."""
    if "heard" in pipeline:
        yield "asr", pipeline["heard"]
    stages = _stages(pipeline)
    for stage in stages:
        last = "first_text" if stage == stages[0] else "first_pcm"
        at = pipeline.get(f"{stage}_first", pipeline.get(last))
        if at is not None:
            yield stage, at


def _stages(pipeline: Mapping[str, float]) -> list[str]:
    """Return the stages behind the recogniser: the first writes, the last speaks."""
    began = sorted((at, name) for name, at in pipeline.items() if name.endswith("_began"))
    return [name.removesuffix("_began") for _, name in began]


def _took(pipeline: Mapping[str, float]) -> dict[str, int]:
    began = {stage: pipeline[f"{stage}_began"] for stage in _stages(pipeline)}
    if "speech_end" in pipeline:
        began["asr"] = pipeline["speech_end"]
    return {stage: max(0, _ms(at - began[stage])) for stage, at in _ends(pipeline) if stage in began}


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
