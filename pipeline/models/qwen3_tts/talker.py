"""The Talker as a vLLM model: text and codes in, codebook 0 of the next frame out."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

from torch import Tensor, nn
from vllm.config import VllmConfig
from vllm.model_executor.layers.logits_processor import LogitsProcessor
from vllm.model_executor.layers.vocab_parallel_embedding import ParallelLMHead
from vllm.model_executor.models.qwen3 import Qwen3Model
from vllm.model_executor.models.utils import AutoWeightsLoader, maybe_prefix

from pipeline.models.process_title import name_engine
from pipeline.models.qwen3_tts.config import voice_config
from pipeline.models.qwen3_tts.predictor.predictor import Predictor
from pipeline.models.qwen3_tts.state import TalkerState
from pipeline.models.qwen3_tts.weight_names import ELSEWHERE, checkpoint_names
from pipeline.models.shared.codec_talker import CodecTalker, TextProjection
from pipeline.models.shared.decoder_attention.layer import with_own_attention
from pipeline.models.shared.weight_names import check_names

# Of its process. vLLM marks padding in every step for experts, which may skip it, whether there are any or not.
NO_EXPERTS = "VLLM_MOE_SKIP_PADDING"


class Talker(CodecTalker):
    """A Qwen3 decoder over codec embeddings, the projection of the text, and the code predictor.

    Its inputs are made in `TalkerState` and come as `inputs_embeds`; its hidden states are read back
    by the predictor in the same step, in `FrameSampler`.
    """

    def __init__(self, *, vllm_config: VllmConfig, prefix: str = "") -> None:
        name_engine("qwen3_tts")
        super().__init__()
        os.environ[NO_EXPERTS] = "0"
        model_config = vllm_config.model_config
        self.source = str(model_config.model)
        voice = voice_config(model_config.hf_config.checkpoint, Path(self.source))
        self.voice, talker = voice, voice.talker
        self.model = Qwen3Model(vllm_config=vllm_config, prefix=maybe_prefix(prefix, "model"))
        with_own_attention(self.model, vllm_config, "the Talker")
        self.codec_head = ParallelLMHead(
            talker.vocab_size, talker.hidden_size, prefix=maybe_prefix(prefix, "codec_head")
        )
        self.text_embedding = nn.Embedding(talker.text_vocab_size, talker.text_hidden_size)
        self.text_projection = TextProjection(talker.text_hidden_size, talker.text_hidden_size, talker.hidden_size)
        first = cast(nn.Embedding, self.model.embed_tokens)  # it is called, and no more
        self.code_predictor = Predictor(voice.predictor, talker.hidden_size, first)
        self.logits_processor = LogitsProcessor(talker.vocab_size)
        self.never_sample_reserved(talker.vocab_size, talker.codec_eos_token_id)

    def get_model_state_cls(self) -> type[TalkerState]:
        return TalkerState

    def load_weights(self, weights: Iterable[tuple[str, Tensor]]) -> set[str]:
        """Loads the talker's weights out of the checkpoint, and checks that none is missing or left over.

        Raises:
            ConfigError: Weights are missing, or nothing uses them; lists their names.
        """
        wanted = checkpoint_names(name for name, _ in self.named_parameters())
        given: list[str] = []

        def known() -> Iterator[tuple[str, Tensor]]:
            for name, tensor in weights:
                if not name.startswith(ELSEWHERE):
                    given.append(name)
                if name in wanted:
                    yield wanted[name], tensor

        loaded: set[str] = AutoWeightsLoader(self).load_weights(known())
        check_names(wanted, given, self.source)
        return loaded
