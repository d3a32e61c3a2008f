"""Gives vLLM prompts as its own renderer would make them, and what they show once."""

from collections import defaultdict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from vllm.inputs import MultiModalInput, TokensInput, mm_input, tokens_input
from vllm.multimodal.cache import BaseMultiModalProcessorCache as Cache
from vllm.multimodal.inputs import MultiModalKwargsItems, PlaceholderRange

from pipeline.models.shared.engine_io import MediaItem, PromptChunk

Items = Mapping[str, Any]
NONE: Items = MappingProxyType({})


def ready_prompt(chunk: PromptChunk, cache: Cache | None = None, items: Items = NONE) -> MultiModalInput | TokensInput:
    """What the engine is to be sent next: both sides of the cache go through the media in the order of their tokens.

    Args:
        cache: The sender's, which mirrors the engine's. What it holds is named and not sent. Without one, all is sent.
        items: By name, made beforehand. One that is missing here all the same is made now.
    """
    salt = chunk.cache_salt or None
    token_ids = [*chunk.token_ids, *chunk.draft]  # a list of its own: vLLM extends it in place
    if not chunk.media:
        return tokens_input(token_ids, cache_salt=salt)
    if cache is not None:
        for media_item in chunk.media:
            cache.touch_sender_cache_item(media_item.name)  # so that none of them makes room for another
    kwargs, names, places = defaultdict(list), defaultdict(list), defaultdict(list)
    for media_item in chunk.media:
        kwargs[media_item.kind].append(_sent(media_item, cache, items))
        names[media_item.kind].append(media_item.name)
        places[media_item.kind].append(PlaceholderRange(media_item.at, media_item.tokens))
    return mm_input(token_ids, MultiModalKwargsItems(kwargs), names, places, cache_salt=salt)


def unsent(chunk: PromptChunk, cache: Cache | None) -> tuple[MediaItem, ...]:
    """What the cache does not hold."""
    return () if cache is None else tuple(each for each in chunk.media if not cache.is_cached_item(each.name))


def items_of(media: tuple[MediaItem, ...]) -> Items:
    """May take a millisecond each."""
    return {media_item.name: media_item.item() for media_item in media}


def _sent(media_item: MediaItem, cache: Cache | None, items: Items) -> Any:
    if cache is None:
        return media_item.item()
    known = cache.is_cached_item(media_item.name)
    item = None if known else (items.get(media_item.name) or media_item.item(), ())
    return cache.get_and_update_item(item, media_item.name)[0]
