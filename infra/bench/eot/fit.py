"""Fits the weights with which witnesses are added up: logistic regression. Pure."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RIDGE = 1.0  # keeps weights small where few turns say something
STEPS = 50
LEAST = 1e-4  # of a probability: nobody is surer than that


def log_odds(probability: float) -> float:
    kept = min(max(probability, LEAST), 1 - LEAST)
    return float(np.log(kept / (1 - kept)))


def fitted(witnesses: Floats, ends: NDArray[np.bool_]) -> Floats:
    """The weights of a constant and of each witness, by Newton's method on the penalised likelihood.

    Args:
        witnesses: Shape [moments, witnesses].
        ends: Whether the turn was over, shape [moments].

    Returns:
        Shape [1 + witnesses], the constant first.
    """
    rows = np.column_stack([np.ones(len(witnesses)), witnesses])
    weights = np.zeros(rows.shape[1])
    penalty = RIDGE * np.eye(rows.shape[1])
    penalty[0, 0] = 0
    for _ in range(STEPS):
        probability = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (ends - probability) - penalty @ weights
        curve = (rows.T * (probability * (1 - probability))) @ rows + penalty
        weights = weights + np.linalg.solve(curve, slope)
    return weights
