"""The part in vLLM's V2 runner of a model whose decoder may have our own attention."""

from typing import Any

from vllm.config.compilation import CUDAGraphMode
from vllm.v1.worker.gpu.input_batch import InputBatch
from vllm.v1.worker.gpu.model_states.default import DefaultModelState

from pipeline.models.shared.decoder_attention.layer import runs_own


class OwnAttentionState(DefaultModelState):
    """Makes nothing for a graph of our own attention, which reads nothing of it: it would only take the host's time."""

    def first_attention(self) -> Any:
        """Returns the attention of the decoder's first layer; all are alike."""
        raise NotImplementedError

    def prepare_attn(
        self,
        input_batch: InputBatch,
        cudagraph_mode: CUDAGraphMode,
        *args: Any,
        for_capture: bool = False,
        **kwargs: Any,
    ) -> dict[str, Any]:
        replayed = cudagraph_mode == CUDAGraphMode.FULL and not for_capture
        if replayed and runs_own(self.first_attention(), input_batch.num_tokens_after_padding):
            return {}
        made: dict[str, Any] = super().prepare_attn(
            input_batch, cudagraph_mode, *args, for_capture=for_capture, **kwargs
        )
        return made
