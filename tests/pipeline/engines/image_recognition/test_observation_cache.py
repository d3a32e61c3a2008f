"""What was seen in the newest pictures is kept, and no more."""

from pipeline.engines.image_recognition.observation_cache import ObservationCache, PictureKey
from pipeline.types.observation import Observation


def key(number: int) -> PictureKey:
    return PictureKey("anna", f"clip {number}")


def test_the_one_least_recently_asked_for_goes_first() -> None:
    cache = ObservationCache(2)
    for number in (1, 2):
        cache.put(key(number), False, Observation(text=str(number)))
    assert cache.get(key(1), False) == Observation(text="1")
    cache.put(key(3), False, Observation(text="3"))
    assert len(cache) == 2
    assert [cache.get(key(number), False) is not None for number in (1, 2, 3)] == [True, False, True]


def test_who_wants_to_read_is_not_told_what_only_a_look_has_shown() -> None:
    cache = ObservationCache()
    cache.put(key(1), False, Observation(text="a look"))
    assert cache.get(key(1), True) is None
    cache.put(key(1), True, Observation(text="all of it"))
    assert cache.get(key(1), False) == cache.get(key(1), True) == Observation(text="all of it")
