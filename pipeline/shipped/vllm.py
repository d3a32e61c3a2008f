"""The profile for GPUs."""

from pipeline.runtime.engine_registry import engines_of
from pipeline.runtime.profiles import DEPLOY, Profile
from pipeline.topology.aura_omni import AURA_OMNI_PIPELINE
from pipeline.topology.processors.aura import ROOM

VLLM = Profile(
    AURA_OMNI_PIPELINE, DEPLOY / "aura_80gb.yaml", engines_of(AURA_OMNI_PIPELINE), limits=ROOM, warms_up=True
)
