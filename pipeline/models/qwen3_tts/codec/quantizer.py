"""The residual vector quantizer of the speech decoder: the codes of a frame → one vector.

Sources: SoundStream (arXiv 2107.03312) for residual vector quantization; the qwen_tts package 0.1.1 for names.
"""

import torch
from torch import Tensor, nn

from pipeline.models.qwen3_tts.codec.layers import Folded
from pipeline.models.qwen3_tts.config import CodecConfig

FEWEST = 1e-5  # usage of an entry that was hardly ever chosen in training


class Codebook(nn.Module):
    """Entries as training leaves them: sums of the vectors that chose an entry, and how many did."""

    def __init__(self, entries: int, width: int) -> None:
        super().__init__()
        self.cluster_usage = nn.Parameter(torch.ones(entries))
        self.embedding_sum = nn.Parameter(torch.zeros(entries, width))

    def entries(self) -> Tensor:
        return self.embedding_sum / self.cluster_usage.clamp(min=FEWEST)[:, None]


class VectorQuantizer(nn.Module):
    def __init__(self, entries: int, width: int) -> None:
        super().__init__()
        self._codebook = Codebook(entries, width)


class Residual(nn.Module):
    def __init__(self, count: int, entries: int, width: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(VectorQuantizer(entries, width) for _ in range(count))

    def entries(self) -> list[Tensor]:
        """Returns the entries of each codebook, shape [entries, width]."""
        return [book.entries() for book in self.modules() if isinstance(book, Codebook)]


class ProjectedResidual(nn.Module):
    """Some codebooks whose entries are added up, and the projection of the sum."""

    def __init__(self, count: int, config: CodecConfig) -> None:
        super().__init__()
        width = config.codebook_dim // 2
        self.vq = Residual(count, config.codebook_size, width)
        self.output_proj = nn.Conv1d(width, config.codebook_dim, 1, bias=False)

    def tables(self) -> list[Tensor]:
        """The entries of each codebook as they are after the projection, which is linear: [entries, codebook_dim]."""
        return [entries @ self.output_proj.weight[..., 0].T for entries in self.vq.entries()]


class Quantizer(Folded):
    """Semantic and acoustic codebooks, folded into one table of vectors to be added up."""

    table: Tensor
    offsets: Tensor

    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        semantic = config.num_semantic_quantizers
        self.rvq_first = ProjectedResidual(semantic, config)
        self.rvq_rest = ProjectedResidual(config.num_quantizers - semantic, config)
        self.register_buffer("offsets", torch.arange(config.num_quantizers) * config.codebook_size, persistent=False)
        self.fold()

    def fold(self) -> None:
        table = torch.cat([*self.rvq_first.tables(), *self.rvq_rest.tables()]).detach()
        self.register_buffer("table", table, persistent=False)

    def forward(self, codes: Tensor) -> Tensor:
        """Integers, shape [batch, frames, codebooks] → [batch, frames, codebook_dim]."""
        return self.table[codes + self.offsets].sum(2)
