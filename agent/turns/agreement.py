"""This module tells how much two hypotheses of one sound agree: what a recogniser says twice, it will hardly take back.

Pure. The rule of two that agree is that of LocalAgreement-2 (Liu et al. 2020, Interspeech, "Low-latency sequence-to-
sequence speech recognition and translation by partial hypothesis selection").
"""

import re

BEGINNING = 2  # words that must be the same, or as many as the earlier hypothesis has


def agree(earlier: str, later: str) -> bool:
    """Whether the later hypothesis begins with the words with which the earlier one does."""
    first = _words(earlier)[:BEGINNING]
    return bool(first) and first == _words(later)[: len(first)]


def same_words(one: str, other: str) -> bool:
    """Whether they differ in nothing but case and punctuation."""
    return _words(one) == _words(other)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+(?:['’]\w+)*", text.casefold())
