"""Hears the cases with the official package, greedily, and writes prompts and answers to `hearing_goldens.json`.

Run from the root of the repository in an environment of its own, which has `qwen-asr==0.0.6` with the versions of
transformers that it asks for: `python -m tests.contract.vllm.make_hearing_goldens`. Prints for each case how many
tokens there are and the smallest lead of a chosen one: cases must lead by far more than float noise.
"""

import json
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from qwen_asr.core.transformers_backend import Qwen3ASRConfig, Qwen3ASRForConditionalGeneration, Qwen3ASRProcessor
from qwen_asr.inference.qwen3_asr import Qwen3ASRModel
from qwen_asr.inference.utils import parse_asr_output
from safetensors.torch import load_file

from tests.contract.vllm.hearing_cases import CASES, GOLDENS, MOST_TOKENS, Heard
from tests.contract.vllm.tiny_asr import AUDIO_PAD, ENDOFTEXT, IM_END, recogniser, write_recogniser

PIECE = 32_000  # samples that the official package takes at a time


class Official:
    """The tiny checkpoint in the official package. It stands in for the vLLM that its streaming asks for."""

    def __init__(self, folder: Path) -> None:
        write_recogniser(folder)
        self.model = Qwen3ASRForConditionalGeneration(Qwen3ASRConfig(**recogniser())).eval()
        weights = self.model.load_state_dict(load_file(folder / "model.safetensors"), strict=False)
        assert not weights.unexpected_keys
        assert weights.missing_keys == ["thinker.lm_head.weight"]
        self.model.thinker.tie_weights()
        tower = self.model.thinker.audio_tower
        for layer in tower.layers:  # without FlashAttention the tower forgets its own windows
            layer.register_forward_pre_hook(
                lambda _layer, given, named: (
                    given,
                    {**named, "attention_mask": tower._prepare_attention_mask(*given)},
                ),
                with_kwargs=True,
            )
        self.processor = Qwen3ASRProcessor.from_pretrained(folder)
        self.wrapper = Qwen3ASRModel("vllm", self, self.processor)
        self.passes: list[dict[str, Any]] = []
        self.leads: list[float] = []
        self.model.thinker.lm_head.register_forward_hook(lambda _head, _given, logits: self._note(logits[0, -1]))

    def hear(self, case: Heard) -> dict[str, Any]:
        self.passes.clear()
        self.leads.clear()
        if case.streamed:
            state = self.wrapper.init_streaming_state(case.context, case.language)
            for at in range(0, len(case.pcm), PIECE):
                self.wrapper.streaming_transcribe(case.pcm[at : at + PIECE], state)
            self.wrapper.finish_streaming_transcribe(state)
            text, language = state.text, state.language
        else:
            (raw,) = self.wrapper._infer_asr([case.context], [case.pcm], [case.language])
            language, text = parse_asr_output(raw, case.language)
        return {"passes": list(self.passes), "language": language, "text": text}

    @torch.no_grad()
    def generate(self, batch: list[dict[str, Any]], **_: Any) -> list[Any]:
        (request,) = batch
        (pcm,) = request["multi_modal_data"]["audio"]
        inputs = self.processor(text=[request["prompt"]], audio=[pcm], return_tensors="pt", padding=True)
        given = inputs["input_ids"][0].tolist()
        out = self.model.generate(**inputs, max_new_tokens=MOST_TOKENS, eos_token_id=[IM_END, ENDOFTEXT])
        tokens = out.sequences[0, len(given) :].tolist()
        text = self.processor.batch_decode([tokens], skip_special_tokens=True, clean_up_tokenization_spaces=False)[0]
        first, pads = given.index(AUDIO_PAD), given.count(AUDIO_PAD)
        assert given[first : first + pads] == [AUDIO_PAD] * pads
        self.passes.append(
            {
                "samples": len(pcm),
                "before": given[:first],
                "pads": pads,
                "after": given[first + pads :],
                "tokens": tokens,
            }
        )
        return [SimpleNamespace(outputs=[SimpleNamespace(text=text)])]

    def _note(self, logits: Any) -> None:
        first, second = logits.topk(2).values.tolist()
        self.leads.append(first - second)


def main() -> None:
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        official = Official(Path(folder))
        found = []
        for i, case in enumerate(CASES):
            found.append(official.hear(case))
            tokens = [len(each["tokens"]) for each in found[-1]["passes"]]
            kinds = len(set(found[-1]["passes"][-1]["tokens"]))
            print(f"{i:2} {case}: {tokens} tokens, {kinds} kinds, lead {min(official.leads):.1e}", flush=True)
    GOLDENS.write_text(
        json.dumps(found, ensure_ascii=False, separators=(",", ":")).replace('{"passes', '\n{"passes') + "\n"
    )


if __name__ == "__main__":
    main()
