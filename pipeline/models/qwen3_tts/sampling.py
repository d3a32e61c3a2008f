"""Draws one id from each row of logits, by Gumbel noise that is given: the same noise, the same id."""

import torch
from torch import Tensor

NO_TOP_K = 0
NO_TOP_P = 1.0


def choose(
    logits: Tensor, noise: Tensor | None, temperature: Tensor | None, top_k: Tensor | None, top_p: Tensor | None
) -> Tensor:
    """One id a row: the largest of scaled logits plus noise (Gumbel-max), among those that are likely enough.

    Args:
        logits: [rows, ids], float32.
        noise: [rows, ids], float32, of the standard Gumbel distribution; None takes the largest logit.
        temperature: [rows]; 0 takes the row's largest logit. None: 1 everywhere.
        top_k: [rows], int; ids with at least `top_k` likelier ones are never drawn. 0, or None: all are.
        top_p: [rows]; of those left, ids whose likelier ones make up `top_p` together are never drawn.
            1, or None: all are.

    Returns:
        [rows], int64.
    """
    likeliest = logits.argmax(-1)
    if noise is None:
        return likeliest
    if temperature is not None:
        logits = logits / temperature.clamp(min=torch.finfo(torch.float32).tiny)[:, None]
    drawn = (_likely(logits, top_k, top_p) + noise).argmax(-1)
    return drawn if temperature is None else torch.where(temperature > 0, drawn, likeliest)


def _likely(logits: Tensor, top_k: Tensor | None, top_p: Tensor | None) -> Tensor:
    """The logits, with minus infinity in place of those that may not be drawn."""
    if top_k is None and top_p is None:
        return logits
    ordered = logits.sort(-1, descending=True).values
    if top_k is not None:
        ids = logits.shape[-1]
        last = torch.where(top_k > NO_TOP_K, top_k.clamp(max=ids), ids).long() - 1
        least = ordered.gather(-1, last[:, None])
        logits = logits.masked_fill(logits < least, -torch.inf)
        ordered = ordered.masked_fill(ordered < least, -torch.inf)
    if top_p is not None:
        shares = ordered.softmax(-1)
        likelier = shares.cumsum(-1) - shares
        kept = (likelier < top_p[:, None]).sum(-1).clamp(min=1)
        least = ordered.gather(-1, torch.where(top_p < NO_TOP_P, kept, ordered.shape[-1])[:, None] - 1)
        logits = logits.masked_fill(logits < least, -torch.inf)
    return logits


def gumbel(seeds: Tensor, frames: Tensor, codebooks: int, ids: int) -> Tensor:
    """Noise for one frame of each row: a function of the row's seed and frame, whatever is beside it.

    Args:
        seeds, frames: [rows], int64.

    Returns:
        [rows, codebooks, ids], float32, standard Gumbel: -log(-log(uniform)).
    """
    places = torch.arange(codebooks * ids, device=seeds.device)
    keys = _mixed(_mixed(seeds) + frames)
    bits = (_mixed(keys[:, None] + places) >> 41) & 0x7FFFFF
    uniform = (bits.float() + 0.5) * 2.0**-23
    return -torch.log(-torch.log(uniform)).view(-1, codebooks, ids)


def _mixed(x: Tensor) -> Tensor:
    """SplitMix64's step (Steele, Lea and Flood, 2014): int64 in, well mixed int64 out."""
    x = x + (0x9E3779B97F4A7C15 - 2**64)
    x = (x ^ ((x >> 30) & (2**34 - 1))) * (0xBF58476D1CE4E5B9 - 2**64)
    x = (x ^ ((x >> 27) & (2**37 - 1))) * (0x94D049BB133111EB - 2**64)
    return x ^ ((x >> 31) & (2**33 - 1))
