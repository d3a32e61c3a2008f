"""The code predictor in plain torch: codebook 0 of a frame in, the other fifteen out, one after the other.

Any device, any floating-point type; in float32 it writes the same codes as the official package. Parameters have
the checkpoint's names (under `talker.code_predictor.`).
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pipeline.models.qwen3_tts.config import PredictorConfig
from pipeline.models.qwen3_tts.sampling import choose
from pipeline.models.shared.rope import angles_of, rotated

KeysValues = tuple[Tensor, Tensor]  # each [rows, key-value heads, positions, head_dim]


class Predictor(nn.Module):
    """A decoder whose sequence is one frame: the Talker's hidden state, then the codes 0, 1, … 14.

    Args:
        talker_width: The Talker's hidden size.
        first: The Talker's embedding of codebook 0. It stays the Talker's: its weight has no name here.
    """

    def __init__(self, config: PredictorConfig, talker_width: int, first: nn.Module) -> None:
        super().__init__()
        books = config.num_code_groups - 1
        self.config = config
        self.embed_first: Callable[[Tensor], Tensor] = first.forward
        self.model = PredictorDecoder(config, books, talker_width)
        self.lm_head = nn.ModuleList(nn.Linear(config.hidden_size, config.vocab_size, bias=False) for _ in range(books))
        self.small_to_mtp_projection: nn.Module = nn.Identity()
        if config.hidden_size != talker_width:
            self.small_to_mtp_projection = nn.Linear(talker_width, config.hidden_size)

    @torch.no_grad()
    def forward(
        self,
        hidden: Tensor,
        code0: Tensor,
        noise: Tensor | None = None,
        temperature: Tensor | None = None,
        top_k: Tensor | None = None,
        top_p: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """One frame of each row.

        Args:
            hidden: [rows, talker width], the Talker's last hidden state, normalised.
            code0: [rows], int64.
            noise: [rows, codebooks - 1, ids], float32; None is greedy. With the rest, see `choose`.

        Returns:
            codes: [rows, codebooks], int64, codebook 0 with them.
            embed: [rows, talker width], the sum of the codes' embeddings: the Talker's next input, but for its text.
        """
        first = self.embed_first(code0)
        codes, embeds = [code0], [first]
        past: list[KeysValues | None] = [None] * self.config.num_hidden_layers
        x = torch.stack([hidden, first], 1)
        position = 0
        for book, head in enumerate(self.lm_head):
            state = self.model(self.small_to_mtp_projection(x), position, past)
            position += x.shape[1]
            logits = head(state[:, -1]).float()
            codes.append(choose(logits, None if noise is None else noise[:, book], temperature, top_k, top_p))
            embeds.append(self.model.codec_embedding[book](codes[-1]))
            x = embeds[-1][:, None]
        return torch.stack(codes, 1), torch.stack(embeds, 1).sum(1)


class PredictorDecoder(nn.Module):
    """The layers, and the embeddings of the codebooks 1 to 15."""

    def __init__(self, config: PredictorConfig, books: int, talker_width: int) -> None:
        super().__init__()
        self.config = config
        self.layers = nn.ModuleList(PredictorLayer(config) for _ in range(config.num_hidden_layers))
        self.norm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.codec_embedding = nn.ModuleList(nn.Embedding(config.vocab_size, talker_width) for _ in range(books))

    def tables(self) -> list[Tensor]:
        """The embeddings of the codebooks 1, 2, …: each [ids, talker width]."""
        return [table.weight for table in self.codec_embedding if isinstance(table, nn.Embedding)]

    def forward(self, x: Tensor, position: int, past: list[KeysValues | None]) -> Tensor:
        """[rows, n, width] at `position` onwards → their normalised states; `past` grows by them."""
        places = torch.arange(position, position + x.shape[1], device=x.device)
        turn = angles_of(places, self.config.rope_theta, self.config.head_dim, x.dtype)
        for i, layer in enumerate(self.layers):
            x, past[i] = layer(x, turn, past[i])
        normalised: Tensor = self.norm(x)
        return normalised


class PredictorLayer(nn.Module):
    def __init__(self, config: PredictorConfig) -> None:
        super().__init__()
        self.self_attn = PredictorAttention(config)
        self.mlp = PredictorMlp(config)
        self.input_layernorm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.post_attention_layernorm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)

    def forward(self, x: Tensor, turn: tuple[Tensor, Tensor], past: KeysValues | None) -> tuple[Tensor, KeysValues]:
        seen, past = self.self_attn(self.input_layernorm(x), turn, past)
        x = x + seen
        return x + self.mlp(self.post_attention_layernorm(x)), past


class PredictorAttention(nn.Module):
    """Grouped-query attention with normalised queries and keys, as in Qwen3."""

    def __init__(self, config: PredictorConfig) -> None:
        super().__init__()
        width, d = config.hidden_size, config.head_dim
        self.head_dim = d
        self.q_proj = nn.Linear(width, config.num_attention_heads * d, bias=False)
        self.k_proj = nn.Linear(width, config.num_key_value_heads * d, bias=False)
        self.v_proj = nn.Linear(width, config.num_key_value_heads * d, bias=False)
        self.o_proj = nn.Linear(config.num_attention_heads * d, width, bias=False)
        self.q_norm = nn.RMSNorm(d, config.rms_norm_eps)
        self.k_norm = nn.RMSNorm(d, config.rms_norm_eps)

    def forward(self, x: Tensor, turn: tuple[Tensor, Tensor], past: KeysValues | None) -> tuple[Tensor, KeysValues]:
        rows, n, _ = x.shape
        q, k, v = (project(x).view(rows, n, -1, self.head_dim) for project in (self.q_proj, self.k_proj, self.v_proj))
        q = rotated(self.q_norm(q).transpose(1, 2), turn)
        k = rotated(self.k_norm(k).transpose(1, 2), turn)
        v = v.transpose(1, 2)
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=past is None, enable_gqa=True)
        return self.o_proj(seen.transpose(1, 2).reshape(rows, n, -1)), (k, v)


class PredictorMlp(nn.Module):
    def __init__(self, config: PredictorConfig) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        down: Tensor = self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
        return down
