"""The Talker with the plain predictor behind its graphs, to be compared with the fused one."""

from pipeline.models import registry
from pipeline.models.qwen3_tts.frame.step import Predicts
from pipeline.models.qwen3_tts.state import TalkerState
from pipeline.models.qwen3_tts.talker import Talker


class PlainState(TalkerState):
    def quickest(self) -> Predicts:
        plain: Predicts = self.talker.code_predictor
        return plain


class PlainTalker(Talker):
    def get_model_state_cls(self) -> type[TalkerState]:
        return PlainState


def register() -> None:
    """In place of `pipeline.models.registry.register`."""
    from vllm import ModelRegistry

    registry.register()
    ModelRegistry.register_model(registry.TALKER, "tests.gpu.voice_plain:PlainTalker")
