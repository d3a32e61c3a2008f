"""The part of Qwen3-Omni's talker in vLLM's V2 runner."""

from typing import Any

import torch
from torch import Tensor
from vllm.config import VllmConfig
from vllm.v1.core.sched.output import NewRequestData
from vllm.v1.worker.gpu.input_batch import InputBatch
from vllm.v1.worker.gpu.mm.encoder_cache import EncoderCache
from vllm.v1.worker.gpu.mm.rope import RopeState
from vllm.v1.worker.gpu.model_states.default import DefaultModelState
from vllm.v1.worker.gpu.states import RequestState

from pipeline.models.hidden_states.row_pool import RowPool
from pipeline.models.qwen3_omni.extra_args import HeardRows, told
from pipeline.models.qwen3_omni.rows import HeardInputs
from pipeline.models.qwen3_tts.state import TalkerState
from pipeline.models.shared.positions import Grid, positions


class OmniTalkerState(TalkerState):
    """As Qwen3-TTS', but that a prompt has places for what the thinker made of sound and pictures."""

    rows: HeardInputs
    rope_state: RopeState
    _pool: RowPool | None = None

    def __init__(
        self, vllm_config: VllmConfig, model: Any, encoder_cache: EncoderCache | None, device: torch.device
    ) -> None:
        super().__init__(vllm_config, model, encoder_cache, device)
        self._grids: dict[str, tuple[Grid, ...]] = {}

    def rows_of(self, codec: Tensor) -> HeardInputs:
        config, table = self.talker.config, self.talker.take_text_table()
        return HeardInputs(self.max_num_reqs, self.max_model_len + 1, table, codec, config.tts_pad_token_id)

    def add_request(self, req_index: int, new_req_data: NewRequestData) -> None:
        params, name = new_req_data.sampling_params, new_req_data.req_id
        if heard := told(params.extra_args if params else None):
            self.rows.hear(req_index, self._heard(heard))
            self._grids[name] = heard.grids
        self._place(req_index, new_req_data)
        super().add_request(req_index, new_req_data)

    def apply_staged_writes(self) -> None:
        self._grids = {name: grids for name, grids in self._grids.items() if name in self._places}
        self.rope_state.apply_staged_writes()
        super().apply_staged_writes()

    def prepare_inputs(self, input_batch: InputBatch, req_states: RequestState) -> dict[str, Any]:
        return {
            **DefaultModelState.prepare_inputs(self, input_batch, req_states),
            **super().prepare_inputs(input_batch, req_states),
        }

    def prepare_dummy_inputs(self, num_reqs: int, num_tokens: int) -> dict[str, Any]:
        positions = self.rope_state.get_positions(num_tokens)
        return {**super().prepare_dummy_inputs(num_reqs, num_tokens), "positions": positions}

    def _place(self, req_index: int, new_req_data: NewRequestData) -> None:
        """Where in time, height and width its prompt stands, of which parts that follow prefill only the end."""
        ids, begin = new_req_data.prefill_token_ids, new_req_data.num_computed_tokens
        assert ids is not None
        placed, ahead = positions(self._grids.get(new_req_data.req_id, ()), begin, len(ids))
        self.rope_state.prefill_delta.np[req_index] = ahead
        for axis, row in enumerate(placed.tolist()):
            self.rope_state.prefill_positions.stage_write(len(placed) * req_index + axis, begin, row)

    @torch.inference_mode()
    def _heard(self, heard: HeardRows) -> Tensor:
        """What the talker makes of rows, [rows, width]. They are copied before this returns."""
        if self._pool is None or self._pool.path != heard.pool:
            self._pool = RowPool.attach(heard.pool)
        pool, layout = self._pool, self._pool.layout
        dtype = getattr(torch, layout.dtype)
        raw = torch.cat([torch.from_numpy(pool.rows[page, at : at + count]) for page, at, count in heard.runs])
        states = raw.view(dtype).view(len(raw), layout.layers, layout.width)[:, -1]
        projected: Tensor = self.talker.hidden_projection(states.to(self.device, self.dtype))
        return projected
