"""The sound of Qwen3-Omni's codes: the layers of Qwen3-TTS' speech decoder, joined otherwise.

Source: `Qwen3OmniMoeCode2Wav` of transformers 5.
"""

from itertools import accumulate
from pathlib import Path

import torch
from torch import Tensor, nn

from pipeline.models.qwen3_omni.config import Code2WavConfig, read_omni
from pipeline.models.qwen3_tts.codec.decoder import ready
from pipeline.models.qwen3_tts.codec.layers import (
    CausalConv,
    CausalUpsampling,
    ConvNeXt,
    InOrder,
    SnakeBeta,
    VocoderBlock,
)
from pipeline.models.qwen3_tts.codec.past import Past
from pipeline.models.qwen3_tts.codec.transformer import WindowedTransformer
from pipeline.models.shared.weights import load_weights, read_weights

PREFIX = "code2wav."


class Code2Wav(nn.Module):
    """Averages the embeddings of a frame's codes, attends over the window, and upsamples to the wave.

    As Qwen3-TTS' decoder it is causal, and `Past` carries what a chunk must know of earlier ones. Other than there, the
    official model cuts the first step of each upsampling off. So that all chunks have one shape, these steps are made
    here, and silenced: what is left of them are `lead` samples at the beginning of a stream, which nobody must hear.

    Attributes:
        lead: How many of a stream's first samples mean nothing.
    """

    offsets: Tensor

    def __init__(self, config: Code2WavConfig) -> None:
        super().__init__()
        codec, width = config.codec, config.hidden_size
        self.code_embedding = nn.Embedding(config.codebook_size * config.num_quantizers, width)
        offsets = torch.arange(config.num_quantizers) * config.codebook_size
        self.register_buffer("offsets", offsets, persistent=False)
        self.pre_transformer = WindowedTransformer(codec, projected=False)
        self.upsample = InOrder(
            InOrder([CausalUpsampling(width, width, ratio, ratio), ConvNeXt(width)])
            for ratio in config.upsampling_ratios
        )
        widths = [config.decoder_dim >> at for at in range(len(config.upsample_rates) + 1)]
        leads = list(accumulate(config.upsample_rates, lambda lead, rate: (lead + 1) * rate, initial=0))[1:]
        blocks = (
            VocoderBlock(wide, rate, lead)
            for wide, rate, lead in zip(widths, config.upsample_rates, leads, strict=False)
        )
        self.decoder = InOrder(
            [CausalConv(width, widths[0], 7), *blocks, SnakeBeta(widths[-1]), CausalConv(widths[-1], 1, 7)]
        )
        self.lead = leads[-1]

    def forward(self, codes: Tensor, past: Past) -> Tensor:
        """Decodes a chunk of codes to sound, as if it followed the chunks before it without a seam.

        Args:
            codes: Integers below `codebook_size`, shape [batch, frames, codebooks].
            past: Is told what the next chunk needs.

        Returns:
            The wave in [-1, 1] at 24 kHz, shape [batch, samples of the frames].
        """
        x = self.code_embedding(codes + self.offsets).mean(2)
        for part in (self.pre_transformer, self.upsample, self.decoder):
            x = part(x, past)
        wave: Tensor = x[:, :, 0].clamp(-1, 1)
        return wave


def load_code2wav(folder: Path, device: torch.device, dtype: torch.dtype) -> Code2Wav:
    """What makes the sound of the checkpoint in `folder`, ready to run.

    Raises:
        ConfigError: It is another model's, incomplete or damaged.
    """
    decoder = Code2Wav(read_omni(folder).code2wav)
    load_weights(decoder, read_weights(folder, PREFIX), str(folder))
    return ready(decoder, device, dtype)
