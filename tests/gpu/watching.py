"""Measures AURA through vLLM's engine on one GPU, at full size with dummy weights, with one camera and with many.

`python -m tests.gpu.watching [-o watching.json] [--sessions 1,8,16] [--caches DIR] [--limit S] [--tiny]`. It runs in a
process of its own with a limit, and each table is written when it is there; the engine's log lies beside the report. At
the end PyTorch's profiler tells which kernels a second of video takes, and a question with a few tokens, behind a full
window. `--engine` changes what the engine is told.
With `--caches`, a folder that lasts, the next start is a warm one. `--tiny` is a dry run on a CPU.
"""

from tests.gpu.aura_alone import measure_aura

if __name__ == "__main__":
    measure_aura("watching", __doc__, "--sessions", "1,8,16")
