"""What of `triton.language` the kernels of vLLM's runner, its Qwen3-VL and our Talker use, on NumPy's arrays."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from triton_cpu_stub.memory import Pointer, pointer_at, pointer_type

int1, int8, int16, int32, int64 = np.bool_, np.int8, np.int16, np.int32, np.int64
uint8, uint16, uint32, uint64 = np.uint8, np.uint16, np.uint32, np.uint64
float16, float32, float64 = np.float16, np.float32, np.float64


@dataclass(slots=True)
class Grid:
    """Which program runs, of how many."""

    place: tuple[int, ...] = (0, 0, 0)
    size: tuple[int, ...] = (1, 1, 1)


grid = Grid()

range = static_range = range
math = SimpleNamespace(floor=np.floor)
where, log, exp, maximum, minimum = np.where, np.log, np.exp, np.maximum, np.minimum


def program_id(axis: int) -> np.int32:
    return np.int32(grid.place[axis])


def num_programs(axis: int) -> np.int32:
    return np.int32(grid.size[axis])


def constexpr(value: Any) -> Any:
    return value


def arange(begin: int, end: int) -> Any:
    return np.arange(begin, end, dtype=np.int32)


def full(shape: Any, value: Any, dtype: Any) -> Any:
    return np.full(shape, value, dtype)


def zeros(shape: Any, dtype: Any) -> Any:
    return np.zeros(shape, dtype)


def cdiv(a: Any, b: Any) -> Any:
    return -(-a // b)


def rsqrt(value: Any) -> Any:
    return 1 / np.sqrt(value)


def cast(value: Any, dtype: Any, bitcast: bool = False) -> Any:
    if isinstance(dtype, pointer_type):
        return pointer_at(int(value), dtype.element_ty)
    array = np.asarray(value)
    return (array.view(dtype) if bitcast else array.astype(dtype))[()]


def load(pointer: Pointer, mask: Any = None, other: Any = None, cache_modifier: str = "") -> Any:
    return pointer.load(mask, other)


def store(pointer: Pointer, value: Any, mask: Any = None) -> None:
    pointer.store(value, mask)


def atomic_add(pointer: Pointer, value: Any, mask: Any = None, sem: str | None = None) -> Any:
    before = pointer.load(mask, 0)
    pointer.update(np.add, value, mask)
    return before


def atomic_or(pointer: Pointer, value: Any, mask: Any = None) -> None:
    pointer.update(np.bitwise_or, value, mask)


def sum(block: Any, axis: int | None = None) -> Any:
    return np.sum(block, axis, dtype=np.int32 if block.dtype == np.bool_ else block.dtype)


def max(block: Any, axis: int | None = None, return_indices: bool = False) -> Any:
    largest = np.max(block, axis)
    return (largest, np.argmax(block, axis).astype(np.int32)) if return_indices else largest


def multiple_of(value: Any, _of: Any) -> Any:
    return value


def debug_barrier() -> None:
    """Programs run one after the other."""
