"""Writes goldens/codec.npz: what the official decoder makes of the tiny speech tokenizer.

Run it where `qwen_tts` 0.1.1 is installed: `python -m tests.pipeline.models.make_codec_golden`.
"""

from pathlib import Path

import numpy as np
import torch
from qwen_tts.core.tokenizer_12hz.configuration_qwen3_tts_tokenizer_v2 import (
    Qwen3TTSTokenizerV2DecoderConfig,
)
from qwen_tts.core.tokenizer_12hz.modeling_qwen3_tts_tokenizer_v2 import (
    Qwen3TTSTokenizerV2Decoder,
)

from tests.pipeline.models.qwen3_tts import seeded_codec

FRAMES = 700
EVERY = 61  # samples; prime, so that every phase of every upsampling is among them


@torch.inference_mode()
def main() -> None:
    torch.set_num_threads(1)
    decoder = Qwen3TTSTokenizerV2Decoder(Qwen3TTSTokenizerV2DecoderConfig(**seeded_codec.TINY)).eval()
    weights = {name.removeprefix("decoder."): torch.from_numpy(each) for name, each in seeded_codec.weights().items()}
    decoder.load_state_dict(weights)
    codes = torch.from_numpy(seeded_codec.codes(FRAMES).astype(np.int64)).T[None]
    wave = decoder(codes)[0, 0].numpy()
    path = Path(__file__).parent / "goldens" / "codec.npz"
    np.savez_compressed(path, wave=wave[::EVERY], every=EVERY, frames=FRAMES, rms=np.sqrt(np.mean(np.square(wave))))
    print(f"{path.name}: {path.stat().st_size} bytes, rms {np.sqrt(np.mean(np.square(wave))):.4f}")


if __name__ == "__main__":
    main()
