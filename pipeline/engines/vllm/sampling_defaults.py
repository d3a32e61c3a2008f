"""How an engine draws its tokens: as a deployment says it, or as its checkpoint does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from pipeline.errors import ConfigError
from pipeline.models.shared.engine_io import RequestSampling


@dataclass(frozen=True, slots=True)
class SamplingDefaults:
    """Says how tokens are drawn where a request says nothing else.

    Attributes:
        temperature: 0 takes the likeliest token.
        top_k: Draws from so many of the likeliest tokens; 0: from all.
        seed: The same seed draws the same tokens; None draws anew.
        max_tokens: Most of one answer; None leaves it to the engine, which has a bound of its own.
    """

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    repetition_penalty: float = 1.0
    seed: int | None = None
    max_tokens: int | None = None

    @classmethod
    def told(cls, sampling: Mapping[str, Any]) -> Self:
        """Takes a deployment's `default_sampling_params`, which has all of them."""
        return cls(
            sampling["temperature"],
            max(sampling["top_k"], 0),
            sampling["top_p"],
            sampling["repetition_penalty"],
            sampling["seed"],
            sampling["max_tokens"],
        )

    def sampling(
        self, stop_token_ids: Sequence[int], logprobs: int | None = None, *, whole: bool = False
    ) -> RequestSampling:
        return RequestSampling(
            self.temperature,
            self.top_k,
            self.top_p,
            self.repetition_penalty,
            tuple(stop_token_ids),
            self.seed,
            logprobs,
            whole,
        )

    def most(self, tokens: int) -> int:
        """Returns the most tokens of an answer that may have `tokens` by its request."""
        return tokens if self.max_tokens is None else min(tokens, self.max_tokens)


def check_length(stage: str, max_model_len: int, least: int) -> None:
    """Checks that `max_model_len` has room for the longest request of the stage.

    Args:
        least: Positions that the longest request of the stage takes.

    Raises:
        ConfigError: There are fewer.
    """
    if max_model_len < least:
        raise ConfigError(f"stage {stage}", [f"`max_model_len` is {max_model_len}, at least {least} is needed"])


def check_stops(source: str, told: Sequence[int] | None, stops: Sequence[int]) -> None:
    """Checks that the `stop_token_ids` that were given are the checkpoint's own.

    Args:
        told: The `stop_token_ids` of the topology or the deployment, if they have any.
        stops: The checkpoint's own.

    Raises:
        ConfigError: They differ.
    """
    if told is not None and set(told) != set(stops):
        message = f"`stop_token_ids` are {sorted(told)}, but the checkpoint's are {sorted(stops)}"
        raise ConfigError(source, [message])
