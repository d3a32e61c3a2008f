"""Opens the engine of a stage by the architecture that the topology names: the small ones, and the registry of all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import UnionType
from typing import Any, Protocol

from pipeline.deployment.loading import StageDeployment
from pipeline.deployment.schema import MOST_THREADS, EngineKeys, Key, Names, count, within
from pipeline.engines.base import Engine
from pipeline.engines.chat_completions.endpoint import ChatEndpoint
from pipeline.engines.embedded_models import (
    CLASSIFIER_FILES,
    DETECTOR_FILES,
    FETCHED,
    LLAMA_FILES,
    NO_MODEL,
    REPLACED,
    TEXT_READER_FILES,
    WHISPER_FILES,
    llama_names,
    recognition_names,
    whisper_names,
)
from pipeline.engines.llamacpp.step_pace import BATCH
from pipeline.engines.model_files import check_whole, model_folder
from pipeline.errors import ConfigError
from pipeline.registry.entry_registry import EntryRegistry
from pipeline.registry.shipped import ENGINES as SHIPPED
from pipeline.runtime.checks.gpu_fit import GpuMemory
from pipeline.runtime.known_callers import instructions_fault, known_prompts, tools_fault
from pipeline.topology.config import PipelineConfig, StageExecutionType
from pipeline.topology.processors.preamble import PREAMBLE, TOOLS_PREAMBLE
from pipeline.types.chunks import AsrInput, AudioChunk, ChatPrompt, Clause, TextChunk, Transcript
from pipeline.types.observation import Observation, RecognitionPrompt

LLM_GENERATION = StageExecutionType.LLM_GENERATION
LEAST_CONTEXT = 2_112  # all that a prompt of `processors/embedded.py` may hold, and its answer
MOST_CONTEXT = 32_768  # the positions of a Qwen2


class Opener(Protocol):
    """Opens the engine of one stage; returns when it can serve."""

    async def __call__(self, stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
        """Opens the engine of this stage.

        Raises:
            ConfigError: The model is missing, or is not the one that is expected.
            EngineError: The engine did not start.
        """
        ...


async def open_whisper(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    from pipeline.engines.whisper.engine import WhisperEngine

    args = dict(stage.engine_args)
    language = args.pop("language")
    return await WhisperEngine.open(models_dir, language=None if language == "auto" else language, **args)


async def open_llama(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    from pipeline.engines.llamacpp.engine import LlamaCppEngine

    args = dict(stage.engine_args)
    known = known_prompts(args.pop("instructions", ()), args.pop("tools", ()))
    return await LlamaCppEngine.open(
        models_dir, slots=max_sessions, preamble=PREAMBLE, tools_preamble=TOOLS_PREAMBLE, known=known, **args
    )


async def open_hibari(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    from pipeline.engines.hibari.engine import HibariEngine

    return await HibariEngine.open()


async def open_recognition(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    from pipeline.engines.image_recognition.engine import ImageRecognitionEngine

    return await ImageRecognitionEngine.open(models_dir, **stage.engine_args)


async def open_chat(
    endpoint: ChatEndpoint, stage: StageDeployment, models_dir: Path, max_sessions: int
) -> Engine[Any, Any]:
    from pipeline.engines.chat_completions.engine import ChatCompletionsEngine

    return await ChatCompletionsEngine.open(endpoint, **stage.engine_args)


@dataclass(frozen=True, slots=True)
class EngineKind:
    """How the engines of one architecture are opened, and what a deployment may tell them.

    Attributes:
        names: What there is for keys that name something, given the folder of the models.
        check: Raises `ConfigError` if the stage's model is not in that folder, is another one, or does not agree with
            the stage; cheap, it imports nothing that computes. Returns what it takes of a GPU.
        apart: It starts in a process of its own and needs nothing of the others: they need not wait for it.
        beside: It takes memory that it was told, so that it may start beside the others; but not again, as all may have
            died, and one of them measures.
        measures: It takes what is free of its GPU: nobody else starts meanwhile.
        computes: How; a topology says the same.
        reads, makes: Its prompts and its chunks, a type or a union of types; None: whatever its stage's are.

    Raises:
        ConfigError: `keys` is something else than EngineKeys.
    """

    open: Opener
    keys: EngineKeys
    names: Callable[[Path], Names] = lambda models_dir: {}
    check: Callable[[StageDeployment, Path], GpuMemory] = lambda stage, models_dir: GpuMemory()
    apart: bool = False
    beside: bool = False
    measures: bool = False
    computes: StageExecutionType = StageExecutionType.LLM_AR
    reads: type | UnionType | None = None
    makes: type | UnionType | None = None

    @property
    def at_once(self) -> bool:
        """Whether it starts without waiting for those before it."""
        return self.apart or self.beside

    def __post_init__(self) -> None:
        if not isinstance(self.keys, EngineKeys):  # a package need not be checked for types
            raise ConfigError(
                "EngineKind", [f"`keys` must be EngineKeys, such as EngineKeys({{…}}), not {type(self.keys).__name__}"]
            )


def check_files(files: Sequence[str], stage: StageDeployment, models_dir: Path) -> GpuMemory:
    names = stage.engine_args["model"], stage.engine_args["fallback"]
    _check_whole(models_dir, names, files)
    return GpuMemory()


def check_recognition(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    args = stage.engine_args
    _check_whole(models_dir, [args["detector"]], DETECTOR_FILES)
    _check_whole(models_dir, [args["classifier"]], CLASSIFIER_FILES)
    if args["reader"] != NO_MODEL:
        _check_whole(models_dir, [args["reader"]], TEXT_READER_FILES)
    return GpuMemory()


def _check_whole(models_dir: Path, names: Sequence[str], files: Sequence[str]) -> None:
    check_whole(model_folder(models_dir, names, files, FETCHED), files, REPLACED)


def _context(value: int) -> str:
    if value < LEAST_CONTEXT:
        return f"at least {LEAST_CONTEXT} is needed: what callers may send, and an answer"
    return within(LEAST_CONTEXT, MOST_CONTEXT)(value)


WHISPER: Mapping[str, Key] = {
    "model": Key(str, "whisper-base"),
    "fallback": Key(str, "whisper-tiny.en"),
    "threads": count(1, MOST_THREADS),
    "language": Key(str, "en"),
}
LLAMA: Mapping[str, Key] = {
    "model": Key(str, "qwen2.5-coder-1.5b-instruct"),
    "fallback": Key(str, "smollm2-135m-instruct"),
    "threads": count(2, MOST_THREADS),
    "prompt_threads": count(2, MOST_THREADS),
    "context": Key(int, LEAST_CONTEXT, _context),
    "instructions": Key(list, None, instructions_fault),
    "tools": Key(list, None, tools_fault),
}
RECOGNITION: Mapping[str, Key] = {
    "detector": Key(str, "yolox-nano"),
    "classifier": Key(str, "efficientnet-lite3"),
    "reader": Key(str, "pp-ocrv6-small"),
    "threads": count(1, MOST_THREADS),
}
CHAT: Mapping[str, Key] = {"temperature": Key((int, float), 0.6, within(0, 2))}

WHISPER_KIND = EngineKind(
    open_whisper,
    EngineKeys(WHISPER),
    whisper_names,
    partial(check_files, WHISPER_FILES),
    reads=AsrInput,
    makes=Transcript,
)
LLAMA_KIND = EngineKind(
    open_llama,
    EngineKeys(LLAMA, sessions=BATCH),
    llama_names,
    partial(check_files, LLAMA_FILES),
    apart=True,
    reads=ChatPrompt,
    makes=TextChunk,
)
RECOGNITION_KIND = EngineKind(
    open_recognition,
    EngineKeys(RECOGNITION),
    recognition_names,
    check_recognition,
    apart=True,
    computes=LLM_GENERATION,
    reads=RecognitionPrompt,
    makes=Observation,
)
HIBARI_KIND = EngineKind(open_hibari, EngineKeys(), computes=LLM_GENERATION, reads=Clause, makes=AudioChunk)


def chat_kind(endpoint: ChatEndpoint) -> EngineKind:
    """The language model of that server."""
    return EngineKind(partial(open_chat, endpoint), EngineKeys(CHAT), apart=True, reads=ChatPrompt, makes=TextChunk)


CHAT_KIND = chat_kind(ChatEndpoint())
ENGINES: EntryRegistry[EngineKind] = EntryRegistry("aura.engines", EngineKind, SHIPPED)


def engines_of(topology: PipelineConfig, engines: Mapping[str, EngineKind] = ENGINES) -> Mapping[str, EngineKind]:
    """The engines that the stages of a topology name, by architecture; no other is imported.

    Raises:
        ConfigError: Lists each that is not there or cannot be imported.
    """
    found, faults = dict[str, EngineKind](), list[str]()
    for stage in topology.stages:
        here = f"stage {stage.stage_id} ({stage.model_stage})"
        try:
            found[stage.model_arch] = engines[stage.model_arch]
        except ConfigError as error:
            faults += [f"{here}: {line}" for line in str(error).splitlines()]
        except KeyError:
            faults.append(f"{here}: no engine serves `{stage.model_arch}` (known: {', '.join(engines)})")
    if faults:
        raise ConfigError(f"topology {topology.model_type}", faults)
    return found
