"""The Talker as a vLLM model: text and codes in, codebook 0 of the next frame out."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from vllm.config import VllmConfig
from vllm.model_executor.layers.logits_processor import LogitsProcessor
from vllm.model_executor.layers.vocab_parallel_embedding import ParallelLMHead
from vllm.model_executor.models.qwen3 import Qwen3Model
from vllm.model_executor.models.utils import AutoWeightsLoader, maybe_prefix
from vllm.sequence import IntermediateTensors

from pipeline.models.qwen3_tts.config import voice_config
from pipeline.models.qwen3_tts.predictor.predictor import Predictor
from pipeline.models.qwen3_tts.state import TalkerState
from pipeline.models.qwen3_tts.weight_names import ELSEWHERE, checkpoint_names
from pipeline.models.shared.weight_names import check_names

RESERVED = 1024  # ids at the end of the vocabulary: voices, languages, marks; of these only the EOS is ever sampled


class Talker(nn.Module):
    """A Qwen3 decoder over codec embeddings, the projection of the text, and the code predictor.

    Its inputs are made in `TalkerState` and come as `inputs_embeds`; its hidden states are read back
    by the predictor in the same step, in `FrameSampler`.
    """

    def __init__(self, *, vllm_config: VllmConfig, prefix: str = "") -> None:
        super().__init__()
        model_config = vllm_config.model_config
        self.source = str(model_config.model)
        voice = voice_config(model_config.hf_config.checkpoint, Path(self.source))
        self.voice, talker = voice, voice.talker
        self.model = Qwen3Model(vllm_config=vllm_config, prefix=maybe_prefix(prefix, "model"))
        self.codec_head = ParallelLMHead(
            talker.vocab_size, talker.hidden_size, prefix=maybe_prefix(prefix, "codec_head")
        )
        self.text_embedding = nn.Embedding(talker.text_vocab_size, talker.text_hidden_size)
        self.text_projection = TextProjection(talker.text_hidden_size, talker.text_hidden_size, talker.hidden_size)
        first = cast(nn.Embedding, self.model.embed_tokens)  # it is called, and no more
        self.code_predictor = Predictor(voice.predictor, talker.hidden_size, first)
        self.logits_processor = LogitsProcessor(talker.vocab_size)
        never = torch.arange(talker.vocab_size) >= talker.vocab_size - RESERVED
        never[talker.codec_eos_token_id] = False
        self.register_buffer("never", never, persistent=False)
        self.never: Tensor

    def get_model_state_cls(self) -> type[TalkerState]:
        return TalkerState

    def embed_input_ids(self, input_ids: Tensor) -> Tensor:
        return self.model.embed_input_ids(input_ids)

    def forward(
        self,
        input_ids: Tensor | None,
        positions: Tensor,
        intermediate_tensors: IntermediateTensors | None = None,
        inputs_embeds: Tensor | None = None,
    ) -> Tensor | IntermediateTensors:
        states: Tensor | IntermediateTensors = self.model(input_ids, positions, intermediate_tensors, inputs_embeds)
        return states

    def compute_logits(self, hidden_states: Tensor) -> Tensor:
        self.hidden = hidden_states  # for the predictor, in the same step
        logits: Tensor = self.logits_processor(self.codec_head, hidden_states)
        return logits.masked_fill_(self.never, -torch.inf)

    def take_text_table(self) -> Tensor:
        """What each text id adds to an input, [text ids, width]: projected once, and looked up at every position.

        It takes the place of what it is made of, which is let go.
        """
        table = text_table(self.text_embedding, self.text_projection)
        del self.text_embedding, self.text_projection
        return table

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


class TextProjection(nn.Module):
    """Two layers from the width of the text embedding to that of the Talker."""

    def __init__(self, source: int, inner: int, width: int) -> None:
        super().__init__()
        self.linear_fc1 = nn.Linear(source, inner)
        self.linear_fc2 = nn.Linear(inner, width)

    def forward(self, x: Tensor) -> Tensor:
        projected: Tensor = self.linear_fc2(F.silu(self.linear_fc1(x)))
        return projected


@torch.inference_mode()
def text_table(embedding: nn.Embedding, projection: nn.Module, at_once: int = 4096) -> Tensor:
    """The embeddings as they are projected, [ids, width]."""
    return torch.cat([projection(part) for part in torch.split(embedding.weight, at_once)])
