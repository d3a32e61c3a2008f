"""With the decoder's attention as one kernel a layer, Qwen3-ASR on the real vLLM hears what the official package hears.

On a CPU vLLM's cache lies otherwise than ours, so here all steps have it; `tests.gpu.hearing_goldens` has long ones of
vLLM's between.
"""

from collections.abc import Iterator

import pytest

from tests.contract.vllm.hearing import Asked, Recogniser
from tests.contract.vllm.hearing_cases import CASES
from tests.contract.vllm.test_hearing import tokens
from tests.contract.vllm.tiny_asr import write_recogniser

pytestmark = pytest.mark.vllm
OWN = {"additional_config": {"own_attention": True, "own_attention_most": None}}


@pytest.fixture(scope="module")
def recogniser(vllm_on_a_cpu: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recogniser]:
    recogniser = Recogniser(write_recogniser(tmp_path_factory.mktemp("qwen3_asr") / "tiny"), **OWN)
    yield recogniser
    recogniser.close()


def test_each_layer_has_it(recogniser: Recogniser) -> None:
    from pipeline.models.shared.decoder_attention.layer import DecoderAttention

    model = recogniser.engine.model_executor.driver_worker.get_model().language_model.model
    assert all(isinstance(layer.self_attn, DecoderAttention) for layer in model.layers)
    state = recogniser.engine.model_executor.driver_worker.worker.model_runner.model_state
    assert state.first_attention() is model.layers[0].self_attn


def test_what_is_heard_is_what_the_official_package_hears(recogniser: Recogniser) -> None:
    """Few: on NumPy each layer of each token takes milliseconds."""
    cases = [next(case for case in CASES if not case.streamed and case.seconds == each) for each in (1.0, 8.4)]
    asked = [Asked(recogniser.pass_of(case), begins=2 * at) for at, case in enumerate(cases)]
    recogniser.hear(*asked)
    assert [list(each.tokens) for each in asked] == [tokens(case) for case in cases]


def test_a_step_of_many_tokens_is_vllms(recogniser: Recogniser) -> None:
    import torch

    layer = recogniser.engine.model_executor.driver_worker.get_model().language_model.model.layers[0].self_attn
    from pipeline.models.shared.decoder_attention.layer import DecoderAttention

    class Theirs:
        """Parts as vLLM's has them, and what is done when it is called itself."""

        def __init__(self) -> None:
            self.__dict__ |= {name: getattr(layer, name) for name in ("qkv_proj", "o_proj", "q_norm", "k_norm")}
            self.rotary_emb, self.attn, self.num_heads, self.head_dim = layer.rotary_emb, layer.attn, 4, 32

        def forward(self, positions: torch.Tensor, hidden_states: torch.Tensor) -> torch.Tensor:
            return hidden_states + 1

    class Mixed(DecoderAttention):
        def _attended(self, positions: torch.Tensor, qkv: torch.Tensor) -> torch.Tensor:
            return qkv.new_zeros(len(qkv), layer.o_proj.input_size)

    mixed = Mixed(Theirs(), 8, layer._sharing, most=2)
    few, many = (torch.zeros(tokens, layer.qkv_proj.input_size) for tokens in (2, 3))
    assert torch.equal(mixed(torch.arange(2), few), few), "so many are ours"
    assert torch.equal(mixed(torch.arange(3), many), many + 1)
