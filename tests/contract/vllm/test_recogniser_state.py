"""A step of the recogniser's asks little of the host, and what is written is what vLLM's own step would write."""

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pipeline.models.shared.engine_io import PromptChunk
from tests.contract.vllm.hearing import Asked, Recogniser
from tests.contract.vllm.hearing_cases import CASES
from tests.contract.vllm.test_hearing import tokens
from tests.contract.vllm.tiny_asr import write_recogniser

pytestmark = pytest.mark.vllm
SHORT, LONG = (next(case for case in CASES if not case.streamed and case.seconds == each) for each in (1.0, 8.4))
MOST = 5  # tokens of a step that is ours


@pytest.fixture(scope="module")
def recogniser(vllm_on_a_cpu: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recogniser]:
    recogniser = Recogniser(write_recogniser(tmp_path_factory.mktemp("qwen3_asr") / "tiny"))
    yield recogniser
    recogniser.close()


@pytest.fixture(scope="module")
def recogniser_of_short_steps(recogniser: Recogniser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recogniser]:
    folder = write_recogniser(tmp_path_factory.mktemp("qwen3_asr") / "tiny")
    short = Recogniser(folder, max_num_batched_tokens=64, max_num_seqs=2)
    yield short
    short.close()


def test_who_draws_or_wants_probabilities_is_sampled_by_vllm_and_changes_nothing_beside_it(
    recogniser: Recogniser,
) -> None:
    plain = recogniser.sampling
    likeliest = Asked(recogniser.pass_of(LONG))
    told = Asked(recogniser.pass_of(SHORT), sampling=replace(plain, logprobs=2))
    drawn = [
        Asked(recogniser.pass_of(SHORT), begins=2, aborted=9, sampling=replace(plain, temperature=2.0, seed=each))
        for each in (1, 2)
    ]
    recogniser.hear(likeliest, told, *drawn)
    assert [list(likeliest.tokens), list(told.tokens)] == [tokens(LONG), tokens(SHORT)]
    assert drawn[0].tokens != drawn[1].tokens


def runner_of(recogniser: Recogniser) -> Any:
    return recogniser.engine.model_executor.driver_worker.worker.model_runner


def test_vllms_sampler_is_in_it_unless_vllm_drafts(recogniser: Recogniser) -> None:
    from pipeline.models.shared.sampling.likeliest_sampler import LikeliestSampler

    runner = runner_of(recogniser)
    assert isinstance(runner.sampler, LikeliestSampler)
    assert runner.sampler.penalties_state
    state = copy(runner.model_state)
    assert state.custom_sampler(runner.sampler._base) is not None
    state._drafts = True
    assert state.custom_sampler(runner.sampler._base) is None


def test_no_positions_are_kept_of_a_prompt(recogniser: Recogniser) -> None:
    assert runner_of(recogniser).model_state.rope_state is None


def test_tokens_are_looked_up_where_the_graph_reads_them_if_the_table_is_plain(recogniser: Recogniser) -> None:
    import torch

    state = copy(runner_of(recogniser).model_state)
    table = recogniser.engine.model_executor.driver_worker.get_model().language_model.model.embed_tokens.weight
    step: Any = SimpleNamespace(
        input_ids=torch.tensor([5, 7, 9, 9], dtype=torch.int32),
        num_tokens=2,
        num_tokens_after_padding=4,
        has_prefill=False,
    )
    found = state.prepare_inputs_embeds({}, step, None)
    assert found.data_ptr() == state.encoder_runner.inputs_embeds.data_ptr() and len(found) == 4
    assert torch.equal(found[:2], table[torch.tensor([5, 7])])
    for otherwise in ({"has_prefill": True}, {}):
        state._has_plain_table = bool(otherwise)
        with pytest.raises(AttributeError):  # vLLM's own asks the step for more
            state.prepare_inputs_embeds({}, SimpleNamespace(**vars(step) | otherwise), None)


def test_a_prompt_that_is_read_in_parts_has_no_token_before_its_end(recogniser_of_short_steps: Recogniser) -> None:
    recogniser = recogniser_of_short_steps
    asked = [Asked(recogniser.pass_of(LONG)), Asked(recogniser.pass_of(SHORT), begins=1)]
    recogniser.hear(*asked)
    assert [list(each.tokens) for each in asked] == [tokens(LONG), tokens(SHORT)]


class Base:
    """vLLM's sampler as it is asked by ours, of two slots; it notes when it samples."""

    def __init__(self) -> None:
        self.sampling_states = SimpleNamespace(temperature=SimpleNamespace(np=np.zeros(2)))
        self.needs_logits_processing = np.zeros(2, bool)
        self.trace_replay_state: object = None
        self.compute_nans = self.return_sampling_mask = False
        self.dims: object = None
        self.sampled = 0

    def get_logprobs_dims(self, slots: Any) -> object:
        return self.dims if slots.tolist() == [1] else (1, 0)

    def __call__(self, logits: Any, batch: Any) -> str:
        self.sampled += 1
        return "vLLM's"


def batch(**what: Any) -> Any:
    given = {"idx_mapping_np": np.array([1]), "has_prefill": False, "num_reqs": 1}
    return SimpleNamespace(**(given | what))


def test_the_likeliest_is_taken_the_first_of_two_that_are_alike(vllm_on_a_cpu: None) -> None:
    import torch

    from pipeline.models.shared.sampling.likeliest_sampler import LikeliestSampler

    base: Any = Base()
    base.sampling_states.temperature.np[0] = 0.7  # of a slot that has no part in the step
    base.needs_logits_processing[0] = True
    took = LikeliestSampler(base, 2, "cpu")(torch.tensor([[0.0, 3.0, 3.0, 1.0]]), batch())
    assert took.sampled_token_ids.tolist() == [[1]]
    assert (took.num_sampled.tolist(), took.num_rejected.tolist()) == ([1], [0])
    assert not base.sampled


@pytest.mark.parametrize("asks", ["draws", "changed", "logprobs", "replay", "nans", "mask"])
def test_what_asks_for_more_is_vllms(vllm_on_a_cpu: None, asks: str) -> None:
    import torch

    from pipeline.models.shared.sampling.likeliest_sampler import LikeliestSampler

    base: Any = Base()
    base.sampling_states.temperature.np[1] = float(asks == "draws")
    base.needs_logits_processing[1] = asks == "changed"
    base.dims = (1, 0) if asks == "logprobs" else None
    base.trace_replay_state = object() if asks == "replay" else None
    base.compute_nans, base.return_sampling_mask = asks == "nans", asks == "mask"
    sampler = LikeliestSampler(base, 2, "cpu")
    assert sampler(torch.zeros(1, 4), batch()) == "vLLM's"
    assert base.sampled == 1


def test_nothing_is_made_for_a_graph_of_our_own_attention(vllm_on_a_cpu: None) -> None:
    from vllm.config.compilation import CUDAGraphMode
    from vllm.v1.worker.gpu.model_states.default import DefaultModelState

    from pipeline.models.shared.decoder_attention.layer import DecoderAttention
    from pipeline.models.shared.decoder_attention.state import OwnAttentionState

    class Theirs(DefaultModelState):
        def prepare_attn(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
            assert args[2:] == ("tables", "slots") and set(kwargs) == {"for_capture"}
            return {"made": True}

    class State(OwnAttentionState, Theirs):
        own: Any = None

        def __init__(self) -> None:
            """Of nothing."""

        def first_attention(self) -> Any:
            return self.own

    class UpTo(DecoderAttention):
        def __init__(self, most: int | None) -> None:
            self.__dict__["_most"] = most

    def made(own: Any, of: int, mode: Any = CUDAGraphMode.FULL, **how: Any) -> bool:
        state = State()
        state.own = own
        return bool(state.prepare_attn(SimpleNamespace(num_tokens_after_padding=of), mode, "tables", "slots", **how))

    assert [made(UpTo(MOST), of) for of in (1, MOST, MOST + 1)] == [False, False, True]
    assert not made(UpTo(None), 1_000)
    assert made(object(), 1), "vLLM's attention reads it"
    assert made(UpTo(None), 1, CUDAGraphMode.NONE), "what is no graph reads it as it runs"
    assert made(UpTo(None), 1, for_capture=True), "a graph is captured with it"


def test_a_whole_answer_comes_at_its_end_unless_it_has_a_draft(vllm_on_a_cpu: None, recogniser: Recogniser) -> None:
    from vllm.sampling_params import RequestOutputKind

    from pipeline.engines.vllm.conversion import sampling_params

    whole = replace(recogniser.sampling, whole=True)
    kinds = [
        sampling_params(sampling, PromptChunk((1, 2), 4, draft=draft)).output_kind
        for sampling, draft in ((whole, ()), (whole, (2,)), (recogniser.sampling, ()))
    ]
    assert kinds == [RequestOutputKind.FINAL_ONLY, RequestOutputKind.DELTA, RequestOutputKind.DELTA]
    asked = Asked(recogniser.pass_of(SHORT), sampling=whole)
    recogniser.hear(asked)
    assert list(asked.tokens) == tokens(SHORT)
