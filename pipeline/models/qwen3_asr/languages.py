"""The languages of Qwen3-ASR: callers name them by code, the model by their English names."""

from collections.abc import Mapping, Sequence

CODES: Mapping[str, str] = {  # ISO 639-1; for two of them there are only codes of ISO 639-3
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fa": "Persian", "fi": "Finnish", "fil": "Filipino", "fr": "French", "hi": "Hindi", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "mk": "Macedonian", "ms": "Malay",
    "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish",
    "th": "Thai", "tr": "Turkish", "vi": "Vietnamese", "yue": "Cantonese", "zh": "Chinese",
}  # fmt: skip

AUTO = "auto"  # it is detected
_BY_NAME = {name.lower(): code for code, name in CODES.items()}


def codes_of(known: Sequence[str]) -> frozenset[str]:
    """The codes of languages by their English names; one that has none is left out."""
    return frozenset(code for code, name in CODES.items() if name in known)


def language_code(heard: str) -> str:
    """The code of what a recogniser says that it hears: an English name or a code, of several the first; empty if it
    is none that is known."""
    first = heard.split(",")[0].strip().lower()
    return first if first in CODES else _BY_NAME.get(first, first if len(first) in (2, 3) else "")


def language_name(request: str, known: Sequence[str]) -> str | None:
    """The name of a code such as `en` or `en-US`, or of a name in any case; None if it is not one of `known`."""
    code = request.strip().lower().replace("_", "-").split("-")[0]
    name = CODES.get(code, request.strip().capitalize())
    return name if name in known else None
