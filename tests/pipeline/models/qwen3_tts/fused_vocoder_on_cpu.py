"""Prints, as JSON, how far the fused vocoder is from its layers one by one. Run with TRITON_INTERPRET=1."""

import json
from typing import Any

import torch
from torch import Tensor

from pipeline.models.qwen3_omni.code2wav import SilencedBlock
from pipeline.models.qwen3_tts.codec.decoder import ENCODING_ONLY, PREFIX, CodecDecoder, ready
from pipeline.models.qwen3_tts.codec.fused.tiles import Tile
from pipeline.models.qwen3_tts.codec.fused.vocoder import FusedVocoder
from pipeline.models.qwen3_tts.codec.layers import Folded, InOrder
from pipeline.models.qwen3_tts.codec.past import Past
from pipeline.models.qwen3_tts.config import CodecConfig
from pipeline.models.shared.fields import read_fields
from pipeline.models.shared.weights import load_weights
from tests.pipeline.models.qwen3_tts import seeded_codec

SMALL = {**seeded_codec.TINY, "latent_dim": 64, "decoder_dim": 192, "upsample_rates": [3]}  # widths of 192 and 96
CHUNKS = (1, 2)  # frames
LEADS = (3,)  # steps
UNFILLED = Tile(16, 64, 32, 4, 3)  # 96 channels are one and a half of its widths


def main() -> None:
    layers = vocoder()
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
    print(json.dumps(found))


def vocoder() -> InOrder:
    faults: list[str] = []
    config = read_fields(CodecConfig, SMALL, "", faults)
    assert config, faults
    decoder = CodecDecoder(config)
    named = ((name.removeprefix(PREFIX), each) for name, each in seeded_codec.weights(SMALL).items())
    load_weights(decoder, {name: torch.from_numpy(each) for name, each in named if name not in ENCODING_ONLY}, "seeded")
    return ready(decoder, torch.device("cpu"), torch.float32).decoder


def begun_in_silence(layers: InOrder) -> InOrder:
    """The same with blocks like those of Qwen3-Omni, of which a stream's first steps are zero."""
    first, *blocks, last_act, last = layers
    rates = SMALL["upsample_rates"]
    silenced = [
        SilencedBlock(block.block[0].alpha.numel(), rate, lead)
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
    return float((found - expected).square().mean().sqrt() / expected.square().mean().sqrt())


if __name__ == "__main__":
    main()
