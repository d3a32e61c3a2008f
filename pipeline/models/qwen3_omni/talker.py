"""The talker of Qwen3-Omni as a vLLM model: words and what was heard in, codebook 0 of the next frame out."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from torch import Tensor, nn
from vllm.config import VllmConfig
from vllm.model_executor.layers.logits_processor import LogitsProcessor
from vllm.model_executor.layers.vocab_parallel_embedding import ParallelLMHead
from vllm.model_executor.models.interfaces import SupportsMRoPE
from vllm.model_executor.models.qwen3_moe import Qwen3MoeModel
from vllm.model_executor.models.utils import AutoWeightsLoader, maybe_prefix

from pipeline.models.process_title import name_engine
from pipeline.models.qwen3_omni.config import read_omni
from pipeline.models.qwen3_omni.state import OmniTalkerState
from pipeline.models.qwen3_omni.weight_names import ELSEWHERE, own_name, talker_shapes
from pipeline.models.qwen3_tts.predictor.predictor import Predictor
from pipeline.models.shared.codec_talker import CodecTalker, TextProjection
from pipeline.models.shared.weight_names import check_names


class OmniTalker(CodecTalker, SupportsMRoPE):
    """A mixture of experts over codec embeddings, the projections from the thinker, and the code predictor.

    Its inputs are made in `OmniTalkerState` and come as `inputs_embeds`; its hidden states are read back by the
    predictor in the same step.
    """

    def __init__(self, *, vllm_config: VllmConfig, prefix: str = "") -> None:
        name_engine("talker")
        super().__init__()
        self.source = Path(vllm_config.model_config.model)
        self.config = read_omni(self.source)
        thinker, talker, decoder = self.config.thinker, self.config.talker, self.config.talker.decoder
        self.model = Qwen3MoeModel(vllm_config=vllm_config, prefix=maybe_prefix(prefix, "model"))
        self.codec_head = ParallelLMHead(
            decoder.vocab_size, decoder.hidden_size, prefix=maybe_prefix(prefix, "codec_head")
        )
        sizes = thinker.hidden_size, decoder.intermediate_size, decoder.hidden_size
        self.text_embedding = nn.Embedding(thinker.vocab_size, thinker.hidden_size)
        self.text_projection = TextProjection(*sizes)
        self.hidden_projection = TextProjection(*sizes)
        first = cast(nn.Embedding, self.model.embed_tokens)  # it is called, and no more
        self.code_predictor = Predictor(talker.predictor, decoder.hidden_size, first)
        self.logits_processor = LogitsProcessor(decoder.vocab_size)
        self.never_sample_reserved(decoder.vocab_size, talker.codec_eos_token_id)

    def get_model_state_cls(self) -> type[OmniTalkerState]:
        return OmniTalkerState

    def get_mrope_input_positions(self, input_tokens: Any, mm_features: Any) -> Any:
        """Never called: `OmniTalkerState` knows where pictures are."""
        raise NotImplementedError

    def load_weights(self, weights: Iterable[tuple[str, Tensor]]) -> set[str]:
        """Loads the talker's weights out of the checkpoint, and checks that none is missing or left over.

        Raises:
            ConfigError: Weights are missing, or nothing uses them; lists their names.
        """
        wanted = {name for name, _ in talker_shapes(self.config)}
        given: list[str] = []

        def known() -> Iterator[tuple[str, Tensor]]:
            for name, tensor in weights:
                if name in wanted or not name.startswith(ELSEWHERE):
                    given.append(name)
                if name in wanted:
                    yield own_name(name), tensor

        loaded: set[str] = AutoWeightsLoader(self).load_weights(known())
        check_names(wanted, given, str(self.source))
        return loaded
