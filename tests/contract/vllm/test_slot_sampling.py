"""Codebook 0 is drawn as vLLM's own sampler draws it, out of tables that a CUDA graph can read."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contract.vllm.speaking import Speaker
from tests.contract.vllm.tiny import Kind

torch = pytest.importorskip("torch", reason="the voice's models need torch, which the embedded profile has not")

pytestmark = pytest.mark.vllm

STOPS = [2_150]
TOLD: dict[str, dict[str, Any]] = {
    "greedy": {"temperature": 0.0},
    "warm": {"temperature": 0.9, "seed": 7},
    "another seed": {"temperature": 0.9, "seed": -(2**62)},
    "no repeats": {"temperature": 0.0, "repetition_penalty": 3.0},
    "all": {"temperature": 1.3, "repetition_penalty": 1.5, "seed": 2**62, "min_tokens": 9, "stop_token_ids": STOPS},
    "too short to end": {"temperature": 0.0, "min_tokens": 5, "stop_token_ids": STOPS},
}


@pytest.fixture(scope="module")
def sampler(vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path]) -> Iterator[Any]:
    speaker = Speaker(checkpoint("custom_voice"), max_num_seqs=8)
    yield speaker.engine.model_executor.driver_worker.model_runner.sampler
    speaker.close()


@pytest.fixture
def told(sampler: Any) -> Any:
    """The sampler, in whose slots 1 to 6 are requests of these kinds, with prompts of ten tokens."""
    from vllm import SamplingParams

    sampler._base.req_states.prompt_len.np[:] = 10
    for slot, settings in enumerate(TOLD.values(), 1):
        sampler.add_request(slot, SamplingParams(**settings))
    sampler.apply_staged_writes()
    sampler._base.apply_staged_writes()  # which nobody reads but vLLM's own drawing, here
    torch.manual_seed(1)
    sampler._base.penalties_state.output_bin_counts[:] = torch.rand(8, sampler._base.sampling_states.vocab_size) < 0.3
    return sampler


def logits_of(sampler: Any, rows: int) -> Any:
    logits = torch.randn(rows, sampler._base.sampling_states.vocab_size) * 3
    logits[:, STOPS] = 30.0  # the likeliest, where it may be drawn
    return logits.bfloat16()


def vllms(sampler: Any, logits: Any, slots: Any, places: Any) -> list[int]:
    zeros = torch.zeros(len(slots), dtype=torch.int32)
    drawn, _ = sampler._base.sample(logits, slots, slots, slots.numpy(), places, zeros, zeros, np.zeros(len(slots)))
    return list(drawn.tolist())


def test_it_draws_what_vllm_does(told: Any) -> None:
    slots, drawn = torch.tensor([4, 1, 6, 2, 5, 3]), set()
    for place in range(9, 29):
        logits, places = logits_of(told, len(slots)), torch.full((len(slots),), place)
        ours = told._sampling.draw(logits, slots, places).tolist()
        assert ours == vllms(told, logits.clone(), slots, places)
        drawn.add(tuple(each in STOPS for each in ours))
    assert len(drawn) > 1, "ends are drawn, and are not"


def test_a_step_in_which_nobody_is_new_tells_nothing_anew(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(told._base.penalties_state, "apply_staged_writes", lambda: calls.append("vllm"))
    told.apply_staged_writes()
    assert not calls
    slot, place = torch.tensor([2]), torch.tensor([12])
    flat = torch.zeros(1, told._base.sampling_states.vocab_size)
    flat[0, 5] = 0.001
    told._base.sampling_states.temperature.np[2] = 0.0
    assert told._sampling.draw(flat, slot, place).item() != 5
    told._told = False  # as `add_request` leaves it
    told.apply_staged_writes()
    assert calls == ["vllm"]
    assert told._sampling.draw(flat, slot, place).item() == 5


@pytest.mark.parametrize("settings", [{"top_k": 2}, {"top_p": 0.5}, {"top_k": 3, "top_p": 0.4}])
def test_the_likeliest_so_many_and_so_much_are_drawn_from(told: Any, settings: dict[str, Any]) -> None:
    from vllm import SamplingParams

    logits = torch.full((1, told._base.sampling_states.vocab_size), -10.0)
    logits[0, [70, 30, 50, 10]] = torch.tensor([10.0, 9.9, 9.8, 9.7])
    told.add_request(2, SamplingParams(temperature=1.0, seed=3, **settings))
    told.apply_staged_writes()
    drawn = {told._sampling.draw(logits, torch.tensor([2]), torch.tensor([place])).item() for place in range(60)}
    assert drawn == {70, 30}


def test_rows_that_fill_up_a_graph_touch_nobody(told: Any) -> None:
    """They are of a slot that no request has, and take the likeliest id whatever others were told."""
    spare = told._sampling.spare
    assert spare == told._state.max_num_reqs
    logits = logits_of(told, 3)
    drawn = told._sampling.draw(logits, torch.full((3,), spare), torch.arange(3))
    assert drawn.tolist() == logits.argmax(1).tolist()
