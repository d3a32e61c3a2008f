"""How likely a turn is over, by all witnesses together."""

from dataclasses import replace

import pytest

from agent.turns.end_evidence import EndEvidence

MIDDLE = EndEvidence(found=0.4, least=0.36, words_over=None, vote=0.5)


def likely(evidence: EndEvidence) -> float:
    assert evidence.probability is not None
    return evidence.probability


def test_without_a_vote_nothing_is_added_up() -> None:
    assert replace(MIDDLE, vote=None).probability is None


@pytest.mark.parametrize(
    ("less", "more"),
    [
        (replace(MIDDLE, found=0.2), MIDDLE),
        (replace(MIDDLE, least=0.5), MIDDLE),
        (replace(MIDDLE, vote=0.1), MIDDLE),
        (replace(MIDDLE, words_over=False), MIDDLE),
        (MIDDLE, replace(MIDDLE, words_over=True)),
        (replace(MIDDLE, sentence_end=0.3), replace(MIDDLE, sentence_end=0.9)),
        (replace(MIDDLE, sentence_end=0.3, vote=0.1), replace(MIDDLE, sentence_end=0.3)),
        (replace(MIDDLE, sentence_end=0.3, words_over=False), replace(MIDDLE, sentence_end=0.3)),
    ],
)
def test_each_witness_counts(less: EndEvidence, more: EndEvidence) -> None:
    assert likely(less) < likely(more)


@pytest.mark.parametrize("sure", [0.0, 1.0])
def test_no_witness_is_sure_beyond_all_doubt(sure: float) -> None:
    assert 0 < likely(replace(MIDDLE, found=sure, vote=sure)) < 1
