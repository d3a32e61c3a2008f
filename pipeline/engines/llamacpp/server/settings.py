"""How llama.cpp's server is run."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LlamaServerSettings:
    """Says how the child runs llama.cpp's server.

    Attributes:
        model: Path of the GGUF file.
        saved: Path of the folder for states of slots.
        context: Tokens of one slot: prompt and answer together.
        batch: Tokens of a prompt that are computed at once.
        reused: Fewest tokens in a row that, where they have moved in a prompt, are moved in the cache too.
        threads: CPU threads that decode.
        prompt_threads: CPU threads that prefill.
    """

    model: str
    saved: str
    slots: int
    context: int
    batch: int
    reused: int
    threads: int
    prompt_threads: int
