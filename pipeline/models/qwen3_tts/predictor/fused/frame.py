"""The predictor's whole frame, fifteen steps of all layers, as one launch that stays on the GPU.

Every program owns the same rows of every matrix. A phase ends with `arrive`; the next one asks for its weights,
which depend on nothing, before it waits for the others: memory is read while they finish. Nothing is added
atomically, so that the same input gives the same bits.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators

import triton
import triton.language as tl

from pipeline.models.qwen3_tts.predictor.fused.attention import attend
from pipeline.models.qwen3_tts.predictor.fused.grid import arrive, wait
from pipeline.models.qwen3_tts.predictor.fused.matrix import owned, product, scales, squared, taken
from pipeline.models.qwen3_tts.predictor.fused.sample import draw


# One row, and blocks of rows, are kernels of their own: where the lists of choices begin must not make more of them.
@triton.jit(do_not_specialize=["batch"], do_not_specialize_on_alignment=["temperature", "top_k", "top_p"])
def frame(
    # of the batch: what comes in, and goes out
    codes, noise, temperature, top_k, top_p, batch,
    # between phases
    counter, state, low, squares, projected, seen, inner, logits,
    # weights, each for all layers
    qkv, output, gate, up, down, q_gain, k_gain,
    # weights, each for all steps; what turns positions
    heads, embeddings, cosines, sines,
    LAYERS: tl.constexpr, STEPS: tl.constexpr, WIDTH: tl.constexpr, INNER: tl.constexpr, IDS: tl.constexpr,
    HEADS: tl.constexpr, GROUPS: tl.constexpr, SIZE: tl.constexpr, POSITIONS: tl.constexpr, EPSILON: tl.constexpr,
    PROGRAMS: tl.constexpr, CHUNKS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The first step has two rows a sequence (the Talker's state, then code 0), the others one.

    Args:
        codes: [batch, STEPS + 1], int64; codebook 0 is given, the others are written.
        noise: [batch, STEPS, IDS], float32; not looked at where the temperature is 0.
        counter: int32, zero.
        state: [2 * batch, WIDTH], float32; given for the first step, by position and then by sequence.
        low: `state` in the type of the weights.
        squares: [2 * batch, PROGRAMS], float32: parts of the sum of a row's squares.
        projected, seen, inner, logits: [LAYERS, POSITIONS * batch, …], [2 * batch, HEADS * SIZE],
            [2 * batch, INNER], [batch, IDS].
        embeddings: [STEPS, IDS, WIDTH], of the codebooks 1, 2, …, as the layers take them.
    """
    LINE: tl.constexpr = (HEADS + 2 * GROUPS) * SIZE
    SEEN: tl.constexpr = HEADS * SIZE
    me = tl.program_id(0)
    arrivals = 0
    for step in range(STEPS):
        first = tl.where(step == 0, 0, (step + 1) * batch)  # the place of row 0: its position times the batch
        rows = tl.where(step == 0, 2 * batch, batch)
        for layer in range(LAYERS):
            at = projected + layer * POSITIONS * batch * LINE
            OWN: tl.constexpr = LINE // PROGRAMS
            w = owned(qkv + layer * LINE * WIDTH, me * OWN, OWN, WIDTH, CHUNKS)
            wait(counter, arrivals)
            for r in range(0, rows, BLOCK):
                x = taken(low, r, rows, WIDTH, CHUNKS, BLOCK)
                parts = squared(squares, r, rows, PROGRAMS, BLOCK)
                y = product(x, w, CHUNKS) * scales(parts, EPSILON, WIDTH)
                _put(at + first * LINE, y, r, rows, me * OWN, OWN, LINE)
            arrive(counter)

            COLUMNS: tl.constexpr = WIDTH // PROGRAMS
            w = owned(output + layer * WIDTH * SEEN, me * COLUMNS, COLUMNS, SEEN, CHUNKS)
            wait(counter, arrivals + PROGRAMS)
            for item in range(me, rows * GROUPS, PROGRAMS):
                row = item // GROUPS
                attend(
                    seen, at, row, item % GROUPS, first + row, batch, q_gain + layer * SIZE, k_gain + layer * SIZE,
                    cosines, sines, HEADS, GROUPS, SIZE, POSITIONS, EPSILON,
                )  # fmt: skip
            arrive(counter)
            wait(counter, arrivals + 2 * PROGRAMS)
            for r in range(0, rows, BLOCK):
                x = taken(seen, r, rows, SEEN, CHUNKS, BLOCK)
                kept = _kept(state, r, rows, me, COLUMNS, WIDTH, BLOCK)
                _add(state, low, squares, kept + product(x, w, CHUNKS), r, rows, me, COLUMNS, WIDTH, PROGRAMS)
            arrive(counter)

            GATES: tl.constexpr = INNER // PROGRAMS
            w = owned(gate + layer * INNER * WIDTH, me * GATES, GATES, WIDTH, CHUNKS)
            w2 = owned(up + layer * INNER * WIDTH, me * GATES, GATES, WIDTH, CHUNKS)
            wait(counter, arrivals + 3 * PROGRAMS)
            for r in range(0, rows, BLOCK):
                x = taken(low, r, rows, WIDTH, CHUNKS, BLOCK)
                parts = squared(squares, r, rows, PROGRAMS, BLOCK)
                g, u = product(x, w, CHUNKS), product(x, w2, CHUNKS)
                scale = scales(parts, EPSILON, WIDTH)
                g *= scale
                _put(inner, g * tl.sigmoid(g) * u * scale, r, rows, me * GATES, GATES, INNER)
            arrive(counter)

            if CHUNKS > 1 and INNER == 3 * WIDTH:  # else it is padded to four times, which its tile has no room for
                at = down + layer * WIDTH * INNER
                w = owned(at, me * COLUMNS, COLUMNS, WIDTH, CHUNKS, INNER)
                w2 = owned(at + WIDTH, me * COLUMNS, COLUMNS, WIDTH, CHUNKS, INNER)
                w3 = owned(at + 2 * WIDTH, me * COLUMNS, COLUMNS, WIDTH, CHUNKS, INNER)
                wait(counter, arrivals + 4 * PROGRAMS)
                for r in range(0, rows, BLOCK):
                    y = _kept(state, r, rows, me, COLUMNS, WIDTH, BLOCK)
                    y += product(taken(inner, r, rows, WIDTH, CHUNKS, BLOCK, INNER), w, CHUNKS)
                    y += product(taken(inner + WIDTH, r, rows, WIDTH, CHUNKS, BLOCK, INNER), w2, CHUNKS)
                    y += product(taken(inner + 2 * WIDTH, r, rows, WIDTH, CHUNKS, BLOCK, INNER), w3, CHUNKS)
                    _add(state, low, squares, y, r, rows, me, COLUMNS, WIDTH, PROGRAMS)
            else:
                w = owned(down + layer * WIDTH * INNER, me * COLUMNS, COLUMNS, INNER, CHUNKS)
                wait(counter, arrivals + 4 * PROGRAMS)
                for r in range(0, rows, BLOCK):
                    x = taken(inner, r, rows, INNER, CHUNKS, BLOCK)
                    kept = _kept(state, r, rows, me, COLUMNS, WIDTH, BLOCK)
                    _add(state, low, squares, kept + product(x, w, CHUNKS), r, rows, me, COLUMNS, WIDTH, PROGRAMS)
            arrive(counter)
            arrivals += 5 * PROGRAMS

        OUT: tl.constexpr = IDS // PROGRAMS
        w = owned(heads + step * IDS * WIDTH, me * OUT, OUT, WIDTH, CHUNKS)
        wait(counter, arrivals)
        for r in range(0, batch, BLOCK):
            x = taken(low + (rows - batch) * WIDTH, r, batch, WIDTH, CHUNKS, BLOCK)
            parts = squared(squares + (rows - batch) * PROGRAMS, r, batch, PROGRAMS, BLOCK)
            _put(logits, product(x, w, CHUNKS) * scales(parts, EPSILON, WIDTH), r, batch, me * OUT, OUT, IDS)
        arrive(counter)

        wait(counter, arrivals + PROGRAMS)
        ids = tl.arange(0, IDS)
        for b in range(me, batch, PROGRAMS):
            heat = tl.load(temperature + b)
            scores = tl.load(logits + b * IDS + ids, cache_modifier=".cg")
            given = tl.load(noise + (b * STEPS + step) * IDS + ids, mask=heat > 0, other=0.0)
            code = draw(scores, given, heat, tl.load(top_k + b), tl.load(top_p + b), IDS)
            tl.store(codes + b * (STEPS + 1) + step + 1, code.to(tl.int64))
            d = tl.arange(0, WIDTH)
            x = tl.load(embeddings + (step * IDS + code) * WIDTH + d)
            tl.store(low + b * WIDTH + d, x)
            x = x.to(tl.float32)
            tl.store(state + b * WIDTH + d, x)
            part = tl.arange(0, PROGRAMS)
            tl.store(squares + b * PROGRAMS + part, tl.where(part == 0, tl.sum(x * x, 0), 0.0))
        arrive(counter)
        arrivals += 2 * PROGRAMS


@triton.jit
def _put(rows, y, first, count, column, OWN: tl.constexpr, WIDTH: tl.constexpr):
    """Store a tile's columns `column` to `column + OWN` into rows of `WIDTH`."""
    r = first + tl.arange(0, y.shape[0])[:, None]
    n = tl.arange(0, y.shape[1])[None, :]
    tl.store(rows + r * WIDTH + column + n, y.to(rows.dtype.element_ty), mask=(r < count) & (n < OWN))


@triton.jit
def _kept(state, first, count, me, OWN: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """What is there in the columns that `me` owns, to be added to."""
    r = first + tl.arange(0, BLOCK)[:, None]
    n = tl.arange(0, triton.next_power_of_2(OWN))[None, :]
    inside = (r < count) & (n < OWN)
    return tl.load(state + r * WIDTH + me * OWN + n, mask=inside, other=0.0, cache_modifier=".cg")


@triton.jit
def _add(
    state, low, squares, x, first, count, me, OWN: tl.constexpr, WIDTH: tl.constexpr, PROGRAMS: tl.constexpr
):  # fmt: skip
    """Store a sum into the columns that `me` owns, and its squares. No other program writes them."""
    r = first + tl.arange(0, x.shape[0])
    n = tl.arange(0, x.shape[1])[None, :]
    at = r[:, None] * WIDTH + me * OWN + n
    inside = (r[:, None] < count) & (n < OWN)
    x = tl.where(inside, x, 0.0)
    tl.store(state + at, x, mask=inside)
    tl.store(low + at, x.to(low.dtype.element_ty), mask=inside)
    tl.store(squares + r * PROGRAMS + me, tl.sum(x * x, 1), mask=r < count)
