"""Prints, as JSON, how far the decoder's kernels are from its layers one by one. Run with TRITON_INTERPRET=1."""

import json
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pipeline.models.qwen3_tts.codec.decoder import ENCODING_ONLY, PREFIX, CodecDecoder, ready
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
CHUNKS = (1, 2)  # frames
LEADS = (3,)  # steps
CPU = torch.device("cpu")
UNFILLED = Tile(16, 64, 32, 4, 3)  # 96 channels are one and a half of its widths


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
    found["attention"] = in_windows()
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


def in_windows() -> float:
    """What frames of three rows see, which have all frames of a chunk or fewer, with more behind them than a window."""
    attention, dice = decoder().pre_transformer.layers[0].self_attn, torch.Generator().manual_seed(11)
    chunks = {1: (1, 1, 1), 25: (25, 20, 1), 4: (4, 2, 3), 50: (50, 50, 45), 12: (12, 12, 1)}
    rows = {frames: torch.randn(3, frames, SMALL["hidden_size"], generator=dice) for frames in chunks}
    seen_by: list[list[Tensor]] = []
    for plain in (True, False):
        memory, before, heard = None, torch.zeros(3, dtype=torch.long), []
        for frames, lengths in chunks.items():
            past = Past(before, memory, Lengths(torch.tensor(lengths), frames))
            places = before[:, None] + torch.arange(frames)
            angles = angles_of(places[:, None], SMALL["rope_theta"], SMALL["head_dim"], torch.float32)
            mask = as_bias(seen(places, SMALL["sliding_window"]), torch.float32) if plain else None
            made = attention(rows[frames], angles, mask, past)
            heard += [row[:length] for row, length in zip(made, lengths, strict=True)]
            memory, before = past.left(), before + torch.tensor(lengths)
        seen_by.append(heard)
    expected, found = (torch.cat(each) for each in seen_by)
    return compared(found, expected)


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
