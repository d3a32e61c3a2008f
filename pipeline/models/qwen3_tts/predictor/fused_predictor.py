"""The code predictor on one large NVIDIA GPU: a kernel that runs a whole frame, between a few operations of torch."""

import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from pipeline.models.qwen3_tts.predictor.fused.frame import frame
from pipeline.models.qwen3_tts.predictor.fused.packed import kernel_buffers, packed
from pipeline.models.qwen3_tts.predictor.predictor import Predictor

log = logging.getLogger(__name__)

PROGRAMS = 128  # one on each of an H100's 132 multiprocessors; they divide every matrix evenly
WARPS = 8  # on an H100 a frame of one row takes 2.0 ms with 8, and 2.3 with 16
TENSOR_CORES_FROM = 4  # rows; fewer are quicker one by one
BLOCK, LARGE_BLOCK = 16, 32  # rows: what a tensor core takes; and where there are more than that, twice as many
CHUNKS = 4  # of the inner dimension, each for two warps: on an H200 8 rows take 2.2 ms, with one for each warp 2.6
INNERMOST = 16  # products that a tensor core sums at a time
# Bytes of shared memory that a block takes at full size, of weights of two bytes (Triton 3.7); one row takes next to
# none. A program may have 227 KiB on an H100, and 99 on an RTX 4090 or an L40S: there rows go one by one.
BLOCK_BYTES = {LARGE_BLOCK: 196_608, BLOCK: 163_840}


class FusedPredictor:
    """Is called as `Predictor` is, and copies its weights as they are now.

    Args:
        most: Rows that it has room for.
        programs: How many share the work of a frame. All must run at the same time: an interpreter takes one.
    """

    def __init__(self, predictor: Predictor, most: int, programs: int = PROGRAMS) -> None:
        config = predictor.config
        weight = predictor.model.norm.weight
        self._config = config
        self._programs = programs
        self._embed_first = predictor.embed_first
        self._project = predictor.small_to_mtp_projection
        self._weights = packed(predictor)
        self._buffers = kernel_buffers(config, most, programs, weight.dtype, weight.device)
        self._embeddings = torch.cat(predictor.model.tables()).detach()
        self._books = torch.arange(config.num_code_groups - 1, device=weight.device) * config.vocab_size
        self._shared, self._element_size = shared_memory_of(weight.device), weight.element_size()
        is_compiled = weight.device.type == "cuda"
        kinds = {self._block_of(rows): rows for rows in (1, min(most, BLOCK), most)} if is_compiled else {}
        self._compiling = [self._compile(rows, weight.device) for rows in kinds.values()]

    @torch.no_grad()
    def __call__(
        self,
        hidden: Tensor,
        code0: Tensor,
        noise: Tensor | None = None,
        temperature: Tensor | None = None,
        top_k: Tensor | None = None,
        top_p: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """As `Predictor.forward`."""
        for compiling in self._compiling:
            compiling.join()
        rows = len(code0)
        first = self._embed_first(code0)
        state = self._project(torch.cat([hidden, first]))
        self._buffers.low[: 2 * rows] = state
        self._buffers.state[: 2 * rows] = state
        self._buffers.squares[: 2 * rows] = state.float().square().unflatten(1, (self._programs, -1)).sum(2)
        codes = code0[:, None].repeat(1, self._config.num_code_groups)
        ones = torch.ones(rows, device=code0.device)
        if noise is None:
            noise, temperature = ones, torch.zeros_like(ones)
        self._buffers.counter.zero_()
        self._launch(
            frame[(self._programs,)],
            codes,
            noise,
            ones if temperature is None else temperature,
            torch.zeros_like(ones).int() if top_k is None else top_k.int(),
            ones if top_p is None else top_p,
        )
        others = F.embedding(codes[:, 1:] + self._books, self._embeddings)
        return codes, torch.cat([first[:, None], others], 1).sum(1)

    def _block_of(self, rows: int) -> int:
        return block_of(rows, self._shared, self._element_size)

    def _compile(self, rows: int, device: torch.device) -> threading.Thread:
        """The kernel for so many rows. It takes seconds, in which the engine has other things to start."""
        numbers = torch.ones(rows, device=device)
        codes = torch.zeros(rows, self._config.num_code_groups, dtype=torch.int64, device=device)
        launch = partial(frame.warmup, grid=(self._programs,))
        compiling = threading.Thread(
            target=self._launch, args=(launch, codes, numbers, numbers, numbers.int(), numbers), name=f"compile {rows}"
        )
        compiling.start()
        return compiling

    def _launch(
        self,
        launch: Callable[..., Any],
        codes: Tensor,
        noise: Tensor,
        temperature: Tensor,
        top_k: Tensor,
        top_p: Tensor,
    ) -> None:
        config, rows = self._config, len(codes)
        block = self._block_of(rows)
        chunks = 1 if block == 1 else min(CHUNKS, config.hidden_size // INNERMOST)
        together = {"launch_cooperative_grid": True} if self._programs > 1 else {}
        launch(
            *(codes, noise, temperature, top_k, top_p, rows),
            *self._buffers,
            *self._weights,
            LAYERS=config.num_hidden_layers,
            STEPS=config.num_code_groups - 1,
            WIDTH=config.hidden_size,
            INNER=config.intermediate_size,
            IDS=config.vocab_size,
            HEADS=config.num_attention_heads,
            GROUPS=config.num_key_value_heads,
            SIZE=config.head_dim,
            POSITIONS=config.num_code_groups,
            EPSILON=config.rms_norm_eps,
            PROGRAMS=self._programs,
            CHUNKS=chunks,
            BLOCK=1 if chunks == 1 else block,
            num_warps=WARPS,
            num_stages=1,
            **together,
        )


def block_of(rows: int, shared: float, element_size: int) -> int:
    """How many of so many rows are multiplied together.

    Args:
        shared: Bytes of shared memory that a program may have.
        element_size: Bytes of one weight.
    """
    room = shared * 2 / element_size
    if rows < TENSOR_CORES_FROM or room < BLOCK_BYTES[BLOCK]:
        return 1
    return LARGE_BLOCK if rows > BLOCK and room >= BLOCK_BYTES[LARGE_BLOCK] else BLOCK


def fused_or_plain(predictor: Predictor, most: int, multiprocessors: int) -> FusedPredictor | Predictor:
    """The fused predictor where all of its programs run at once, else the predictor as it is, which the log says."""
    if multiprocessors >= PROGRAMS:
        return FusedPredictor(predictor, most)
    log.warning("too few multiprocessors to fuse the predictor: %d, not %d", multiprocessors, PROGRAMS)
    return predictor


def multiprocessors_of(device: torch.device) -> int:
    """0 where there is no GPU."""
    if device.type != "cuda":
        return 0
    count: int = torch.cuda.get_device_properties(device).multi_processor_count
    return count


def shared_memory_of(device: torch.device) -> float:
    """Bytes that one program may have of a multiprocessor's; without end where there is no GPU."""
    if device.type != "cuda":
        return float("inf")
    return float(torch.cuda.get_device_properties(device).shared_memory_per_block_optin)
