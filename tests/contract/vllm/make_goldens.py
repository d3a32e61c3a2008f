"""Speaks the cases with the official package, greedily, and writes the codes to `goldens.npz`.

Run from the root of the repository in an environment of its own, which has `qwen-tts==0.1.1` with the versions that
it asks for: `python -m tests.contract.vllm.make_goldens`. Prints for each case how many frames there are, whether
the end of speech was reached, and the smallest lead of a chosen id: cases must lead by far more than float noise.
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from qwen_tts import Qwen3TTSModel
from qwen_tts.core.models.configuration_qwen3_tts import Qwen3TTSConfig
from qwen_tts.core.models.modeling_qwen3_tts import Qwen3TTSForConditionalGeneration
from qwen_tts.core.models.processing_qwen3_tts import Qwen3TTSProcessor
from safetensors.torch import load_file
from transformers import Qwen2TokenizerFast  # type: ignore[attr-defined]  # of an older transformers

from tests.contract.vllm.cases import CASES, GOLDENS, MOST_FRAMES, Case
from tests.contract.vllm.tiny import Kind, voice, write_checkpoint

PENALTY = 1.05


class Official:
    """One tiny checkpoint in the official package, and the leads of the ids that it chooses."""

    def __init__(self, kind: Kind, folder: Path) -> None:
        write_checkpoint(folder, kind)
        self.model = Qwen3TTSForConditionalGeneration(Qwen3TTSConfig(**voice(kind))).eval()
        weights = self.model.load_state_dict(load_file(folder / "model.safetensors"), strict=False)
        assert not weights.unexpected_keys
        assert not [name for name in weights.missing_keys if not name.startswith("speaker_encoder.")]
        processor = Qwen3TTSProcessor(Qwen2TokenizerFast.from_pretrained(folder))
        self.wrapper = Qwen3TTSModel(self.model, processor)
        self.leads: list[float] = []
        self.logits: list[NDArray[np.float32]] = []  # of codebook 0, frame by frame
        self.model.talker.codec_head.register_forward_hook(
            lambda _head, _given, logits: self.logits.append(logits[0, -1].numpy())
        )
        for head in self.model.talker.code_predictor.lm_head:
            head.register_forward_hook(lambda _head, _given, logits: self._note(logits[0, -1]))

    @torch.no_grad()
    def speak(self, case: Case) -> NDArray[np.int16]:
        """[frames, 16]; the frame of the end of speech is not among them."""
        self.leads.clear()
        self.logits.clear()
        write, voice_ = self.wrapper, case.voice
        instructions = write._tokenize_texts([write._build_instruct_text(voice_.instructions)])
        codes, _hidden = self.model.generate(
            input_ids=write._tokenize_texts([write._build_assistant_text(case.text)]),
            instruct_ids=instructions if voice_.instructions else [None],
            languages=[voice_.language],
            speakers=[voice_.speaker or None],
            non_streaming_mode=case.layout == "whole",
            max_new_tokens=MOST_FRAMES + 1,  # the codes of a frame are made in the step after it
            do_sample=False,
            subtalker_dosample=False,
            repetition_penalty=PENALTY,
        )
        return np.asarray(codes[0].numpy(), np.int16)

    def _note(self, logits: Any) -> None:
        first, second = logits.topk(2).values.tolist()
        self.leads.append(first - second)


def main() -> None:
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        kinds = sorted({case.kind for case in CASES})
        official = {kind: Official(kind, Path(folder) / kind) for kind in kinds}
        spoken: dict[str, Any] = {}
        for i, case in enumerate(CASES):
            codes = spoken[f"case_{i}"] = official[case.kind].speak(case)
            if i == 0:
                spoken["first_logits"] = official[case.kind].logits[0]
            ends = "ends" if len(codes) < MOST_FRAMES else "goes on"
            lead = min(official[case.kind].leads)
            print(f"{i:2} {case.kind:12} {case.layout:9} {len(codes)} frames, {ends}, lead {lead:.1e}", flush=True)
        np.savez_compressed(GOLDENS, **spoken)


if __name__ == "__main__":
    main()
