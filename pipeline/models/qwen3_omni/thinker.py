"""The thinker as a vLLM model: vLLM's own, whose inputs and one layer's states are kept for the talker."""

from typing import Any

import torch
from torch import Tensor
from vllm.config import VllmConfig
from vllm.model_executor.models.interfaces import MultiModalEmbeddings
from vllm.model_executor.models.qwen3_omni_moe_thinker import (
    Qwen3OmniMoeThinkerDummyInputsBuilder,
    Qwen3OmniMoeThinkerForConditionalGeneration,
    Qwen3OmniMoeThinkerMultiModalProcessor,
    Qwen3OmniMoeThinkerProcessingInfo,
)
from vllm.multimodal import MULTIMODAL_REGISTRY
from vllm.sequence import IntermediateTensors

from pipeline.models.hidden_states.state import HiddenStatesState
from pipeline.models.process_title import name_engine
from pipeline.models.shared.deepstack import ForgetsWhatWasSeen

PIXELS = ("pixel_values", "pixel_values_videos")
HALF = 127.5  # of a byte's range, which becomes -1 to 1


@MULTIMODAL_REGISTRY.register_processor(
    Qwen3OmniMoeThinkerMultiModalProcessor,
    info=Qwen3OmniMoeThinkerProcessingInfo,
    dummy_inputs=Qwen3OmniMoeThinkerDummyInputsBuilder,
)
class Qwen3OmniThinker(ForgetsWhatWasSeen, Qwen3OmniMoeThinkerForConditionalGeneration):
    """Its states are those of the layer that the talker's configuration names.

    Attributes:
        aux_rows: [tokens of a step, 2, width]; what went in, and what the layer made of it. A step that is a CUDA
            graph writes it, too.
    """

    def __init__(self, *, vllm_config: VllmConfig, prefix: str = "") -> None:
        name_engine("thinker")
        super().__init__(vllm_config=vllm_config, prefix=prefix)
        model_config = vllm_config.model_config
        self.set_aux_hidden_state_layers((model_config.hf_config.talker_config.accept_hidden_layer,))
        shape = (vllm_config.scheduler_config.max_num_batched_tokens, 2, self.config.text_config.hidden_size)
        self.aux_rows: Tensor
        self.register_buffer("aux_rows", torch.zeros(shape, dtype=model_config.dtype), persistent=False)

    def get_model_state_cls(self) -> type[HiddenStatesState]:
        return HiddenStatesState

    def embed_multimodal(self, **kwargs: Any) -> MultiModalEmbeddings | None:
        """What is seen may come as bytes, a quarter of what is sent otherwise."""
        for name in PIXELS:
            if isinstance(pixels := kwargs.get(name), Tensor) and pixels.dtype == torch.uint8:
                kwargs[name] = (pixels.float() / HALF - 1).to(self.visual.dtype)
        embedded: MultiModalEmbeddings | None = super().embed_multimodal(**kwargs)
        return embedded

    def forward(
        self,
        input_ids: Tensor | None,
        positions: Tensor,
        intermediate_tensors: IntermediateTensors | None = None,
        inputs_embeds: Tensor | None = None,
        **kwargs: Any,
    ) -> Tensor:
        if inputs_embeds is None:
            assert input_ids is not None, "an engine has one stage of layers"
            inputs_embeds = self.language_model.embed_input_ids(input_ids)
        count = len(inputs_embeds)
        self.aux_rows[:count, 0].copy_(inputs_embeds)  # before: the first layer's norm may write over them
        told = super().forward(input_ids, positions, intermediate_tensors, inputs_embeds, **kwargs)
        assert isinstance(told, tuple)
        states: Tensor = told[0]
        self.aux_rows[:count, 1].copy_(told[1][0])
        return states
