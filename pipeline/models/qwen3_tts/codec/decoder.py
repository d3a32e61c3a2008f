"""The decoder of the 12 Hz speech tokenizer: codec frames → the wave, chunk by chunk and as if at once."""

import logging
from pathlib import Path
from typing import TypeVar

import torch
from torch import Tensor, nn

from pipeline.models.qwen3_tts.codec.layers import (
    CausalConv,
    CausalUpsampling,
    ConvNeXt,
    Folded,
    InOrder,
    SnakeBeta,
    VocoderBlock,
)
from pipeline.models.qwen3_tts.codec.past import Past
from pipeline.models.qwen3_tts.codec.quantizer import Quantizer
from pipeline.models.qwen3_tts.codec.transformer import WindowedTransformer
from pipeline.models.qwen3_tts.config import CodecConfig, read_codec
from pipeline.models.shared.weights import load_weights, read_weights

log = logging.getLogger(__name__)

FOLDER = "speech_tokenizer"
PREFIX = "decoder."
Decoder = TypeVar("Decoder", bound=nn.Module)
ENCODING_ONLY = "quantizer.rvq_first.input_proj.weight", "quantizer.rvq_rest.input_proj.weight"


class CodecDecoder(nn.Module):
    """Dequantizes, attends over the window, upsamples to 50 Hz, and then to the wave.

    Everything is causal, and `Past` carries what a chunk must know of earlier ones: so a chunk costs its own frames
    only, and chunks of any sizes make the wave that the whole would. Parameters bear the checkpoint's names.
    """

    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        self.quantizer = Quantizer(config)
        self.pre_conv = CausalConv(config.codebook_dim, config.latent_dim, 3)
        self.pre_transformer = WindowedTransformer(config)
        wide = config.latent_dim
        self.upsample = InOrder(
            InOrder([CausalUpsampling(wide, wide, ratio, ratio), ConvNeXt(wide)]) for ratio in config.upsampling_ratios
        )
        widths = [config.decoder_dim >> at for at in range(len(config.upsample_rates) + 1)]
        blocks = (VocoderBlock(width, rate) for width, rate in zip(widths, config.upsample_rates, strict=False))
        self.decoder = InOrder(
            [CausalConv(config.latent_dim, widths[0], 7), *blocks, SnakeBeta(widths[-1]), CausalConv(widths[-1], 1, 7)]
        )

    def forward(self, codes: Tensor, past: Past) -> Tensor:
        """Decodes a chunk of codes to sound, as if it followed the chunks before it without a seam.

        Args:
            codes: Integers below `codebook_size`, shape [batch, frames, codebooks].
            past: Is told what the next chunk needs.

        Returns:
            The wave in [-1, 1] at 24 kHz, shape [batch, frames · 1,920].
        """
        x = self.quantizer(codes)
        for part in (self.pre_conv, self.pre_transformer, self.upsample, self.decoder):
            x = part(x, past)
        wave: Tensor = x[:, :, 0].clamp(-1, 1)
        return wave


def load_decoder(folder: Path, device: torch.device, dtype: torch.dtype) -> CodecDecoder:
    """The decoder of the checkpoint in `folder`, ready to run.

    Raises:
        ConfigError: It is another model's, incomplete or damaged.
    """
    config = read_codec(folder)
    weights = read_weights(folder / FOLDER, PREFIX, lambda name: name not in ENCODING_ONLY)
    decoder = CodecDecoder(config)
    load_weights(decoder, weights, str(folder / FOLDER))
    return ready(decoder, device, dtype)


def ready(decoder: Decoder, device: torch.device, dtype: torch.dtype) -> Decoder:
    """For inference, with what follows from the weights computed in float32.

    Args:
        decoder: Its last part is a vocoder, named `decoder`, and it has a `pre_transformer`.
        dtype: With `float16` a GPU convolves numbers of float16 in the vocoder, if its channels are multiples of 32,
            and computes all else in float32.
    """
    for layer in decoder.modules():
        if isinstance(layer, Folded):
            layer.fold()
    decoder.requires_grad_(False).eval()
    if dtype != torch.float16:
        return decoder.to(device, dtype)
    if device.type == "cuda":
        from pipeline.models.qwen3_tts.codec.fused.layer import with_fused_layers
        from pipeline.models.qwen3_tts.codec.fused.vocoder import FusedVocoder, can_be_fused

        with_fused_layers(decoder.pre_transformer)
        if can_be_fused(decoder.decoder):
            decoder.decoder = FusedVocoder(decoder.decoder)
        else:
            log.warning("the vocoder has channels that are no multiples of 32: it computes as with float32")
    return decoder.to(device)
