"""The seam between the pipeline and whatever computes: one engine serves one stage."""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Protocol, TypeVar, runtime_checkable

P_contra = TypeVar("P_contra", contravariant=True)
C_co = TypeVar("C_co", covariant=True)


class Engine(Protocol[P_contra, C_co]):
    """Turns a stream of prompts into a stream of chunks, for many requests at once.

    An engine is opened by the factory that made it and lives until `aclose`.
    """

    def generate(self, request_id: str, prompts: AsyncIterator[P_contra]) -> AsyncGenerator[C_co, None]:
        """Answer each prompt in turn; ends when the prompts do. No prompt: yields nothing.

        Closing the generator aborts the request, and returns when the engine has dropped it
        (a fence, not a hope). One exception: a computation that cannot be interrupted (a Whisper
        pass, a step of image recognition) goes on unheard, and `busy` counts it until it ends.

        Raises:
            EngineError: The engine could not serve the request. Later requests may succeed.
        """
        ...

    async def busy(self) -> int:
        """Requests that the engine itself is computing now, asked of the engine and not of our books."""
        ...

    async def aclose(self) -> None:
        """Stop, and free what the engine holds."""
        ...


@runtime_checkable
class Listens(Protocol):
    """An engine that knows some languages. A caller who asks for another is told so, before it fails.

    Attributes:
        model: The name of the model that was opened.
        languages: ISO 639-1 codes.
        context_bytes: How much of a window's `context` there is room for, in UTF-8.
    """

    model: str
    languages: frozenset[str]
    context_bytes: int


@runtime_checkable
class Speaks(Protocol):
    """An engine with voices that have names.

    Attributes:
        voices: Its own choice comes first.
        speeds: The slowest and the fastest that a clause may ask for; None: it knows none but 1.
    """

    voices: tuple[str, ...]
    speeds: tuple[float, float] | None


@runtime_checkable
class SpeaksLanguages(Protocol):
    """An engine whose voices speak some languages, and no other.

    Attributes:
        voice_languages: ISO 639-1 codes.
    """

    voice_languages: tuple[str, ...]


@runtime_checkable
class CallsFunctions(Protocol):
    """An engine whose model may be offered functions of a client's to call.

    Attributes:
        calls_functions: False: its checkpoint is too small for that.
    """

    calls_functions: bool


@runtime_checkable
class TakesInstructions(Protocol):
    """An engine whose voice can be told in words how to speak.

    Attributes:
        most_instructions: Characters of them; 0: its checkpoint takes none.
    """

    most_instructions: int
