"""Speaks sentences with the real vLLM, in this process, step by step: who begins when, and what text comes when."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.models.qwen3_tts.config import read_voice
from pipeline.models.qwen3_tts.extra_args import CODES, Choice
from pipeline.models.qwen3_tts.prompt import TalkerPromptWriter
from pipeline.models.qwen3_tts.sentence import FramePace, Sentence
from pipeline.models.qwen3_tts.tokenizer import read_tokenizer
from pipeline.models.registry import TALKER
from pipeline.models.shared.engine_io import PromptChunk, RequestSampling
from tests.contract.vllm.cases import MOST_FRAMES, Case
from tests.contract.vllm.in_process import begun, ended

ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "TRITON_INTERPRET": "0",  # kernels run on tests/contract/triton_cpu: the interpreter is twenty times slower
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_LOGGING_LEVEL": "WARNING",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_USE_V2_MODEL_RUNNER": "1",
}
AT_ONCE = FramePace(ahead=10 * MOST_FRAMES)


@dataclass(frozen=True, slots=True)
class Drawn:
    """How a speech is drawn; as it stands, greedily."""

    temperature: float = 0.0
    top_k: int = 0
    choice: Choice = field(default_factory=lambda: Choice(temperature=0.0))


@dataclass
class Speech:
    """One sentence to be spoken.

    Attributes:
        splits: How many text ids come at a time; empty: all of them, at once.
        begins: The step of the engine before which it is asked for.
        aborted: The number of frames after which it is dropped; None: never.
    """

    case: Case
    splits: Sequence[int] = ()
    pace: FramePace = AT_ONCE
    begins: int = 0
    aborted: int | None = None
    seed: int | None = None
    drawn: Drawn = field(default_factory=Drawn)
    frames: list[NDArray[np.int16]] = field(default_factory=list)

    @property
    def codes(self) -> NDArray[np.int16]:
        return np.concatenate(self.frames)[:MOST_FRAMES]


class Speaker:
    """A vLLM engine of one checkpoint."""

    def __init__(self, folder: Path, **engine_args: Any) -> None:
        self.kind = folder.name
        self.voice = read_voice(folder)
        self.tokenize = read_tokenizer(folder)
        self.writer = TalkerPromptWriter(self.voice, self.tokenize)
        settings: Mapping[str, Any] = {
            "hf_overrides": {"architectures": [TALKER]}, "dtype": "float32", "skip_tokenizer_init": True,
            "enable_prefix_caching": False, "enforce_eager": True, "distributed_executor_backend": "uni",
            "block_size": 32, "kv_cache_memory_bytes": 64 << 20, "max_model_len": 512, "max_num_seqs": 8,
            "max_num_batched_tokens": 512, "generation_config": "vllm",
        }  # fmt: skip
        self.engine = begun(folder, {**settings, **engine_args})

    def speak(self, *speeches: Speech) -> None:
        """All of them, until each has ended."""
        going = [Going(self, speech, f"{i}") for i, speech in enumerate(speeches)]
        step = 0
        while any(not each.over for each in going):
            for each in going:
                if each.speech.begins <= step:
                    each.ask()
            outputs: list[Any] = self.engine.step()
            for output in outputs:
                going[int(output.request_id)].hear(output)
            step += 1
            assert step < 10_000
        for each in going:
            self.drop(each.name)
        self.engine.step()

    def send(self, name: str, chunk: PromptChunk, sampling: RequestSampling) -> None:
        """A part of a request, as vLLM's asynchronous engine sends it."""
        from pipeline.engines.vllm.conversion import sampling_params

        engine = self.engine
        (prompt,) = engine.renderer.render_cmpl([{"prompt_token_ids": list(chunk.token_ids)}])
        params = sampling_params(sampling, chunk)
        tasks = engine.get_supported_tasks()
        request = engine.input_processor.process_inputs(name, prompt, params, tasks, resumable=True)
        request.external_req_id = name
        engine.output_processor.add_request(request, None)
        sent = copy(request)
        sent.prompt_token_ids = [*chunk.token_ids]  # both sides extend theirs in place
        engine.engine_core.add_request(sent)

    def drop(self, name: str) -> None:
        self.engine.abort_request([name], internal=True)

    def close(self) -> None:
        """Frees what the next engine of this process needs."""
        ended(self.engine)


class Going:
    """A speech that has begun."""

    def __init__(self, speaker: Speaker, speech: Speech, name: str) -> None:
        case = speech.case
        self.speaker, self.speech, self.name = speaker, speech, name
        self.sentence = Sentence(speaker.writer, case.voice, speech.drawn.choice, case.layout, speech.pace)
        self.ids = speaker.tokenize(case.text)
        self.splits = list(speech.splits) or [len(self.ids)]
        stops = (speaker.voice.talker.codec_eos_token_id,)
        drawn = speech.drawn
        self.sampling = RequestSampling(drawn.temperature, drawn.top_k, 1.0, 1.05, stops, speech.seed, logprobs=CODES)
        self.over = False

    def ask(self) -> None:
        while not self.over and self.sentence.hungry:
            count = self.splits.pop(0)
            self.sentence.feed(self.ids[:count], ends=count >= len(self.ids))
            del self.ids[:count]
        if not self.over and (wanted := self.sentence.wanted):
            self.speaker.send(self.name, self.sentence.chunk(wanted), self.sampling)

    def hear(self, output: Any) -> None:
        """What a `RequestOutput` of vLLM brings."""
        from pipeline.engines.vllm.conversion import written

        frames = self.sentence.note(written(output))
        self.sentence.take(len(frames))
        self.speech.frames.append(frames)
        most = MOST_FRAMES if self.speech.aborted is None else self.speech.aborted
        self.over = self.sentence.over or self.sentence.made >= most
        if self.over:
            self.speaker.drop(self.name)
