"""Keeps what has been loaded out of garbage collection: to look through vLLM's modules stops all callers for 0.5 s."""

import gc


def freeze_startup_objects() -> None:
    """What is there now stays, and is not looked at again until the next call, which lets go of what is not needed.

    Takes as long as one full collection.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    # Python puts a full collection off until there is a quarter of what the last one found: let that be nothing, and
    # not all that is frozen now. What ended calls leave would wait for hundreds of others.
    gc.collect()
