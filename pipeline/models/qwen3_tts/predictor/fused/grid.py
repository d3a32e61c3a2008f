"""A barrier between all programs of one launch, which must be on the GPU together (a cooperative launch)."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators

import triton
import triton.language as tl

_READ_UNTIL = tl.constexpr(
    """{
    .reg .pred others, before;
    .reg .u32 thread;
    mov.u32 thread, %tid.x;
    mov.u32 $0, $2;
    setp.ne.u32 others, thread, 0;
    @others bra done;
    again:
    ld.acquire.gpu.global.u32 $0, [$1];
    setp.lt.s32 before, $0, $2;
    @before bra again;
    done:
    }"""
)


@triton.jit
def arrive(counter):
    """Tell the others that what this program has stored may be read."""
    tl.debug_barrier()
    tl.atomic_add(counter, 1, sem="release")


@triton.jit
def wait(counter, arrivals, PROGRAMS: tl.constexpr):
    """Return when there have been so many arrivals since the counter was zero.

    One thread of a program reads it until then: reading takes the memory less than adding nothing to it, and the other
    threads stand at the barrier.
    """
    if PROGRAMS > 1:
        tl.inline_asm_elementwise(
            _READ_UNTIL, "=r,l,r", [counter, arrivals], dtype=tl.int32, is_pure=False, pack=1
        )  # fmt: skip
    tl.debug_barrier()
