"""The Talker's part in vLLM's V2 runner: what is kept of each request, and the inputs that are made of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import torch
from torch import Tensor
from vllm.config import VllmConfig
from vllm.v1.core.sched.output import NewRequestData
from vllm.v1.kv_cache_interface import KVCacheConfig
from vllm.v1.worker.gpu.block_table import BlockTables
from vllm.v1.worker.gpu.input_batch import InputBatch, InputBuffers
from vllm.v1.worker.gpu.mm.encoder_cache import EncoderCache
from vllm.v1.worker.gpu.states import RequestState
from vllm.v1.worker.utils import AttentionGroup

from pipeline.models.qwen3_tts.extra_args import Opening, unpack
from pipeline.models.qwen3_tts.frame.cuda_graphs import BUCKETS, StepGraphs
from pipeline.models.qwen3_tts.frame.draw import Decoded, FrameDraw, decoded_room
from pipeline.models.qwen3_tts.frame.sampler import FrameSampler
from pipeline.models.qwen3_tts.frame.slot_sampling import SlotSampling
from pipeline.models.qwen3_tts.frame.step import FrameStep, Predicts
from pipeline.models.qwen3_tts.predictor.fused_predictor import fused_or_plain, multiprocessors_of
from pipeline.models.qwen3_tts.rows import Rows
from pipeline.models.shared.decoder_attention.state import OwnAttentionState


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Which slot a request has, and up to which position its text is written."""

    slot: int
    written: int


class TalkerState(OwnAttentionState):
    """Made by the runner once the model is loaded, and called by it in every step.

    Text that follows in a request comes as the same request removed and added again: in between it is
    parked, and its rows stay as they are.
    """

    supports_prompt_embeds = False

    def __init__(
        self, vllm_config: VllmConfig, model: Any, encoder_cache: EncoderCache | None, device: torch.device
    ) -> None:
        super().__init__(vllm_config, model, encoder_cache, device)
        self.talker = model
        self.draw: Callable[[Decoded], tuple[Tensor, Tensor]]
        self._sampling: SlotSampling | None = None
        codec = model.model.embed_tokens.weight
        self.rows = self.rows_of(codec)
        self._inputs = torch.zeros(self.max_num_tokens, self.inputs_embeds_size, dtype=codec.dtype, device=device)
        self._places: dict[str, RowPlace] = {}
        self._parked: dict[str, RowPlace] = {}
        self._room = 0
        self._quickest = self.quickest() if device.type == "cuda" else None

    def rows_of(self, codec: Tensor) -> Rows:
        """Makes room for all requests; the text table takes the place of what the model makes it of."""
        voice = self.talker.voice
        return Rows(
            self.max_num_reqs, self.max_model_len + 1, self.talker.take_text_table(), codec, voice.tts_pad_token_id
        )

    def add_request(self, req_index: int, new_req_data: NewRequestData) -> None:
        """Writes what is known of a new request, or the text that follows in one that is parked."""
        params = new_req_data.sampling_params
        message = unpack(params.extra_args if params else None)
        if message is None:
            return  # one of vLLM's own, to warm up
        assert self._room >= self.max_num_reqs * self.max_model_len, "a request that is preempted cannot be resumed"
        name = new_req_data.req_id
        if isinstance(message, Opening):
            place = RowPlace(req_index, 0)
            self.rows.open(req_index, message.text, message.codec, message.choice)
        else:
            place = self._moved(self._parked.pop(name), req_index)
            self.rows.append(req_index, place.written, message.text)
        self._places[name] = replace(place, written=place.written + len(message.text))

    def remove_request(self, req_id: str) -> None:
        """The request has ended, or is about to be added again."""
        if place := self._places.pop(req_id, None):
            self._parked[req_id] = place

    def apply_staged_writes(self) -> None:
        self._parked.clear()  # they have ended
        super().apply_staged_writes()

    def prepare_inputs(self, input_batch: InputBatch, req_states: RequestState) -> dict[str, Any]:
        """One buffer for all steps, as CUDA graphs want it."""
        count = input_batch.num_tokens
        self.rows.read(
            input_batch.idx_mapping, input_batch.query_start_loc, input_batch.positions[:count], self._inputs[:count]
        )
        return {"inputs_embeds": self._inputs[: input_batch.num_tokens_after_padding]}

    def prepare_dummy_inputs(self, num_reqs: int, num_tokens: int) -> dict[str, Any]:
        return {"inputs_embeds": self._inputs[:num_tokens]}

    def first_attention(self) -> Any:
        return self.talker.model.layers[0].self_attn

    def initialize_kv_cache(self, kv_cache_config: KVCacheConfig, block_tables: BlockTables) -> None:
        spec = kv_cache_config.kv_cache_groups[0].kv_cache_spec
        self._room = (kv_cache_config.num_blocks - 1) * spec.block_size  # the first block is vLLM's own

    def capture_inner_cudagraphs(
        self,
        input_buffers: InputBuffers,
        block_tables: BlockTables,
        attn_groups: list[list[AttentionGroup]],
        kv_cache_config: KVCacheConfig,
    ) -> None:
        """Puts what draws a frame behind graphs, where vLLM puts the decoder behind its own."""
        assert self._quickest is not None and self._sampling is not None
        most, ids = self.max_num_reqs, len(self.talker.never)
        dtype = cast(torch.dtype, self.dtype)
        room = decoded_room(most, self.inputs_embeds_size, ids, self._sampling.spare, dtype, "cuda")
        buckets = [*(rows for rows in BUCKETS if rows < most), most]
        self.draw = StepGraphs(self._draws(self._sampling, self._quickest), room, buckets)

    def quickest(self) -> Predicts:
        """The predictor that the graphs are made of."""
        return fused_or_plain(self.talker.code_predictor, self.max_num_reqs, multiprocessors_of(self.device))

    def custom_sampler(self, sampler: Any) -> tuple[FrameSampler, None]:
        self._sampling = SlotSampling(sampler, len(self.talker.never), self.device)
        self.draw = self._draws(self._sampling, self.talker.code_predictor)
        return FrameSampler(sampler, self._sampling, self), None

    def _draws(self, sampling: SlotSampling, predictor: Predicts) -> FrameDraw:
        return FrameDraw(sampling, self.rows, FrameStep(predictor, self.talker.code_predictor.config))

    def _moved(self, place: RowPlace, slot: int) -> RowPlace:
        """Nothing was written between removing and adding the request: its rows are still as they were."""
        if place.slot != slot:
            self.rows.move(place.slot, slot)
        return replace(place, slot=slot)
