"""What is asked of the predictor on a GPU, a function a question; each returns one row of a table, or several."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from timeit import default_timer
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

from pipeline.models.qwen3_tts.config import PredictorConfig
from pipeline.models.qwen3_tts.frame.cuda_graphs import BUCKETS, StepGraphs
from pipeline.models.qwen3_tts.frame.step import FrameStep, Given, Predicts, room_of
from pipeline.models.qwen3_tts.predictor.fused.grid import arrive, wait
from pipeline.models.qwen3_tts.predictor.fused_predictor import PROGRAMS, FusedPredictor
from pipeline.models.qwen3_tts.predictor.predictor import Predictor
from pipeline.models.qwen3_tts.sampling import gumbel

Row = dict[str, Any]

FULL = PredictorConfig(1024, 3072, 5, 16, 8, 128, 2048, 16, 1e-6, 1e6)  # of both published sizes
TINY = PredictorConfig(32, 96, 2, 4, 2, 32, 64, 4, 1e-6, 1e6)
BYTES_S = 3.35e12  # an H100's memory
BARRIERS = 15 * (5 * 5 + 2)  # of one frame


def machine(tiny: bool) -> Row:
    found: Row = {"torch": torch.__version__, "triton": triton.__version__, "cuda": torch.version.cuda}
    if torch.cuda.is_available():
        of = torch.cuda.get_device_properties(0)
        found |= {"gpu": of.name, "multiprocessors": of.multi_processor_count}
    return found


def barrier(tiny: bool) -> Row:
    """How long all programs take to wait for each other once."""
    counter = torch.zeros(1, dtype=torch.int32, device=_device())
    programs = 1 if tiny else PROGRAMS

    def run() -> None:
        counter.zero_()
        _barriers[(programs,)](counter, BARRIERS, programs, **_together(programs))

    run()
    assert int(counter) == BARRIERS * programs
    return {"us_a_barrier": _us(run, tiny) / BARRIERS}


def reading(tiny: bool) -> Row:
    """How fast the same programs read as many bytes as a frame's weights, with nothing to wait for."""
    programs, size = (1, 1 << 16) if tiny else (PROGRAMS, 15 * 78_643_200)
    weights = torch.ones(size, dtype=torch.bfloat16, device=_device())
    sums = torch.zeros(programs, device=_device())

    def run() -> None:
        _read[(programs,)](weights, sums, size, programs, 1 << 14, num_warps=16, num_stages=4)

    us = _us(run, tiny)
    return {"ms": us / 1e3, "floor_ms": size * 2 / BYTES_S * 1e3, "bytes_s": size * 2 / us * 1e6}


def right(rows: int, tiny: bool) -> Row:
    """Against plain float32: the error of the last step's logits when all codes are forced to be the same, and how many
    first codes are the same, greedy and drawn. Plain bfloat16's stand beside ours."""
    config, width = _sizes(tiny)
    rows, books = min(rows, 3) if tiny else rows, config.num_code_groups - 1
    exact, plain = _predictor(config, width, torch.float32), _predictor(config, width, _dtype(tiny))
    fused = FusedPredictor(plain, rows, 1 if tiny else PROGRAMS)
    hidden, code0 = _questions(config, width, rows, 1)
    low = hidden.to(_dtype(tiny))
    forced = torch.randint(config.vocab_size, (rows, books), generator=_generator(2), device=_device())
    force = nn.functional.one_hot(forced, config.vocab_size).float() * 1e4

    logits: dict[str, Tensor] = {}
    for name, predictor, given in (("exact", exact, hidden), ("plain", plain, low)):
        predictor.lm_head[-1].register_forward_hook(lambda _m, _i, out, name=name: logits.update({name: out.float()}))
        _, sums = predictor(given, code0, force)
        logits[f"{name} sums"] = sums.float()
    answered, sums = fused(low, code0, force)
    logits |= {"fused": fused._buffers.logits[:rows].clone(), "fused sums": sums.float()}
    result: Row = {"rows": rows, "forced": torch.equal(answered[:, 1:], forced)}
    for name in ("plain", "fused", "plain sums", "fused sums"):
        target = logits["exact sums" if "sums" in name else "exact"]
        result[f"{name} error"] = float((logits[name] - target).std() / target.std())

    seeds = torch.arange(rows, device=_device())
    settings = (
        gumbel(seeds, seeds, books, config.vocab_size),
        torch.full((rows,), 0.9, device=_device()),
        torch.full((rows,), 50, dtype=torch.int32, device=_device()),
        torch.linspace(1.0, 0.7, rows, device=_device()),
    )
    for name, how in (("greedy", ()), ("drawn", settings)):
        same = exact(hidden, code0, *how)[0]
        both: dict[str, Predicts] = {"plain": plain, "fused": fused}
        for who, answer in both.items():
            codes = answer(low, code0, *how)[0]
            result[f"{name} {who}: first codes"] = float((codes[:, 1] == same[:, 1]).float().mean())
            result[f"{name} {who}: all codes"] = float((codes == same).float().mean())
    return result


def repeatable(tiny: bool) -> list[Row]:
    """Whether the same call gives the same bits again, and a row the same codes in another batch."""
    config, width = _sizes(tiny)
    rows, times = (2, 2) if tiny else (32, 50)
    fused = FusedPredictor(_predictor(config, width, _dtype(tiny)), rows, 1 if tiny else PROGRAMS)
    hidden, code0 = _questions(config, width, rows, 3)
    hidden = hidden.to(_dtype(tiny))
    seeds = torch.arange(rows, device=_device())
    noise = gumbel(seeds, seeds, config.num_code_groups - 1, config.vocab_size)
    first, logits = fused(hidden, code0, noise)[0], fused._buffers.logits.clone()
    again = [
        torch.equal(first, fused(hidden, code0, noise)[0]) and torch.equal(logits, fused._buffers.logits)
        for _ in range(times)
    ]
    result: list[Row] = [{"rows": rows, "times": times, "the same bits": sum(again)}]
    for fewer in (1, 2, 8, 16):
        if fewer < rows:
            codes = fused(hidden[:fewer], code0[:fewer], noise[:fewer])[0]
            same = torch.equal(fused._buffers.logits[:fewer], logits[:fewer])
            result.append(
                {"rows": fewer, "codes as among all": float((codes == first[:fewer]).float().mean()), "bits": same}
            )
    return result


def graphed(tiny: bool) -> list[Row]:
    """Whether graphs answer as the predictor did that they are made of, which nothing else holds, and leave alone what
    is allocated after them."""
    config, width = _sizes(tiny)
    if tiny:
        return []
    plain, most = _predictor(config, width, torch.bfloat16), 8
    hidden, code0 = _questions(config, width, most, 5)
    hidden = hidden.to(torch.bfloat16)
    seeds = torch.arange(most, device=_device())
    given = Given(hidden, code0, seeds, seeds, torch.tensor([[0.9, 50, 1.0]] * most, device=_device()))
    expected = {rows: FrameStep(FusedPredictor(plain, most), config)(given.rows(rows))[0] for rows in (1, most)}
    room = room_of(most, width, torch.bfloat16, _device())
    graphs = StepGraphs(FrameStep(FusedPredictor(plain, most), config), room, [1, most])
    others = [torch.full((size,), 7, device=_device()) for size in [1] * 1000 + [1 << 20] * 200]  # 8 bytes, and 8 MiB
    result: list[Row] = []
    for rows, codes in expected.items():
        same = torch.equal(graphs(given.rows(rows))[0], codes)
        result.append({"rows": rows, "the same codes": same, "others": all(bool((each == 7).all()) for each in others)})
    return result


def speed(name: str, tiny: bool) -> list[Row]:
    """Milliseconds a frame in a CUDA graph for each bucket, and how long it took to start."""
    config, width = _sizes(tiny)
    plain = _predictor(config, width, _dtype(tiny))
    most = 2 if tiny else BUCKETS[-1]
    programs = 1 if tiny else PROGRAMS
    begin = default_timer()
    kinds: dict[str, Callable[[], Predicts]] = {
        "plain": lambda: plain,
        "fused": lambda: FusedPredictor(plain, most, programs),
    }
    predictor = kinds[name]()
    step, room = FrameStep(predictor, config), room_of(most, width, _dtype(tiny), _device())
    hidden, code0 = _questions(config, width, most, 4)
    room.hidden.copy_(hidden)
    room.code0.copy_(code0)
    room.seeds.copy_(torch.arange(most, device=_device()))
    room.choices.copy_(torch.tensor([0.9, 50, 1.0]))
    if tiny:
        step(room)
        return [{"rows": most, "ms": None, "start_s": default_timer() - begin}]
    graphs = StepGraphs(step, room)
    start_s = default_timer() - begin
    result: list[Row] = []
    for rows in BUCKETS:
        room.choices[:, 1] = 50
        drawn = _us(partial(graphs.replay, rows), tiny) / 1e3
        room.choices[:, 1] = 0
        anything = _us(partial(graphs.replay, rows), tiny) / 1e3
        result.append({"rows": rows, "ms": drawn, "ms_without_top_k": anything})
    return [*result, {"start_s": start_s, "gpu_gb": torch.cuda.max_memory_allocated() / 1e9}]


def layers(tiny: bool) -> list[Row]:
    """What a layer costs in a step, and what the rest does: the slope and the intercept over the number of layers."""
    config, width = _sizes(tiny)
    result: list[Row] = []
    for rows in (1, 8, 32) if not tiny else (1,):
        ms = []
        for count in (1, config.num_hidden_layers):
            predictor = _predictor(replace(config, num_hidden_layers=count), width, _dtype(tiny))
            fused = FusedPredictor(predictor, rows, 1 if tiny else PROGRAMS)
            step, room = FrameStep(fused, config), room_of(rows, width, _dtype(tiny), _device())
            graphs = None if tiny else StepGraphs(step, room, [rows])
            ms.append(_us(partial(step, room) if graphs is None else partial(graphs.replay, rows), tiny))
        steps = config.num_code_groups - 1
        layer = (ms[1] - ms[0]) / (config.num_hidden_layers - 1) / steps
        floor = 15_728_640 * 2 / BYTES_S * 1e6
        result.append(
            {"rows": rows, "us_a_layer": layer, "floor_us": floor, "us_a_step_besides": ms[0] / steps - layer}
        )
    return result


def kernels(tiny: bool) -> list[Row]:
    """Microseconds of each kernel of one call outside a graph."""
    config, width = _sizes(tiny)
    if tiny:
        return []
    step = FrameStep(FusedPredictor(_predictor(config, width, torch.bfloat16), 32), config)
    result: list[Row] = []
    for rows in (1, 32):
        room = room_of(rows, width, torch.bfloat16, _device())
        step(room)
        torch.cuda.synchronize()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            for _ in range(10):
                step(room)
            torch.cuda.synchronize()
        for event in sorted(profile.key_averages(), key=lambda e: -e.self_device_time_total)[:12]:
            row: Row = {
                "rows": rows,
                "kernel": event.key[:60],
                "us": event.self_device_time_total / 10,
                "calls": event.count / 10,
            }
            result.append(row)
    return result


@triton.jit
def _barriers(counter, times, PROGRAMS: tl.constexpr):
    for i in range(times):
        arrive(counter)
        wait(counter, (i + 1) * PROGRAMS)


@triton.jit
def _read(weights, sums, size, PROGRAMS: tl.constexpr, TILE: tl.constexpr):
    total = tl.zeros([TILE], tl.float32)
    for at in range(tl.program_id(0) * TILE, size, PROGRAMS * TILE):
        total += tl.load(weights + at + tl.arange(0, TILE), eviction_policy="evict_first").to(tl.float32)
    tl.store(sums + tl.program_id(0), tl.sum(total, 0))


def _us(call: Callable[[], Any], tiny: bool) -> float:
    """The median of single calls, microseconds; after a few."""
    if tiny:
        begun = default_timer()
        call()
        return (default_timer() - begun) * 1e6
    for _ in range(5):
        call()
    times: list[float] = []
    for _ in range(100):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3)
    return sorted(times)[len(times) // 2]


def _predictor(config: PredictorConfig, width: int, dtype: torch.dtype) -> Predictor:
    """Random weights, the same for every type."""
    with torch.device(_device()):
        first = nn.Embedding(3072, width)
        predictor = Predictor(config, width, first)
    generator = _generator(0)
    for name, weight in [*predictor.named_parameters(), ("first_embedding", first.weight)]:
        weight.requires_grad_(False)
        if "norm" in name:
            weight.normal_(1.5 if "q_norm" in name or "k_norm" in name else 1.0, 0.1, generator=generator)
        elif "embedding" in name or weight.ndim == 1:
            weight.normal_(0.0, 0.4 if weight.ndim == 2 else 0.1, generator=generator)
        else:
            factor = 2.0 if "lm_head" in name else 1.5 if "mlp." in name else 1.0
            weight.normal_(0.0, factor * weight.shape[1] ** -0.5, generator=generator)
        weight.copy_(weight.to(torch.bfloat16))
    first.to(dtype)
    return predictor.to(dtype).eval()


def _questions(config: PredictorConfig, width: int, rows: int, seed: int) -> tuple[Tensor, Tensor]:
    hidden = torch.randn(rows, width, generator=_generator(seed), device=_device())
    return hidden, torch.randint(2048, (rows,), generator=_generator(seed), device=_device())


def _generator(seed: int) -> torch.Generator:
    return torch.Generator(_device()).manual_seed(seed)


def _together(programs: int) -> Row:
    return {"launch_cooperative_grid": True} if programs > 1 else {}


def _sizes(tiny: bool) -> tuple[PredictorConfig, int]:
    return (TINY, 64) if tiny else (FULL, 2048)


def _dtype(tiny: bool) -> torch.dtype:
    return torch.float32 if tiny else torch.bfloat16


def _device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"
