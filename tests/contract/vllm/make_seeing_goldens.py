"""Writes seeing_goldens.json: what transformers' Qwen3-VL answers, with its own processor.

Run it in the venv of vLLM, as `python -m tests.contract.vllm.make_seeing_goldens`. Conversations in which two tokens
were nearly as likely as each other are left out: which one is taken there is float noise.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.media.video_chunk import VideoChunk
from pipeline.types.chunks import MultimodalPrompt
from tests.contract.vllm.seeing_cases import GOLDENS, TOKENS, prompts
from tests.contract.vllm.tiny_aura import write_aura

CASES = 20
LEAST_MARGIN = 2e-3  # between the two largest logits; float noise is about 1e-5


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = write_aura(Path(temporary))
        official = Official(folder)
        found: dict[int, dict[str, Any]] = {}
        seed = 0
        while len(found) < CASES:
            prompt = official.ids(prompts(seed)[-1])
            answer, margin = official.answer(prompt)
            print(seed, len(prompt["input_ids"][0]), len(answer), f"{margin:.4f}", flush=True)
            if margin > LEAST_MARGIN:
                found[seed] = {"prompt": prompt["input_ids"][0].tolist(), "answer": answer, "margin": round(margin, 4)}
            seed += 1
    lines = ",\n".join(f'"{name}": {json.dumps(case, separators=(",", ":"))}' for name, case in found.items())
    GOLDENS.write_text(f"{{\n{lines}\n}}\n")


class Official:
    """transformers, alone."""

    def __init__(self, folder: Path) -> None:
        import torch
        from transformers import AutoProcessor, Qwen3VLForConditionalGeneration

        self.processor = AutoProcessor.from_pretrained(folder)
        self.model = Qwen3VLForConditionalGeneration.from_pretrained(
            folder, dtype=torch.float32, attn_implementation="sdpa"
        ).eval()

    def ids(self, scene: MultimodalPrompt) -> Any:
        """The official processor puts a time and one pair of marks around a bare `<|video_pad|>`."""
        text, videos, images = "", list[Any](), list[Any]()
        for chunk in scene.parts:
            if isinstance(chunk, VideoChunk):
                text += "<|video_pad|>" if chunk.moves else "<|image_pad|>"
                (videos if chunk.moves else images).append(np.asarray(chunk.frames) if chunk.moves else chunk.frames[0])
            else:
                text += chunk
        metadata = [{"fps": 2.0, "total_num_frames": 2, "frames_indices": [0, 1]} for _ in videos]
        return self.processor(
            text=[text], images=images or None, videos=videos or None, video_metadata=metadata or None,
            do_sample_frames=False, return_tensors="pt",
        )  # fmt: skip

    def answer(self, inputs: Any) -> tuple[list[int], float]:
        """Greedy, and how near the second likeliest token came at the nearest."""
        made = self.model.generate(
            **inputs, max_new_tokens=TOKENS, min_new_tokens=TOKENS, do_sample=False, output_logits=True,
            return_dict_in_generate=True, eos_token_id=None, pad_token_id=0, temperature=None, top_p=None, top_k=None,
        )  # fmt: skip
        margins = [(top[0] - top[1]).item() for logits in made.logits for top in [logits[0].topk(2).values]]
        return made.sequences[0, inputs["input_ids"].shape[1] :].tolist(), min(margins)


if __name__ == "__main__":
    main()
