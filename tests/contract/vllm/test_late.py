"""Steps that are put together late: the real vLLM computes the same, and its loop waits before it takes in requests."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.engines.vllm.scheduling.arguments import scheduling
from pipeline.engines.vllm.scheduling.step_forecast import StepForecast
from tests.contract.vllm.cases import CASES
from tests.contract.vllm.speaking import Speaker, Speech
from tests.contract.vllm.test_talker import equal
from tests.contract.vllm.tiny import Kind

pytestmark = pytest.mark.vllm


@pytest.fixture(scope="module")
def speaker(vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path]) -> Iterator[Speaker]:
    speaker = Speaker(checkpoint("custom_voice"), **scheduling(3.0))
    yield speaker
    speaker.close()


def test_the_frames_are_the_same(speaker: Speaker) -> None:
    speeches = [Speech(case, begins=3 * i) for i, case in enumerate(CASES[:3])]
    assert all(each.case.kind == "custom_voice" for each in speeches)
    speaker.speak(*speeches)
    assert equal(speeches)


class Event:
    """Of a GPU that has copied a result by a time."""

    def __init__(self, clock: "Clock", at: float) -> None:
        self._clock, self._at = clock, at

    def query(self) -> bool:
        return self._clock.now >= self._at


class Clock:
    """In place of the module `time`."""

    def __init__(self) -> None:
        self.now = 10.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Loop:
    """An engine's loop whose first step of size 8 took 20 ms, and whose next one, of the same size, began just now."""

    def __init__(self, late: Any, monkeypatch: pytest.MonkeyPatch, ends: float) -> None:
        self.clock, self.taken_in = Clock(), list[float]()
        core = late.EngineCoreProc
        monkeypatch.setattr(late, "time", self.clock)
        monkeypatch.setattr(core, "_process_input_queue", lambda _: self.taken_in.append(self.clock.now))
        late._wait_before_requests()
        self.scheduler = object.__new__(late.LateScheduler)
        self.scheduler.forecast, self.scheduler.is_late = StepForecast(0.004), False
        self.scheduler.forecast.begin(8, 9.98)
        self.scheduler.forecast.begin(8, 9.98)
        self.scheduler.forecast.end(10.0)
        running: Any = Future()
        self.running = running
        self.running.async_output = SimpleNamespace(copy_event=Event(self.clock, ends))
        queue = deque([(self.running, None, None)])
        self.core = SimpleNamespace(scheduler=self.scheduler, batch_queue=queue)
        core._process_input_queue(self.core)
        self.running.set_result("tokens")


def test_requests_are_taken_in_shortly_before_the_running_step_ends(
    vllm_on_a_cpu: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline.engines.vllm.scheduling import late

    loop = Loop(late, monkeypatch, ends=10.02)
    assert [round(at, 4) for at in loop.taken_in] == [10.016]


def test_once_it_has_ended_nothing_is_waited_for_and_the_next_such_step_is_foreseen_to_be_shorter(
    vllm_on_a_cpu: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline.engines.vllm.scheduling import late

    loop = Loop(late, monkeypatch, ends=10.01)
    assert [round(at, 4) for at in loop.taken_in] == [10.01]
    assert loop.running.result() == "tokens"
    assert loop.scheduler.is_late
    loop.scheduler.forecast.end(10.02, is_late=True)
    loop.scheduler.forecast.begin(8, 10.02)
    assert round(loop.scheduler.forecast.due(), 4) == 10.02 + 0.018 - 0.004
