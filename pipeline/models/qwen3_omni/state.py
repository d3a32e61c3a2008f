"""The part of Qwen3-Omni's talker in vLLM's V2 runner."""

import torch
from torch import Tensor
from vllm.v1.core.sched.output import NewRequestData

from pipeline.models.hidden_states.row_pool import RowPool
from pipeline.models.qwen3_omni.extra_args import HeardRows, told
from pipeline.models.qwen3_omni.rows import HeardInputs
from pipeline.models.qwen3_tts.state import TalkerState


class OmniTalkerState(TalkerState):
    """As Qwen3-TTS', but that a prompt has places for what the thinker made of sound and pictures."""

    rows: HeardInputs
    _pool: RowPool | None = None

    def rows_of(self, codec: Tensor) -> HeardInputs:
        config, table = self.talker.config, self.talker.take_text_table()
        return HeardInputs(self.max_num_reqs, self.max_model_len + 1, table, codec, config.tts_pad_token_id)

    def add_request(self, req_index: int, new_req_data: NewRequestData) -> None:
        params = new_req_data.sampling_params
        if heard := told(params.extra_args if params else None):
            self.rows.hear(req_index, self._heard(heard))
        super().add_request(req_index, new_req_data)

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
