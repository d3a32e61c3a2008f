"""What the Talker keeps of each request on the device, and the inputs it makes of it for every step."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from vllm.config import VllmConfig
from vllm.utils.torch_utils import async_tensor_h2d
from vllm.v1.core.sched.output import NewRequestData
from vllm.v1.kv_cache_interface import KVCacheConfig
from vllm.v1.worker.gpu.block_table import BlockTables
from vllm.v1.worker.gpu.input_batch import InputBatch, InputBuffers
from vllm.v1.worker.gpu.mm.encoder_cache import EncoderCache
from vllm.v1.worker.gpu.model_states.default import DefaultModelState
from vllm.v1.worker.gpu.states import RequestState
from vllm.v1.worker.utils import AttentionGroup

from pipeline.models.qwen3_tts.frames import FrameSampler
from pipeline.models.qwen3_tts.predictor_fused import fused_or_plain, multiprocessors_of
from pipeline.models.qwen3_tts.predictor_graphs import BUCKETS, PredictorGraphs, Predicts, buffers
from pipeline.models.qwen3_tts.prompt import NO_CODEC
from pipeline.models.qwen3_tts.wire import Opening, unpack

FRAME = NO_CODEC - 1  # a position at which the frame before is read back


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request's rows are, and up to which position its text is written."""

    slot: int
    written: int


class TalkerState(DefaultModelState):
    """Inputs by position: each is the embedding of a text id plus that of a codec id, or of the last frame.

    Both kinds of ids are written when a request opens, so that a step is a few look-ups, the same for
    prefill in any chunks, for frames, and for the first frame after more text was appended.
    """

    supports_prompt_embeds = False

    def __init__(
        self, vllm_config: VllmConfig, model: Any, encoder_cache: EncoderCache | None, device: torch.device
    ) -> None:
        super().__init__(vllm_config, model, encoder_cache, device)
        ids = (self.max_num_reqs, self.max_model_len + 1)
        width = self.inputs_embeds_size
        self.talker = model
        self.float = cast(torch.dtype, self.dtype)
        self.predictor: Predicts = model.code_predictor
        self.pad_id = model.voice.tts_pad_token_id
        self.text_table: Tensor = model.text_table()  # [text ids, width]
        self.text_ids = torch.full(ids, self.pad_id, dtype=torch.int32, device=device)
        self.codec_ids = torch.full(ids, FRAME, dtype=torch.int32, device=device)
        self.frames = torch.zeros(self.max_num_reqs, width, dtype=self.float, device=device)  # the last frame's sum
        self.choices = torch.zeros(self.max_num_reqs, 3, dtype=torch.float32, device=device)  # see `wire.Choice`
        self.inputs = torch.zeros(self.max_num_tokens, width, dtype=self.float, device=device)
        self.draws = np.zeros(self.max_num_reqs, bool)  # whether the slot's choice is anything but the likeliest
        self._places: dict[str, Place] = {}
        self._parked: dict[str, Place] = {}
        self._room = 0

    def add_request(self, req_index: int, new_req_data: NewRequestData) -> None:
        """Writes the ids of a new request, or of the text that follows in one that is parked."""
        params = new_req_data.sampling_params
        message = unpack(params.extra_args if params else None)
        if message is None:
            return  # one of vLLM's own, to warm up
        assert self._room >= self.max_num_reqs * self.max_model_len, "a request that is preempted cannot be resumed"
        name = new_req_data.req_id
        if isinstance(message, Opening):
            place = Place(req_index, 0)
            self.text_ids[req_index] = self.pad_id
            self.codec_ids[req_index] = FRAME
            self._write(self.codec_ids, place, message.codec)
            self._write(self.choices, place, message.choice)
            self.draws[req_index] = message.choice[0] > 0
        else:
            place = self._moved(self._parked.pop(name), req_index)
        self._write(self.text_ids, place, message.text)
        self._places[name] = replace(place, written=place.written + len(message.text))

    def remove_request(self, req_id: str) -> None:
        """The request has ended, or is about to be added again with more text: its rows stay until others need them."""
        if place := self._places.pop(req_id, None):
            self._parked[req_id] = place

    def apply_staged_writes(self) -> None:
        self._parked.clear()
        super().apply_staged_writes()

    def prepare_inputs(self, input_batch: InputBatch, req_states: RequestState) -> dict[str, Any]:
        count = input_batch.num_tokens
        places = input_batch.positions[:count]
        slots = input_batch.idx_mapping
        if count == input_batch.num_reqs and not input_batch.has_prefill:
            embeds = self.frames[slots]
        else:
            slots = torch.repeat_interleave(slots, self._lengths(input_batch), output_size=count)
            codec = self.codec_ids[slots, places]
            told = F.embedding(codec.clamp(min=0), self.talker.model.embed_tokens.weight)
            told = torch.where((codec == NO_CODEC)[:, None], 0.0, told)
            embeds = torch.where((codec == FRAME)[:, None], self.frames[slots], told)
        torch.add(embeds, self.text_table[self.text_ids[slots, places]], out=self.inputs[:count])
        return {"inputs_embeds": self.inputs[: input_batch.num_tokens_after_padding]}

    def prepare_dummy_inputs(self, num_reqs: int, num_tokens: int) -> dict[str, Any]:
        return {"inputs_embeds": self.inputs[:num_tokens]}

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
        """Puts the predictor behind graphs, where vLLM puts the decoder behind its own."""
        plain, most = self.talker.code_predictor, self.max_num_reqs
        config = plain.config
        room = buffers(most, self.inputs_embeds_size, config.num_code_groups, config.vocab_size, self.float, "cuda")
        buckets = [*(rows for rows in BUCKETS if rows < most), most]
        self.predictor = PredictorGraphs(self.quickest(), room, buckets)

    def quickest(self) -> Predicts:
        """The predictor that the graphs are made of."""
        return fused_or_plain(self.talker.code_predictor, self.max_num_reqs, multiprocessors_of(self.device))

    def custom_sampler(self, sampler: Any) -> tuple[FrameSampler, None]:
        return FrameSampler(sampler, self), None

    def _moved(self, place: Place, slot: int) -> Place:
        """Nothing was written between removing and adding the request: its rows are still as they were."""
        if place.slot != slot:
            for rows in (self.text_ids, self.codec_ids, self.frames, self.choices):
                rows[slot] = rows[place.slot]
            self.draws[slot] = self.draws[place.slot]
        return replace(place, slot=slot)

    def _write(self, rows: Tensor, place: Place, values: Sequence[float]) -> None:
        """Ids beyond the last position are left out: they would never be read."""
        begin = place.written
        end = min(begin + len(values), rows.shape[1])
        if begin < end:
            told = list(values[: end - begin])
            rows[place.slot, begin:end] = async_tensor_h2d(told, device=self.device, dtype=rows.dtype)

    def _lengths(self, batch: InputBatch) -> Tensor:
        lengths: Tensor = async_tensor_h2d(batch.num_scheduled_tokens, device=self.device)
        return lengths
