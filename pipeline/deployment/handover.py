"""How a deployment file has one stage hand on to the next, and what of that cannot be or has no effect. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

from pipeline.deployment.schema import EDGE_KEYS, RUNTIME_KEYS, TOP_KEYS, WINDOW_KEYS
from pipeline.deployment.values import sound
from pipeline.engines.code2wav.chunk_ramp import ChunkRamp
from pipeline.topology.config import PipelineConfig, StagePipelineConfig

WHOLE = WINDOW_KEYS["window_size"].default
TOKEN_ONLY = "sync_process_input_func"


@dataclass(frozen=True, slots=True)
class Told:
    """What a file says of one way from stage to stage, as far as that can be.

    Attributes:
        async_chunk: Whether codec frames are cut; None: the edge says how they are handed on.
        token_only: The file names the function that makes tokens of them.
        edge: The keys of the edge itself.
        defaults: The defaults of all edges.
        chunks: The sizes of the connector that the edge names.
    """

    async_chunk: bool | None = None
    token_only: bool = False
    edge: dict[str, Any] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    chunks: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, raw: dict[str, Any], source: StagePipelineConfig, stage: StagePipelineConfig) -> Self:
        file, runtime = sound(raw, TOP_KEYS), sound(raw.get("runtime"), RUNTIME_KEYS)
        edges = (sound(each, EDGE_KEYS) for each in runtime.get("edges", []))
        ends = {"from": source.stage_id, "to": stage.stage_id}
        edge = next((each for each in edges if ends.items() <= each.items()), {})
        connector = runtime.get("connectors", {}).get(edge.get("connector"))
        stages = (each for each in file.get("stage_args", []) if isinstance(each, dict))
        return cls(
            file.get("async_chunk") if source.engine_output_type == "latent" else None,
            any(each.get("stage_id") == stage.stage_id and TOKEN_ONLY in each for each in stages),
            edge,
            sound(runtime.get("defaults"), WINDOW_KEYS),
            connector.get("extra", {}) if isinstance(connector, dict) else {},
        )

    @property
    def window_size(self) -> int:
        return int({**self.defaults, **self.edge}.get("window_size", WHOLE))

    @property
    def max_inflight(self) -> int:
        return int({**self.defaults, **self.edge}.get("max_inflight", 1))

    @property
    def is_cut(self) -> bool:
        """Less than all is handed on at once."""
        if self.async_chunk is not None:
            return self.async_chunk
        return self.window_size != WHOLE or "connector" in self.edge


def hand_over(raw: dict[str, Any], source: StagePipelineConfig, stage: StagePipelineConfig) -> dict[str, Any]:
    """How a sound file has one stage hand on to the next: what `Edge` is made of.

    `async_chunk` decides of what only models read: true cuts codec frames and hands hidden states on as they come,
    false hands all on complete; by the stage's token-only function if the file names it, else as the full payload.
    """
    told = Told.of(raw, source, stage)
    how = {"window_size": told.window_size, "chunks": told.chunks}
    if told.async_chunk is False:
        how = {"window_size": WHOLE, "token_only": told.token_only}
    elif told.async_chunk and told.window_size == WHOLE and stage.custom_process_input_func:
        how["window_size"] = 1
    elif told.async_chunk and told.window_size == WHOLE and not told.chunks:
        how["chunks"] = {"codec_chunk_ramp": list(ChunkRamp().sizes)}
    return {"max_inflight": told.max_inflight, **how}


def hand_over_faults(raw: dict[str, Any], topology: PipelineConfig) -> Iterator[str]:
    """One sentence a fault, in the order of the stages."""
    joints = topology.edges
    cuts = any(
        source.engine_output_type == "latent" and not stage.custom_process_input_func for source, stage in joints
    )
    if "async_chunk" in raw and not any(source.engine_output_type == "latent" for source, _ in joints):
        yield "`async_chunk` changes nothing: no stage hands on codec frames"
    for source, stage in joints:
        told = Told.of(raw, source, stage)
        first = Told.of(raw, next(each for each, reader in joints if reader is stage), stage)
        if (told.window_size, told.max_inflight) != (first.window_size, first.max_inflight):
            ends = f"stage {source.stage_id} to stage {stage.stage_id}"
            yield f"runtime: {ends}: all that stage {stage.stage_id} reads has one `window_size` and one `max_inflight`"
        for fault in _contradictions(told, source, stage, cuts=cuts):
            yield f"runtime: stage {source.stage_id} to stage {stage.stage_id}: {fault}"
        if told.token_only and not (told.async_chunk is False and stage.sync_process_input_func):
            yield f"stage {stage.stage_id}: `{TOKEN_ONLY}` is only called where `async_chunk` is false"


def _contradictions(
    told: Told, source: StagePipelineConfig, stage: StagePipelineConfig, *, cuts: bool
) -> Iterator[str]:
    """What the file says twice and differently, or what no function of the topology does.

    Args:
        cuts: On some way `async_chunk` decides of codec frames.
    """
    if told.async_chunk and told.edge.get("window_size") == WHOLE and "connector" not in told.edge:
        yield "`window_size` is -1, all at once, but `async_chunk` is true"
    for key in ("window_size", "connector") if told.async_chunk is False else ():
        if told.edge.get(key, WHOLE) != WHOLE:
            yield f"`{key}` cuts what is handed on, but `async_chunk` is false"
    if stage.custom_process_input_func:
        if told.async_chunk is not None and not cuts:
            yield f"`async_chunk` changes nothing: {stage.model_stage} makes its prompts itself"
        if source.engine_output_type == "latent" and "connector" in told.edge:
            yield f"`connector` changes nothing: {stage.model_stage} makes its prompts itself"
    elif told.is_cut and source.async_chunk_process_next_stage_input_func is None:
        cutting = "`async_chunk` false" if told.async_chunk else "`window_size` -1 and no connector"
        yield f"{source.model_stage} hands on all at once only: {cutting} is needed"
