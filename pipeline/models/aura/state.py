"""AURA's part in vLLM's V2 runner: where the tokens of a request stand that are still to be prefilled."""

from collections.abc import Iterable, Iterator

from vllm.multimodal.inputs import MultiModalFeatureSpec
from vllm.v1.core.sched.output import NewRequestData
from vllm.v1.worker.gpu.model_states.default import DefaultModelState

from pipeline.models.shared.positions import Grid, positions


class AuraState(DefaultModelState):
    """A prompt grows by a second of video or a question; what of it is in the cache needs no positions any more."""

    def add_request(self, req_index: int, new_req_data: NewRequestData) -> None:
        rope, ids = self.rope_state, new_req_data.prefill_token_ids
        assert rope is not None and ids is not None
        begin = new_req_data.num_computed_tokens
        merge = self.model.config.vision_config.spatial_merge_size
        placed, ahead = positions(list(grids(new_req_data.mm_features, merge)), begin, len(ids))
        rope.prefill_delta.np[req_index] = ahead
        for axis, row in enumerate(placed.tolist()):
            rope.prefill_positions.stage_write(len(placed) * req_index + axis, begin, row)


def grids(features: Iterable[MultiModalFeatureSpec], merge: int) -> Iterator[Grid]:
    """Yields where each second of video or picture lies in the prompt, in order, and its height and width in tokens.

    Args:
        merge: Patches of a token, along each side.
    """
    for feature in sorted(features, key=lambda each: each.mm_position.offset):
        assert feature.data is not None
        frames, height, width = feature.data[f"{feature.modality}_grid_thw"].data.tolist()
        assert frames == 1, "a second of video has two frames, which are one of the model's"
        yield Grid(feature.mm_position.offset, height // merge, width // merge)
