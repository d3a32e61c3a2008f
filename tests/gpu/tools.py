"""Measures what functions cost AURA on vLLM, at full size with dummy weights: an answer that may call is held to a
grammar, and vLLM then samples a step, that of all callers, only when the one before has been read.

`python -m tests.gpu.tools [-o tools.json] [--callers 1,8] [--caches DIR] [--limit S] [--tiny]`. For each number of
callers: first token and each one more without functions, with five and with forty, and without beside one that has
some. It runs in a process of its own with a limit, and each table is written when it is there; the engine's log lies
beside the report. With `--caches`, a folder that lasts, the next start is a warm one. `--tiny` is a dry run on a CPU.
"""

from tests.gpu.aura_alone import measure_aura

if __name__ == "__main__":
    measure_aura("tools", __doc__, "--callers", "1,8", calls=True)
