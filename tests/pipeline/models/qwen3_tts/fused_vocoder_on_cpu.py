"""Prints, as JSON, how far the decoder's kernels are from its layers one by one. Run with TRITON_INTERPRET=1."""

import json
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from pipeline.models.qwen3_tts.codec.decoder import ENCODING_ONLY, PREFIX, CodecDecoder, ready
from pipeline.models.qwen3_tts.codec.fused.layer import FusedLayer, with_fused_layers
from pipeline.models.qwen3_tts.codec.fused.tiles import Tile
from pipeline.models.qwen3_tts.codec.fused.vocoder import FusedVocoder, can_be_fused
from pipeline.models.qwen3_tts.codec.layers import Folded, InOrder, VocoderBlock
from pipeline.models.qwen3_tts.codec.past import Lengths, Past
from pipeline.models.qwen3_tts.codec.streams import CodecStreams
from pipeline.models.qwen3_tts.codec.transformer import as_bias, seen
from pipeline.models.qwen3_tts.config import CodecConfig
from pipeline.models.shared.fields import read_fields
from pipeline.models.shared.rope import angles_of
from pipeline.models.shared.weights import load_weights
from pipeline.types.chunks import CODEBOOKS
from tests.pipeline.models.qwen3_tts import seeded_codec
from tests.pipeline.models.qwen3_tts.seeded_codec import TINY

SMALL = {**seeded_codec.TINY, "latent_dim": 64, "decoder_dim": 192, "upsample_rates": [3]}  # widths of 192 and 96
HEADS = {"num_attention_heads": 8, "num_key_value_heads": 8}
WIDE = {**SMALL, **HEADS, "hidden_size": 128, "intermediate_size": 256}
CHUNKS = (1, 2)  # frames
LEADS = (3,)  # steps
CPU = torch.device("cpu")
UNFILLED = Tile(16, 64, 32, 4, 3)  # 96 channels are one and a half of its widths

Chunks = tuple[tuple[int, tuple[int, ...]], ...]  # frames, and how many each row has


def main() -> None:
    layers = decoder().decoder
    fused = FusedVocoder(layers)
    x = torch.randn(2, 4 * sum(CHUNKS), SMALL["latent_dim"], generator=torch.Generator().manual_seed(5))
    whole = in_chunks(layers, x, (sum(CHUNKS),))
    cases = {"at once": (sum(CHUNKS),), "in chunks": CHUNKS}
    found = {name: compared(in_chunks(fused, x, chunks), whole) for name, chunks in cases.items()}
    silenced = begun_in_silence(layers)
    found["silent steps at the beginning"] = compared(
        in_chunks(FusedVocoder(silenced), x, CHUNKS), in_chunks(silenced, x, CHUNKS)
    )
    conv = fused.blocks[0].pointwise[0]
    begun, y = torch.ones(2, dtype=torch.long), torch.randn(2, 5, conv.inner).half()
    found["a tile that is not filled"] = compared(conv(y, begun, 0, tile=UNFILLED)[1], conv(y, begun, 0)[1])
    found["a stream"] = in_streams()
    found["attention"] = in_attention()
    found["layers"] = in_layers()
    print(json.dumps({"errors": found, "can be fused": [can_be_fused(layers), can_be_fused(decoder(TINY).decoder)]}))


def decoder(raw: seeded_codec.Config = SMALL) -> CodecDecoder:
    faults: list[str] = []
    config = read_fields(CodecConfig, raw, "", faults)
    assert config, faults
    made = CodecDecoder(config)
    named = ((name.removeprefix(PREFIX), each) for name, each in seeded_codec.weights(raw).items())
    load_weights(made, {name: torch.from_numpy(each) for name, each in named if name not in ENCODING_ONLY}, "seeded")
    return ready(made, CPU, torch.float32)


def in_streams() -> float:
    """Codes in chunks of two streams, whose memory is of both kinds of numbers."""
    fused = decoder()
    fused.decoder = FusedVocoder(fused.decoder)  # type: ignore[assignment]
    heard = []
    for each in (fused, decoder()):
        streams = CodecStreams(each, 2, CODEBOOKS, CPU)
        codes = seeded_codec.codes(sum(CHUNKS))
        chunks = np.split(np.stack([codes, codes[::-1]]), np.cumsum(CHUNKS)[:-1], 1)
        heard.append(np.concatenate([streams.decode([0, 1], np.ascontiguousarray(chunk)) for chunk in chunks], 1))
    found, expected = (torch.from_numpy(each).float() for each in heard)
    return compared(found, expected)


def in_windows(plain: nn.Module, own: nn.Module, raw: seeded_codec.Config, chunks: Chunks) -> float:
    """Three rows, which have all frames of a chunk or fewer."""
    dice = torch.Generator().manual_seed(11)
    rows = [torch.randn(3, frames, raw["hidden_size"], generator=dice) for frames, _ in chunks]
    seen_by: list[Tensor] = []
    for layer in (plain, own):
        memory, before, heard = None, torch.zeros(3, dtype=torch.long), []
        for x, (frames, lengths) in zip(rows, chunks, strict=True):
            past = Past(before, memory, Lengths(torch.tensor(lengths), frames))
            places = before[:, None] + torch.arange(frames)
            angles = angles_of(places[:, None], raw["rope_theta"], raw["head_dim"], torch.float32)
            mask = as_bias(seen(places, raw["sliding_window"]), torch.float32) if layer is plain else None
            heard += [row[:length] for row, length in zip(layer(x, angles, mask, past), lengths, strict=True)]
            memory, before = past.left(), before + torch.tensor(lengths)
        seen_by.append(torch.cat(heard))
    return compared(seen_by[1], seen_by[0])


def in_attention() -> float:
    """With more behind them than a window. The layer attends with kernels of its own if it is given no mask."""
    layer = decoder().pre_transformer.layers[0].self_attn
    chunks = ((1, (1, 1, 1)), (25, (25, 20, 1)), (4, (4, 2, 3)), (50, (50, 50, 45)), (12, (12, 12, 1)))
    return in_windows(layer, Unmasked(layer), SMALL, chunks)


def in_layers() -> float:
    transformer = decoder(WIDE).pre_transformer
    plain = transformer.layers[1]
    with_fused_layers(transformer)
    own = transformer.layers[1]
    assert isinstance(own, FusedLayer)
    return in_windows(plain, own, WIDE, ((1, (1, 1, 1)), (10, (10, 4, 1)), (2, (2, 2, 1)), (20, (20, 20, 20))))


class Unmasked(nn.Module):
    """A layer that is another one, to be told from it."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, *given: Any) -> Any:
        return self.layer(*given)


def begun_in_silence(layers: InOrder) -> InOrder:
    """The same with blocks like those of Qwen3-Omni, of which a stream's first steps are zero."""
    first, *blocks, last_act, last = layers
    rates = SMALL["upsample_rates"]
    silenced = [
        VocoderBlock(block.block[0].alpha.numel(), rate, lead)
        for block, rate, lead in zip(blocks, rates, LEADS, strict=True)
    ]
    for block, other in zip(silenced, blocks, strict=True):
        block.load_state_dict(other.state_dict())
        for layer in block.modules():
            if isinstance(layer, Folded):
                layer.fold()
    return InOrder([first, *silenced, last_act, last])


def in_chunks(decoder: Any, x: Tensor, chunks: tuple[int, ...]) -> Tensor:
    """The wave, chunk by chunk, each behind what the one before it left."""
    memory, heard, at = None, [], 0
    for frames in chunks:
        past = Past(torch.tensor([at, at]), memory)
        heard.append(decoder(x[:, 4 * at : 4 * (at + frames)], past))
        memory = past.left().float()
        at += frames
    return torch.cat(heard, 1)[..., 0]


def compared(found: Tensor, expected: Tensor) -> float:
    """The rms of the difference over that of the signal."""
    found, expected = found.detach(), expected.detach()
    return float((found - expected).square().mean().sqrt() / expected.square().mean().sqrt())


if __name__ == "__main__":
    main()
