"""With the decoder's attention as one kernel, the Talker on the real vLLM writes the frames of the official package."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipeline.models.qwen3_tts.sentence import FramePace
from tests.contract.vllm.speaking import Speaker, Speech
from tests.contract.vllm.test_talker import STEP_TOKENS, equal, of, prompt_tokens
from tests.contract.vllm.tiny import Kind

pytestmark = pytest.mark.vllm


@pytest.fixture(scope="module")
def speaker(vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path]) -> Iterator[Speaker]:
    own = {"own_attention": True}
    speaker = Speaker(checkpoint("custom_voice"), max_num_batched_tokens=STEP_TOKENS, additional_config=own)
    yield speaker
    speaker.close()


def test_each_layer_has_it(speaker: Speaker) -> None:
    from pipeline.models.qwen3_tts.decoder_attention.layer import DecoderAttention

    model = speaker.engine.model_executor.driver_worker.get_model()
    assert all(isinstance(layer.self_attn, DecoderAttention) for layer in model.model.layers)


def test_a_prompt_in_chunks_text_that_comes_later_and_a_neighbour_that_is_aborted(speaker: Speaker) -> None:
    """Few at a time: on NumPy each layer of each token takes milliseconds."""
    cases = of(speaker, "streaming")[:2]
    long = next(case for case in of(speaker) if prompt_tokens(speaker, case) > STEP_TOKENS)
    streamed = Speech(cases[0], splits=[1] * 200, pace=FramePace(), begins=2)
    dropped = Speech(cases[1], begins=9, aborted=11)
    speeches = [Speech(long), streamed]
    speaker.speak(*speeches, dropped)
    assert equal(speeches)
