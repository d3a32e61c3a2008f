"""What models have in common that show what is seen to their first layers, too (deepstack)."""

from typing import Any

from torch import Tensor
from vllm.model_executor.models.interfaces import MultiModalEmbeddings


class ForgetsWhatWasSeen:
    """Comes in front of a model of vLLM's: what the last step saw is gone in the next one."""

    use_deepstack: bool
    deepstack_input_embeds_num_tokens: int
    _clear_deepstack_input_embeds: Any

    def embed_input_ids(
        self,
        input_ids: Tensor,
        multimodal_embeddings: MultiModalEmbeddings | None = None,
        *,
        is_multimodal: Tensor | None = None,
    ) -> Tensor:
        """A step that is one CUDA graph reads what was seen, but does not clear it."""
        if self.use_deepstack:
            self._clear_deepstack_input_embeds(self.deepstack_input_embeds_num_tokens)
        inherited: Any = super()
        embedded: Tensor = inherited.embed_input_ids(input_ids, multimodal_embeddings, is_multimodal=is_multimodal)
        return embedded
