"""What a pipeline is: its stages and how they are joined. Frozen, and it checks itself: what it accepts runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from pipeline.errors import ConfigError

MOST_INSTRUCTIONS = 500  # where no stage says it: what the published topology says
OutputType = Literal["observation", "text", "latent", "audio"]


class StageExecutionType(StrEnum):
    """How a stage's engine computes."""

    LLM_AR = "llm_ar"  # autoregressive: a scheduler, a KV cache, one token a step
    LLM_GENERATION = "llm_generation"  # one pass per chunk, state kept per request


@dataclass(frozen=True, slots=True)
class StagePipelineConfig:
    """One stage: which model, what it reads, what it hands on.

    A stage without input_sources is asked by the session. It answers questions if custom_process_input_func makes its
    prompts of them, and else is the recogniser. Whoever reads the recogniser is given the question with its words.

    Attributes:
        model_stage: The stage's name, in requests, tasks, logs and metrics.
        execution_type: How its engine computes; a profile whose engine computes otherwise is refused.
        input_sources: Ids of the earlier stages whose chunks this one reads: `engine_input_source` of a file.
        engine_output_type: What it hands on; `latent` is what only models read: codec frames, hidden states, or a type
            of the model's own; with a final_output_type `text` it is words, and that beside them. An `observation` is
            what was recognised in a picture.
        final_output: True if its chunks leave the pipeline (text for captions, audio to hear, observations to show).
        requires_multimodal_data: It is given sound, if it is the recogniser; camera and pictures, if it makes
            observations or answers.
        hears: It is given the question's own sound: spoken items keep theirs.
        custom_process_input_func: Turns what arrives into this engine's prompts; has one inbox for each input source.
        custom_process_next_stage_input_func: The full payload: turns all that this engine makes into the next one's
            prompts, once it is complete.
        async_chunk_process_next_stage_input_func: How it hands on in chunks of codec frames, while they are being made.
        sync_process_input_func: Token only: turns the codec frames that arrive into one flat list of ids.
        sampling_constraints: Sampling parameters that a deployment may not change.
        extras: `{"tts_args": {"max_instructions_length": …}}`: most characters of how a caller wants to be spoken to.
    """

    stage_id: int
    model_stage: str
    execution_type: StageExecutionType
    input_sources: tuple[int, ...]
    engine_output_type: OutputType
    model_arch: str
    final_output: bool = False
    final_output_type: OutputType | None = None
    owns_tokenizer: bool = False
    requires_multimodal_data: bool = False
    hears: bool = False
    custom_process_input_func: Callable[..., Any] | None = None
    custom_process_next_stage_input_func: Callable[..., Any] | None = None
    async_chunk_process_next_stage_input_func: Callable[..., Any] | None = None
    sync_process_input_func: Callable[..., Any] | None = None
    sampling_constraints: Mapping[str, Any] = field(default_factory=dict)
    extras: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_optional(self) -> bool:
        """An answer can do without it: what looks at pictures may be missing or fail, and the others go on."""
        return self.engine_output_type == "observation"

    @property
    def is_recogniser(self) -> bool:
        return not (self.input_sources or self.custom_process_input_func)


@dataclass(frozen=True, slots=True)
class PipelineConfig:
    """A graph of stages, each behind those that it reads. Text, sound or both leave it.

    Raises:
        ConfigError: Lists every fault: what could not run, and what would have no effect.
    """

    model_type: str
    model_arch: str
    stages: tuple[StagePipelineConfig, ...]

    def __post_init__(self) -> None:
        from pipeline.topology.faults import topology_faults  # which speaks of this class

        if faults := list(topology_faults(self)):
            raise ConfigError(f"topology {self.model_type}", faults)

    def stage(self, model_stage: str) -> StagePipelineConfig:
        """The stage of that name.

        Raises:
            KeyError: No stage has it.
        """
        for stage in self.stages:
            if stage.model_stage == model_stage:
                return stage
        raise KeyError(model_stage)

    @property
    def edges(self) -> tuple[tuple[StagePipelineConfig, StagePipelineConfig], ...]:
        """Each stage that is read, with one that reads it, in the order of those that read."""
        by_id = {stage.stage_id: stage for stage in self.stages}
        return tuple((by_id[source], stage) for stage in self.stages for source in stage.input_sources)

    @property
    def recogniser(self) -> StagePipelineConfig | None:
        """The stage that makes words of what is said; None: nobody writes down what is said."""
        return next((stage for stage in self.stages if stage.is_recogniser), None)

    @property
    def answers_sound(self) -> bool:
        """Nobody waits for words: what is said is answered by who hears it, and the recogniser writes beside that."""
        return not any(source.is_recogniser for source, _ in self.edges)

    @property
    def modalities(self) -> tuple[Literal["audio", "text"], ...]:
        """What an answer can be, sound first."""
        final = {stage.final_output_type for stage in self.stages if stage.final_output}
        kinds: tuple[Literal["audio", "text"], ...] = ("audio", "text")
        return tuple(kind for kind in kinds if kind in final)

    @property
    def max_instructions_length(self) -> int:
        """Most characters in which a caller may say how they want to be spoken to."""
        told = [args["max_instructions_length"] for stage in self.stages for args in stage.extras.values()]
        return int(told[0]) if told else MOST_INSTRUCTIONS
