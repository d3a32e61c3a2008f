"""Pointers as kernels have them: an element's place in the memory of a tensor, or a block of places."""

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

REACH = 1 << 28  # elements behind an address of which no tensor is known


@dataclass(frozen=True, slots=True)
class pointer_type:
    element_ty: Any


class Pointer:
    """
    Args:
        memory: All elements from the first one on.
        at: A place in it, or a block of places.
    """

    __slots__ = ("at", "memory")

    def __init__(self, memory: NDArray[Any], at: Any) -> None:
        self.memory = memory
        self.at = at

    @property
    def dtype(self) -> pointer_type:
        return pointer_type(self.memory.dtype.type)

    def __add__(self, places: Any) -> "Pointer":
        return Pointer(self.memory, self.at + places)

    def __radd__(self, places: Any) -> "Pointer":
        return Pointer(self.memory, self.at + places)

    def __sub__(self, places: Any) -> "Pointer":
        return Pointer(self.memory, self.at - places)

    def load(self, mask: Any, other: Any) -> Any:
        if mask is None:
            return self.memory[self.at]
        found = self.memory[np.where(mask, self.at, 0)]
        return np.where(mask, found, np.asarray(0 if other is None else other, found.dtype))

    def store(self, values: Any, mask: Any) -> None:
        at, values, mask = self._lanes(values, mask)
        self.memory[at[mask]] = values[mask]

    def update(self, change: np.ufunc, values: Any, mask: Any) -> None:
        at, values, mask = self._lanes(values, mask)
        change.at(self.memory, at[mask], values[mask])

    def _lanes(self, values: Any, mask: Any) -> list[NDArray[Any]]:
        return np.broadcast_arrays(self.at, values, True if mask is None else mask)  # type: ignore[return-value]


def pointer_to(tensor: Any) -> Pointer:
    """To its first element; what lies behind it in its storage can be reached too, and nothing else."""
    reach = tensor.untyped_storage().nbytes() // tensor.itemsize - tensor.storage_offset()
    return Pointer(tensor.as_strided((reach,), (1,)).numpy(), 0)


def pointer_at(address: int, type_: Any) -> Pointer:
    dtype = np.dtype(type_)
    raw = (ctypes.c_byte * (REACH * dtype.itemsize)).from_address(address)
    return Pointer(np.frombuffer(raw, dtype), 0)
