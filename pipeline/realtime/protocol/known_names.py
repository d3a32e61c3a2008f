"""The names in a client's settings, held against what the pipeline has.

Clients that were made for OpenAI's service name its models and voices unasked. Those stand for ours; what
clients are told is the name that holds.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from pipeline.errors import RequestError
from pipeline.types.capabilities import Capabilities

LONGEST_NAME = 64  # that is told back, or compared with those that are known: to compare megabytes takes seconds
PLAIN = "aura"  # any pipeline, whatever its own name is
OPENAI_MODELS = ("gpt-", "whisper-1")  # how their names begin
OPENAI_VOICES = frozenset(
    ("alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx", "sage", "shimmer", "verse")
)


def check_pipeline(request: str, there: Capabilities, param: str) -> None:
    """Every pipeline answers to its own name, and to `aura`.

    Raises:
        RequestError: `model_not_found`, with those that are known.
    """
    if request != PLAIN:
        check_model(request, there.model, param)


def check_model(request: str, known: str, param: str) -> None:
    """Checks that a model is the one that is served; OpenAI's own names stand for it.

    Raises:
        RequestError: `model_not_found`, with the one that is known.
    """
    if request != known and not request.startswith(OPENAI_MODELS):
        raise _unknown(request, [known], param, "model_not_found")


def voice(request: str | dict[str, Any], there: Capabilities, param: str) -> str:
    """The voice that answers to that name; an object would be a voice of a customer of OpenAI's.

    Raises:
        RequestError: Names those that there are.
    """
    if not isinstance(request, str):
        raise RequestError("invalid_value", f"{param}: custom voices are not served, {_choice(there.voices)}", param)
    if not there.voices or request in there.voices:
        return request
    if request in OPENAI_VOICES:
        return there.voice
    raise _unknown(request, there.voices, param)


def check_language(request: str, there: Capabilities, param: str) -> None:
    """Checks that the recogniser knows a language.

    Raises:
        RequestError: Names those that the recogniser knows. A region is nothing to it: `en-US` is `en`.
    """
    if there.languages and _code(request) not in there.languages:
        raise _unknown(request, sorted(there.languages), param)


def voice_language(request: str, there: Capabilities, param: str) -> str | None:
    """The code of a language that the voice speaks; None, of an empty one: that which the caller is heard to speak.

    Raises:
        RequestError: Names those that it speaks. A region is nothing to it: `en-US` is `en`.
    """
    code = _code(request)
    if code and there.voice_languages and code not in there.voice_languages:
        raise _unknown(request, there.voice_languages, param)
    return code or None


def _code(language: str) -> str:
    return language.lower().replace("_", "-").split("-")[0]


def _unknown(request: str, known: Iterable[str], param: str, code: str = "invalid_value") -> RequestError:
    known = tuple(known)
    near = get_close_matches(request, known, n=1) if len(request) <= LONGEST_NAME else []
    hint = f"did you mean {near[0]!r}? " if near else ""
    name = request if len(request) <= LONGEST_NAME else f"{request[:LONGEST_NAME]}…"
    return RequestError(code, f"{param}: {name!r} is not served; {hint}{_choice(known)}", param)


def _choice(known: Iterable[str]) -> str:
    return f"there is: {', '.join(known)}"
