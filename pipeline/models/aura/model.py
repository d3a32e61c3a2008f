"""AURA as a vLLM model: Qwen3-VL, with weights that are complete."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from torch import Tensor
from vllm.config import VllmConfig
from vllm.model_executor.models.qwen3_vl import (
    Qwen3VLDummyInputsBuilder,
    Qwen3VLForConditionalGeneration,
    Qwen3VLMultiModalProcessor,
    Qwen3VLProcessingInfo,
)
from vllm.multimodal import MULTIMODAL_REGISTRY

from pipeline.models.aura.config import read_aura
from pipeline.models.aura.state import AuraState
from pipeline.models.aura.weight_names import expected_shapes, optional_names
from pipeline.models.process_title import name_engine
from pipeline.models.shared.deepstack import ForgetsWhatWasSeen
from pipeline.models.shared.weight_names import check_names


@MULTIMODAL_REGISTRY.register_processor(
    Qwen3VLMultiModalProcessor, info=Qwen3VLProcessingInfo, dummy_inputs=Qwen3VLDummyInputsBuilder
)
class AuraQwen3VLForConditionalGeneration(ForgetsWhatWasSeen, Qwen3VLForConditionalGeneration):
    """What makes it AURA is how it was trained, and so its prompts (`pipeline.topology.processors.aura`)."""

    def __init__(self, *, vllm_config: VllmConfig, prefix: str = "model") -> None:
        name_engine("aura")
        super().__init__(vllm_config=vllm_config, prefix=prefix)
        self.source = Path(vllm_config.model_config.model)

    def get_model_state_cls(self) -> type[AuraState]:
        return AuraState

    def load_weights(self, weights: Iterable[tuple[str, Tensor]]) -> set[str]:
        """Loads a checkpoint's weights under vLLM's names, and checks that none is missing or left over.

        Raises:
            ConfigError: Weights are missing, or nothing uses them; lists their names.
        """
        config = read_aura(self.source)
        if config.quantization_config:  # its weights have other names, which vLLM knows
            quantised: set[str] = super().load_weights(weights)
            return quantised
        wanted = dict(expected_shapes(config))  # with a head, which vLLM wants where a checkpoint has it, tied or not
        given: list[str] = []

        def known() -> Iterator[tuple[str, Tensor]]:
            for name, tensor in weights:
                given.append(name)
                if name in wanted:
                    yield name, tensor

        loaded: set[str] = super().load_weights(known())
        check_names(wanted, given, str(self.source), optional_names(config))
        return loaded
