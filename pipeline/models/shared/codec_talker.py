"""What talkers on vLLM have in common: embeddings in, codebook 0 of the next frame out, words as rows of a table."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from vllm.sequence import IntermediateTensors

RESERVED = 1024  # ids at the end of the vocabulary: voices, languages, marks; of these only the EOS is ever sampled


class CodecTalker(nn.Module):
    """A talker's part in vLLM's step. Who inherits it makes `model`, `codec_head`, `logits_processor`,
    `text_embedding` and `text_projection`.
    """

    never: Tensor

    def never_sample_reserved(self, vocab_size: int, codec_eos_token_id: int) -> None:
        """Let no reserved id be sampled, but for the EOS."""
        never = torch.arange(vocab_size) >= vocab_size - RESERVED
        never[codec_eos_token_id] = False
        self.register_buffer("never", never, persistent=False)

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
