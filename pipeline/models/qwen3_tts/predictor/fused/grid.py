"""A barrier between all programs of one launch, which must be on the GPU together (a cooperative launch)."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators

import triton
import triton.language as tl


@triton.jit
def arrive(counter):
    """Tell the others that what this program has stored may be read."""
    tl.debug_barrier()
    tl.atomic_add(counter, 1, sem="release")


@triton.jit
def wait(counter, arrivals):
    """Return when there have been so many arrivals since the counter was zero."""
    while tl.atomic_add(counter, 0, sem="acquire") < arrivals:
        pass
    tl.debug_barrier()
