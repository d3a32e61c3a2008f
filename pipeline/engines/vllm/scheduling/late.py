"""Schedules each step of an engine shortly before the one that runs ends, so that it holds what came meanwhile.

vLLM's own schedules the next step when one begins: whoever comes then waits for the rest of that step, and for all of
the next one.
"""

import time
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from vllm.platforms import current_platform
from vllm.v1.core.sched.async_scheduler import AsyncScheduler
from vllm.v1.core.sched.output import SchedulerOutput
from vllm.v1.engine.core import EngineCoreProc

from pipeline.engines.vllm.scheduling.question_first import QuestionFirstScheduler
from pipeline.engines.vllm.scheduling.step_forecast import StepForecast

AHEAD_MS = "schedule_ahead_ms"  # of vLLM's `additional_config`
SLICE_S = 0.0005  # after which it is looked whether the step has ended earlier than was foreseen
LONGEST_S = 0.2
ALIKE = 16  # tokens of a step: steps that differ by less take about as long


class Late:
    """Goes before a scheduler of vLLM's: foresees steps, and lets the engine wait before it looks for requests."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ahead_ms = self.vllm_config.additional_config[AHEAD_MS]  # type: ignore[attr-defined]
        self.forecast = StepForecast(ahead_ms / 1000)
        self.is_late = False
        if current_platform.is_cuda_alike():
            _wait_before_requests()

    def schedule(self, throttle_prefills: bool = False) -> SchedulerOutput:
        output: SchedulerOutput = super().schedule(throttle_prefills)  # type: ignore[misc]
        size = -(-output.total_num_scheduled_tokens // ALIKE), len(output.scheduled_encoder_inputs)
        self.forecast.begin(size, time.monotonic())  # noqa: TID251
        return output

    def update_from_output(self, *args: Any, **kwargs: Any) -> Any:
        self.forecast.end(time.monotonic(), is_late=self.is_late)  # noqa: TID251
        self.is_late = False
        return super().update_from_output(*args, **kwargs)  # type: ignore[misc]


class LateScheduler(Late, AsyncScheduler):
    """vLLM's own, later."""


class LateQuestionFirstScheduler(Late, QuestionFirstScheduler):
    """`QuestionFirstScheduler`, later: a question waits for the step that is going on, and for no other."""


def _wait_before_requests() -> None:
    """Let the engine's loop wait before it takes in requests; the next thing that it does is to schedule a step."""
    inner: Callable[[EngineCoreProc], None] = EngineCoreProc._process_input_queue
    if hasattr(inner, "__wrapped__"):
        return

    @wraps(inner)
    def process_input_queue(core: EngineCoreProc) -> None:
        if isinstance(core.scheduler, Late) and core.batch_queue:
            running = core.batch_queue[-1][0]
            _wait(core.scheduler.forecast, running)
            running.result = partial(_result, core.scheduler, running, running.result)
        inner(core)

    EngineCoreProc._process_input_queue = process_input_queue


def _wait(forecast: StepForecast, running: Any) -> None:
    """Until the next step is due, or the running one has ended."""
    due = min(forecast.due(), time.monotonic() + LONGEST_S)  # noqa: TID251
    while (left := due - time.monotonic()) > 0 and not _has_ended(running):  # noqa: TID251
        time.sleep(min(left, SLICE_S))


def _result(scheduler: Late, running: Any, inner: Callable[[], Any]) -> Any:
    """The result of a step, which the next one has been launched behind by now; notes if the GPU waited for that."""
    scheduler.is_late = _has_ended(running)
    return inner()


def _has_ended(running: Any) -> bool:
    """Whether the result of a step is on its host."""
    event = getattr(getattr(running, "async_output", None), "copy_event", None)
    return bool(running.done() or (event is not None and event.query()))
