"""Gives vLLM prompts as its own renderer would make them, and what they show once."""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import torch
from vllm.inputs import MultiModalInput, TokensInput, mm_input, tokens_input
from vllm.multimodal.cache import BaseMultiModalProcessorCache as Cache
from vllm.multimodal.inputs import MultiModalKwargsItems, PlaceholderRange

from pipeline.models.shared.engine_io import Medium, Part

Items = Mapping[str, Any]
NONE: Items = MappingProxyType({})
PLACES = 4_096  # of media in prompts: seconds of 80 cameras


def ready_prompt(part: Part, cache: Cache | None = None, items: Items = NONE) -> MultiModalInput | TokensInput:
    """What the engine is to be sent next: both sides of the cache go through the media in the order of their tokens.

    Args:
        cache: The sender's, which mirrors the engine's. What it holds is named and not sent. Without one, all is sent.
        items: By name, made beforehand. One that is missing here all the same is made now.
    """
    salt = part.cache_salt or None
    token_ids = [*part.token_ids, *part.draft]  # a list of its own: vLLM extends it in place
    if not part.media:
        return tokens_input(token_ids, cache_salt=salt)
    if cache is not None:
        for medium in part.media:
            cache.touch_sender_cache_item(medium.name)  # so that none of them makes room for another
    kwargs, names, places = defaultdict(list), defaultdict(list), defaultdict(list)
    for medium in part.media:
        kwargs[medium.kind].append(_sent(medium, cache, items))
        names[medium.kind].append(medium.name)
        places[medium.kind].append(_place(medium.at, medium.tokens, medium.embeds))
    return mm_input(token_ids, MultiModalKwargsItems(kwargs), names, places, cache_salt=salt)


def unsent(part: Part, cache: Cache | None) -> tuple[Medium, ...]:
    """What the cache does not hold."""
    return () if cache is None else tuple(each for each in part.media if not cache.is_cached_item(each.name))


def items_of(media: tuple[Medium, ...]) -> Items:
    """May take a millisecond each."""
    return {medium.name: medium.item() for medium in media}


def _sent(medium: Medium, cache: Cache | None, items: Items) -> Any:
    if cache is None:
        return medium.item()
    known = cache.is_cached_item(medium.name)
    item = None if known else (items.get(medium.name) or medium.item(), ())
    return cache.get_and_update_item(item, medium.name)[0]


@lru_cache(PLACES)
def _place(at: int, tokens: int, embeds: range | None) -> PlaceholderRange:
    """One for all prompts that grow from one another: vLLM counts through the mask of each that it has not seen."""
    return PlaceholderRange(at, tokens, None if embeds is None else _mask(tokens, embeds))


@lru_cache
def _mask(tokens: int, embeds: range) -> Any:
    mask = torch.zeros(tokens, dtype=torch.bool)
    mask[embeds.start : embeds.stop] = True
    return mask
