"""Speaks answers with the talker of Qwen3-Omni on the real vLLM, in this process, and as the official model does."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.models.hidden_states.row_reader import RowReader
from pipeline.models.qwen3_omni.config import read_omni
from pipeline.models.qwen3_omni.extra_args import telling
from pipeline.models.qwen3_omni.hf_config import talker_only
from pipeline.models.qwen3_omni.prompt import OmniPromptWriter, heard_prompt
from pipeline.models.qwen3_tts.extra_args import CODES, Choice
from pipeline.models.qwen3_tts.prompt import VoiceChoice
from pipeline.models.qwen3_tts.sentence import FramePace, Sentence
from pipeline.models.shared.engine_io import RequestSampling
from tests.contract.vllm.in_process import begun
from tests.contract.vllm.speaking import Speaker
from tests.contract.vllm.thinking import TOKENS
from tests.contract.vllm.tiny_omni import END_OF_SPEECH, IDS

FRAMES = 30
SAMPLING = RequestSampling(0.0, 0, 1.0, 1.05, (END_OF_SPEECH,), logprobs=CODES)
PACE = FramePace(ahead=10 * FRAMES, frames=FRAMES - 1, least=0, ids=1 << 30)  # of its last frame it makes no codes


@dataclass(frozen=True, slots=True)
class OfficialAnswer:
    """What the official model makes of a prompt.

    Attributes:
        tokens: What the thinker writes, its end with them.
        states: What the talker hears of each position of the prompt, [positions, width].
        codes: [frames, codebooks].
    """

    tokens: list[int]
    states: NDArray[np.float32]
    codes: NDArray[np.int16]
    wave: NDArray[np.float32]


def official_answer(model: Any, prompt: list[int], speaker: str = "Ethan", **media: Any) -> OfficialAnswer:
    """Asks it, greedily throughout."""
    import torch

    kept: list[Any] = []
    parts = model._get_talker_user_parts, model.code2wav.chunked_decode

    def user_parts(*args: Any) -> Any:
        kept.append(args[3])
        return parts[0](*args)

    def decode(codes: Any, **sizes: Any) -> Any:
        kept.append(codes)
        return parts[1](codes, **sizes)

    model._get_talker_user_parts, model.code2wav.chunked_decode = user_parts, decode
    try:
        sequence, wave = model.generate(
            input_ids=torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
            speaker=speaker, thinker_max_new_tokens=TOKENS, thinker_eos_token_id=IDS["<|im_end|>"],
            thinker_do_sample=False, talker_do_sample=False, talker_max_new_tokens=FRAMES, **media,
        )  # fmt: skip
    finally:
        model._get_talker_user_parts, model.code2wav.chunked_decode = parts
    states, codes = kept
    return OfficialAnswer(
        sequence[0, len(prompt) :].tolist(),
        states[0, : len(prompt)].numpy(),
        codes[0].T.numpy().astype(np.int16),
        wave.reshape(-1).numpy(),
    )


@dataclass
class Answer:
    """One answer to be spoken.

    Attributes:
        prompt: The thinker's.
        words: What the thinker wrote, without its end.
        splits: How many of them come at a time; empty: all at once.
        reader: Where the states of what was heard lie.
        grids: Height and width in tokens of what was seen.
        begins: The step of the engine before which it is asked for.
        aborted: The number of frames after which it is dropped; None: never.
    """

    prompt: list[int]
    words: list[int]
    splits: Sequence[int] = ()
    voice: str = "ethan"
    reader: RowReader | None = None
    grids: Sequence[tuple[int, int]] = ()
    begins: int = 0
    aborted: int | None = None
    frames: list[NDArray[np.int16]] = field(default_factory=list)

    @property
    def codes(self) -> NDArray[np.int16]:
        return np.concatenate(self.frames)


class OmniSpeaker(Speaker):
    """A vLLM engine of a checkpoint's talker."""

    def __init__(self, folder: Path, **engine_args: Any) -> None:
        self.config = read_omni(folder)
        settings: dict[str, Any] = {
            "hf_overrides": talker_only, "dtype": "float32", "skip_tokenizer_init": True,
            "enable_prefix_caching": False, "enforce_eager": True, "distributed_executor_backend": "uni",
            "block_size": 32, "kv_cache_memory_bytes": 64 << 20, "max_model_len": 512, "max_num_seqs": 8,
            "max_num_batched_tokens": 32, "generation_config": "vllm",
        }  # fmt: skip
        self.engine = begun(folder, {**settings, **engine_args})

    def answer(self, *answers: Answer) -> None:
        """All of them, until each has ended."""
        going = [GoingAnswer(self, answer, str(at)) for at, answer in enumerate(answers)]
        step = 0
        while any(not each.over for each in going):
            for each in going:
                if each.answer.begins <= step:
                    each.ask()
            for output in self.engine.step():
                going[int(output.request_id)].hear(output)
            step += 1
            assert step < 2_000
        for each in going:
            self.drop(each.name)
        self.engine.step()


class GoingAnswer:
    """An answer that has begun."""

    def __init__(self, speaker: OmniSpeaker, answer: Answer, name: str) -> None:
        self.speaker, self.answer, self.name = speaker, answer, name
        self.heard = heard_prompt(speaker.config, answer.prompt, answer.grids)
        writer = OmniPromptWriter(speaker.config, self.heard)
        self.sentence = Sentence(writer, VoiceChoice(answer.voice), Choice(temperature=0.0), pace=PACE)
        self.words = [*answer.words]
        self.splits = list(answer.splits) or [len(self.words)]
        self.opened = self.over = False

    def ask(self) -> None:
        while not self.over and self.sentence.hungry:
            count = self.splits.pop(0)
            self.sentence.feed(self.words[:count], ends=count >= len(self.words))
            del self.words[:count]
        if not self.over and (wanted := self.sentence.wanted):
            chunk = self.sentence.chunk(wanted)
            if (reader := self.answer.reader) and not self.opened:
                heard = telling(reader.request.pool, reader.pages(), self.heard.grids)
                chunk = replace(chunk, extra_args={**chunk.extra_args, **heard})
            self.opened = True
            self.speaker.send(self.name, chunk, SAMPLING)

    def hear(self, output: Any) -> None:
        """What a `RequestOutput` of vLLM brings."""
        from pipeline.engines.vllm.conversion import written

        frames = self.sentence.note(written(output))
        self.sentence.take(len(frames))
        self.answer.frames.append(frames)
        most = self.answer.aborted
        self.over = self.sentence.over or (most is not None and self.sentence.made >= most)
        if self.over:
            self.speaker.drop(self.name)
