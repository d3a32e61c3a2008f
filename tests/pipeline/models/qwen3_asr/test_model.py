"""Which windows of sound are encoded by which graph. That they encode to the same is held by the goldens."""

import pytest

from pipeline.engines.vllm.cuda_graphs import ENCODER
from pipeline.models.qwen3_asr.windows import CHUNK, audio_tokens

BUDGETS = ENCODER["encoder_cudagraph_token_budgets"]


def smallest(tokens: int) -> int | None:
    return min((each for each in BUDGETS if each >= tokens), default=None)


@pytest.mark.parametrize("frames", [100, 101, 199, 200, 350, 799, 800, 899])
def test_the_graph_of_a_window_has_room_for_each_of_its_chunks_and_no_more(frames: int) -> None:
    chunks = -(-frames // CHUNK)
    assert smallest(audio_tokens(frames)) == chunks * audio_tokens(CHUNK)


def test_a_sound_that_is_shorter_than_a_chunk_has_none() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed (extra `vllm`)")
    pytest.importorskip("vllm", reason="vllm is not installed (extra `vllm`)")
    from pipeline.models.qwen3_asr.model import LENGTHS, PATH, GraphedQwen3ASRForConditionalGeneration

    model = GraphedQwen3ASRForConditionalGeneration.__new__(GraphedQwen3ASRForConditionalGeneration)
    short, long = model.get_encoder_cudagraph_item_specs({LENGTHS: torch.tensor([99, 250])})
    assert smallest(short.get_path_output_tokens(PATH)) is None and short.output_tokens == 13
    assert smallest(long.get_path_output_tokens(PATH)) == 39 and long.output_tokens == 33
