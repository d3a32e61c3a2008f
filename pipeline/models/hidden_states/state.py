"""The part in vLLM's V2 runner of a model whose hidden states leave the engine."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from vllm.config import VllmConfig
from vllm.config.compilation import CUDAGraphMode
from vllm.utils.torch_utils import async_tensor_h2d
from vllm.v1.core.sched.output import NewRequestData
from vllm.v1.kv_cache_interface import KVCacheConfig
from vllm.v1.outputs import SamplerOutput
from vllm.v1.worker.gpu.block_table import BlockTables
from vllm.v1.worker.gpu.input_batch import InputBatch
from vllm.v1.worker.gpu.mm.encoder_cache import EncoderCache
from vllm.v1.worker.gpu.model_states.default import DefaultModelState

from pipeline.models.hidden_states.device_rows import device_rows
from pipeline.models.hidden_states.extra_args import asked
from pipeline.models.hidden_states.row_pool import RowPool
from pipeline.models.hidden_states.row_writer import RowPlacer


@dataclass(frozen=True, slots=True)
class CachedPrompt:
    """What of a prompt was found in the prefix cache: its blocks, and how many positions."""

    blocks: tuple[int, ...]
    positions: int


class HiddenStatesState(DefaultModelState):
    """Hands on what the model keeps in `aux_rows`, [tokens of a step, layers, width], once a step has computed it.

    Rows of prompts that are found in the prefix cache are not computed again: while that cache is on, all rows are
    kept beside it under the same blocks, and are as long right as the keys and values there.
    """

    def __init__(
        self, vllm_config: VllmConfig, model: Any, encoder_cache: EncoderCache | None, device: torch.device
    ) -> None:
        super().__init__(vllm_config, model, encoder_cache, device)
        self._rows: Tensor = model.aux_rows
        self._caching = bool(vllm_config.cache_config.enable_prefix_caching)
        self._pools: dict[str, tuple[RowPool, Tensor]] = {}
        self._placers: dict[str, RowPlacer] = {}
        self._live: set[str] = set()
        self._cached: dict[str, CachedPrompt] = {}
        self._kept: Tensor | None = None
        self._slots: Tensor | None = None
        self._block = 0

    def add_request(self, req_index: int, new_req_data: NewRequestData) -> None:
        super().add_request(req_index, new_req_data)
        self._live.add(new_req_data.req_id)
        params = new_req_data.sampling_params
        request = asked(params.extra_args if params else None)
        if request is None:
            return
        pool, _ = self._pools.get(request.pool) or self._attached(request.pool)
        name = new_req_data.req_id
        self._placers[name] = RowPlacer(pool, request, new_req_data.prompt_len)
        if found := new_req_data.num_computed_tokens:
            self._cached[name] = CachedPrompt(tuple(new_req_data.block_ids[0]), found)

    def remove_request(self, req_id: str) -> None:
        """It has ended, or was preempted: then all of its rows are written anew when it goes on."""
        self._live.discard(req_id)
        self._placers.pop(req_id, None)
        self._cached.pop(req_id, None)
        super().remove_request(req_id)

    def initialize_kv_cache(self, kv_cache_config: KVCacheConfig, block_tables: BlockTables) -> None:
        super().initialize_kv_cache(kv_cache_config, block_tables)
        (group,) = kv_cache_config.kv_cache_groups
        self._block = group.kv_cache_spec.block_size
        if self._caching:
            self._kept = self._rows.new_zeros((kv_cache_config.num_blocks * self._block, *self._rows.shape[1:]))

    def prepare_attn(
        self,
        input_batch: InputBatch,
        cudagraph_mode: CUDAGraphMode,
        block_tables: tuple[Tensor, ...],
        slot_mappings: Tensor,
        *args: Any,
        **kwargs: Any,
    ) -> dict[str, Any]:
        self._slots = slot_mappings[0]
        return super().prepare_attn(input_batch, cudagraph_mode, block_tables, slot_mappings, *args, **kwargs)

    def custom_sampler(self, sampler: Any) -> tuple["RowSampler", None]:
        return RowSampler(sampler, self), None

    def serves(self, batch: InputBatch) -> bool:
        """Whether the batch is of requests: vLLM's dummy ones, which it measures with, have never been added."""
        return any(name in self._live for name in batch.req_ids)

    def hand_on(self, batch: InputBatch) -> None:
        """Copies the rows of the step that was just computed, on the engine's own stream: before its tokens."""
        if self._kept is not None:
            assert self._slots is not None
            self._kept.index_copy_(0, self._slots[: batch.num_tokens], self._rows[: batch.num_tokens])
        sources: list[NDArray[np.int64]] = []
        places: list[NDArray[np.int64]] = []
        pool = ""
        for at, name in enumerate(batch.req_ids):
            placer = self._placers.get(name)
            if placer is None:
                continue
            pool = placer.pool.path
            if found := self._cached.pop(name, None):
                self._hand_on_cached(placer, found)
            begin = int(batch.num_computed_tokens_np[at])
            shift = int(batch.query_start_loc_np[at]) - begin
            for run in placer.places(begin, begin + int(batch.num_scheduled_tokens[at])):
                sources.append(_counted(run.position + shift, run.count))
                places.append(_counted(run.row, run.count))
        self._copy(pool, self._rows, sources, places)

    def _hand_on_cached(self, placer: RowPlacer, found: CachedPrompt) -> None:
        assert self._kept is not None, "an engine without a prefix cache finds nothing in it"
        runs = list(placer.places(0, found.positions))
        blocks = np.asarray(found.blocks, np.int64)
        positions = [_counted(run.position, run.count) for run in runs]
        slots = [blocks[each // self._block] * self._block + each % self._block for each in positions]
        self._copy(placer.pool.path, self._kept, slots, [_counted(run.row, run.count) for run in runs])

    def _copy(
        self, pool: str, source: Tensor, sources: list[NDArray[np.int64]], places: list[NDArray[np.int64]]
    ) -> None:
        if not places:
            return
        _, target = self._pools[pool]
        here, there = (async_tensor_h2d(np.concatenate(each), device=self.device) for each in (sources, places))
        target.index_copy_(0, there, source.index_select(0, here))

    def _attached(self, path: str) -> tuple[RowPool, Tensor]:
        """All requests of an engine share a pool; the one before it, if there was one, is not needed any more."""
        pool = RowPool.attach(path)
        self._pools = {path: (pool, device_rows(pool, self._rows))}
        return self._pools[path]


class RowSampler:
    """vLLM's sampler, and before it the rows of the step. It is called in every step, whatever is sampled."""

    def __init__(self, base: Any, state: HiddenStatesState) -> None:
        self._base = base
        self._state = state

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)

    def __call__(self, logits: Tensor, input_batch: InputBatch) -> SamplerOutput:
        if self._state.serves(input_batch):
            self._state.hand_on(input_batch)
        output: SamplerOutput = self._base(logits, input_batch)
        return output


def _counted(first: int, count: int) -> NDArray[np.int64]:
    return np.arange(first, first + count, dtype=np.int64)
