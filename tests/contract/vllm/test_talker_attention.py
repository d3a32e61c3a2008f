"""With the decoder's attention as one kernel, the Talker on the real vLLM writes the frames of the official package."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

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
    from pipeline.models.shared.decoder_attention.layer import DecoderAttention

    model = speaker.engine.model_executor.driver_worker.get_model()
    assert all(isinstance(layer.self_attn, DecoderAttention) for layer in model.model.layers)
    state = speaker.engine.model_executor.driver_worker.worker.model_runner.model_state
    assert state.first_attention() is model.model.layers[0].self_attn


def test_the_backends_that_it_fits_have_the_metadata_that_it_reads(vllm_on_a_cpu: None) -> None:
    from vllm.v1.attention.backends.registry import AttentionBackendEnum

    from pipeline.models.shared.decoder_attention.fit import BACKENDS

    for name in BACKENDS:
        backend = AttentionBackendEnum[name].get_class()
        (metadata,) = get_args(backend.get_builder_cls().__orig_bases__[0])
        assert backend.get_name() == name
        assert {"query_start_loc", "block_table"} <= set(metadata.__annotations__)


@pytest.mark.parametrize(
    ("additional_config", "said"), [({"own_attention": True}, True), ({"own_attention": False}, False), ({}, False)]
)
def test_where_it_does_not_fit_the_talker_keeps_vllms_and_says_so_if_it_was_expected(
    speaker: Speaker, additional_config: dict[str, bool], said: bool, caplog: pytest.LogCaptureFixture
) -> None:
    from pipeline.models.shared.decoder_attention.layer import with_own_attention

    real = speaker.engine.model_executor.driver_worker.get_model().model.layers[0].self_attn
    flashinfer = SimpleNamespace(get_name=lambda: "FLASHINFER")
    theirs = SimpleNamespace(
        head_dim=real.rotary_emb.cos_sin_cache.shape[1],
        rotary_emb=real.rotary_emb,
        attn=SimpleNamespace(attn_backend=flashinfer, kv_cache_torch_dtype=real.attn.kv_cache_torch_dtype),
    )
    layer = SimpleNamespace(self_attn=theirs)
    config: Any = SimpleNamespace(
        additional_config=additional_config,
        parallel_config=SimpleNamespace(tensor_parallel_size=1),
        compilation_config=SimpleNamespace(mode=0),
        model_config=SimpleNamespace(dtype=real.attn.kv_cache_torch_dtype),
    )
    with_own_attention(SimpleNamespace(layers=[layer]), config, "the Talker")
    assert layer.self_attn is theirs
    expected = "the Talker keeps vLLM's attention: the attention backend is FLASHINFER, not one of "
    assert [record.getMessage().startswith(expected) for record in caplog.records] == [True] * said


def test_a_prompt_in_chunks_text_that_comes_later_and_a_neighbour_that_is_aborted(speaker: Speaker) -> None:
    """Few at a time: on NumPy each layer of each token takes milliseconds."""
    cases = of(speaker, "streaming")[:2]
    long = next(case for case in of(speaker) if prompt_tokens(speaker, case) > STEP_TOKENS)
    streamed = Speech(cases[0], splits=[1] * 200, pace=FramePace(), begins=2)
    dropped = Speech(cases[1], begins=9, aborted=11)
    speeches = [Speech(long), streamed]
    speaker.speak(*speeches, dropped)
    assert equal(speeches)
