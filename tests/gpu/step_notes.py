"""Notes what each step of the Talker's engine does, from inside its process."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from timeit import default_timer
from typing import Any

import torch

from pipeline.models import registry
from pipeline.models.qwen3_tts.frame.sampler import FrameSampler
from pipeline.models.qwen3_tts.state import TalkerState
from pipeline.models.qwen3_tts.talker import Talker
from tests.gpu.kernel_trace import NAME, burst_of
from tests.gpu.sections import Row

PLACE = "AURA_STEP_NOTES"
QUIET_S = 1.0
PROFILED_FROM, PROFILED = 12, 10  # after so many steps of a batch without a break so many are profiled
KERNELS = 16
EVENTS = ("begin", "forward_begin", "forward_end", "draw_begin", "draw_end", "end")


@dataclass
class Step:
    """Host times in ms by what was done; CUDA events by name."""

    at: float
    host: dict[str, float] = field(default_factory=dict)
    events: dict[str, Any] = field(default_factory=dict)
    requests: int = 0
    tokens: int = 0
    mixed: bool = False
    profiled: bool = False


class Notes:
    """All steps since the engine was quiet for the last time."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._steps: list[Step] = []
        self._waiting: dict[str, float] = {}
        self._run = 0
        self._profile: Any = None
        self._profiled: dict[int, dict[str, Any]] = {}
        self._profiled_requests = self._left = 0
        self.has_gpu = torch.cuda.is_available()

    def begin(self) -> None:
        now = default_timer()
        if self._steps and now - self._steps[-1].at > QUIET_S:
            self._write()
        self._steps.append(Step(now, self._waiting))
        self._waiting = {}
        self.event("begin")

    def event(self, name: str) -> None:
        if self.has_gpu and self._steps and not torch.cuda.is_current_stream_capturing():
            event = torch.cuda.Event(enable_timing=True)
            event.record()
            self._steps[-1].events[name] = event

    def host(self, name: str, ms: float) -> None:
        """Adds to what was done since the last step began."""
        into = self._steps[-1].host if self._steps and name in ("execute", "sample", "wait") else self._waiting
        into[name] = into.get(name, 0.0) + ms

    def batch(self, batch: Any) -> None:
        step = self._steps[-1]
        step.requests, step.tokens, step.mixed = batch.num_reqs, batch.num_tokens, bool(batch.has_prefill)

    def end(self) -> None:
        self.event("end")
        step = self._steps[-1]
        before = self._steps[-2] if len(self._steps) > 1 else step
        same = step.requests == before.requests and not step.mixed
        self._run = self._run + 1 if same else 0
        step.profiled = self._profile is not None
        if not self.has_gpu:
            return
        wanted = step.requests & (step.requests - 1) == 0 and step.requests not in self._profiled
        if self._run >= PROFILED_FROM and wanted and self._profile is None:
            self._profiled[step.requests] = {}
            self._profiled_requests, self._left = step.requests, PROFILED
            activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
            torch.cuda.synchronize()
            self._profile = torch.profiler.profile(activities=activities, acc_events=True)
            self._profile.start()
            step.profiled = True
        elif self._profile is not None:
            self._left -= 1
            if not self._left:
                torch.cuda.synchronize()
                self._profile.stop()
                self._profiled[self._profiled_requests] = _kernels(self._profile, PROFILED)
                self._profile, self._run = None, 0

    def _write(self) -> None:
        if self.has_gpu:
            torch.cuda.synchronize()
        told = {"steps": [_plain(a, b) for a, b in pairwise(self._steps)]}
        self._place.write_text(json.dumps(told | {"profiled": self._profiled}))


def _plain(step: Step, following: Step) -> dict[str, Any]:
    """Wall time until the next step begins, and of the GPU between each two events."""
    gpu: dict[str, float] = {}
    there = [name for name in EVENTS if name in step.events]
    for a, b in pairwise(there):
        gpu[f"{a}>{b}"] = _ms(step.events[a], step.events[b])
    if "end" in step.events and "begin" in following.events:
        gpu["end>next begin"] = _ms(step.events["end"], following.events["begin"])
    told = {name: getattr(step, name) for name in ("requests", "tokens", "mixed", "profiled", "host")}
    return told | {"gpu": gpu, "wall": 1000 * (following.at - step.at)}


def _ms(a: Any, b: Any) -> float:
    try:
        return float(a.elapsed_time(b))
    except RuntimeError:  # of a warm-up
        return 0.0


def _kernels(profile: Any, steps: int) -> dict[str, Any]:
    times = ((each.time_range, each) for each in profile.events() if str(each.device_type).endswith("CUDA"))
    burst = burst_of((time.start, time.end - time.start, each.name) for time, each in times)
    rows = [
        {"us": round(1000 * ms / steps, 1), "count": round(count / steps, 1), "kernel": name[:NAME]}
        for name, count, ms in burst.kernels[:KERNELS]
    ]
    return {
        "steps": steps, "busy_us": 1000 * burst.busy_ms / steps, "wall_us": 1000 * burst.wall_ms / steps,
        "kernels": rows,
    }  # fmt: skip


def tables(place: Path) -> Iterator[tuple[str, list[Row]]]:
    """What was noted, as tables: host and GPU by batch, then kernels by batch. Medians, ms."""
    told = json.loads(place.read_text())
    kinds: dict[tuple[int, bool], list[dict[str, Any]]] = {}
    for step in told["steps"]:
        if not step["profiled"] and step["wall"] < 1000 * QUIET_S:
            kinds.setdefault((step["requests"], step["mixed"]), []).append(step)
    often = {kind: each for kind, each in sorted(kinds.items()) if len(each) >= 8}
    count = [{"requests": n, "mixed": mixed, "steps": len(each)} for (n, mixed), each in often.items()]
    yield "steps of each kind", count
    for what in ("host", "gpu"):
        rows: list[Row] = []
        for (requests, mixed), each in often.items():
            names = dict.fromkeys(name for step in each for name in step[what])
            row: Row = {"requests": requests, "mixed": int(mixed), "wall": median(step["wall"] for step in each)}
            rows.append(row | {name: median(step[what].get(name, 0.0) for step in each) for name in names})
        yield f"{what}, median ms a step", rows
    for requests, found in told["profiled"].items():
        if found:
            head = {name: found[name] for name in ("steps", "busy_us", "wall_us")}
            yield f"kernels of a step of {requests}", [head, *found["kernels"]]


def _timed(owner: Any, method: str, notes: Notes, name: str) -> None:
    inner = getattr(owner, method)

    def timed(self: Any, *args: Any, **kwargs: Any) -> Any:
        begun = default_timer()
        try:
            return inner(self, *args, **kwargs)
        finally:
            notes.host(name, 1000 * (default_timer() - begun))

    setattr(owner, method, timed)


def _around(owner: Any, method: str, before: Callable[..., None], after: Callable[[], None]) -> None:
    inner = getattr(owner, method)

    def noted(self: Any, *args: Any, **kwargs: Any) -> Any:
        before(*args)
        found = inner(self, *args, **kwargs)
        after()
        return found

    setattr(owner, method, noted)


def install(notes: Notes) -> None:
    """Wraps what a step calls; before the engine has bound any of it."""
    from concurrent.futures import Future

    from vllm.v1.core.sched.async_scheduler import AsyncScheduler
    from vllm.v1.core.sched.scheduler import Scheduler
    from vllm.v1.engine.core import EngineCoreProc
    from vllm.v1.worker.gpu.model_runner import GPUModelRunner

    def started(*_: Any) -> None:
        notes.begin()

    def sampled(logits: Any, batch: Any) -> None:
        notes.batch(batch)
        notes.event("draw_begin")

    def nothing(*_: Any) -> None:
        """Is to be noted."""

    _timed(GPUModelRunner, "execute_model", notes, "execute")
    _timed(GPUModelRunner, "sample_tokens", notes, "sample")
    _around(GPUModelRunner, "execute_model", started, lambda: notes.event("forward_end"))
    _around(GPUModelRunner, "prepare_attn", nothing, lambda: notes.event("forward_begin"))
    _around(GPUModelRunner, "sample_tokens", nothing, notes.end)
    _around(FrameSampler, "__call__", sampled, lambda: notes.event("draw_end"))
    for scheduler in {Scheduler, *([AsyncScheduler] if "schedule" in vars(AsyncScheduler) else [])}:
        _timed(scheduler, "schedule", notes, "schedule")
    _timed(Scheduler, "update_from_output", notes, "update")
    _timed(EngineCoreProc, "_process_input_queue", notes, "inputs")
    _timed(Future, "result", notes, "wait")


class NotedState(TalkerState):
    def custom_sampler(self, sampler: Any) -> tuple[FrameSampler, None]:
        if not hasattr(type(self), "noted"):
            type(self).noted = Notes(Path(os.environ[PLACE]))  # type: ignore[attr-defined]
            install(type(self).noted)  # type: ignore[attr-defined]
        return super().custom_sampler(sampler)


class NotedTalker(Talker):
    def get_model_state_cls(self) -> type[TalkerState]:
        return NotedState


def register() -> None:
    """In place of `pipeline.models.registry.register`."""
    from vllm import ModelRegistry

    registry.register()
    ModelRegistry.register_model(registry.TALKER, "tests.gpu.step_notes:NotedTalker")
