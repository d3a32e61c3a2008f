"""The languages that people speak and the agent answers in, as ISO 639-1 codes. Pure."""

import re
from collections.abc import Collection, Sequence

AUTO = "auto"  # what is heard decides it
ENGLISH = "en"
MOST_LANGUAGES = 16  # of a person; a browser names some three
_CODE = re.compile(r"[a-z]{2,3}([-_][a-z0-9]{1,8}){0,4}", re.IGNORECASE)
NAMES = {
    "ar": "Arabic", "de": "German", "en": "English", "es": "Spanish", "fr": "French", "hi": "Hindi", "it": "Italian",
    "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ru": "Russian",
    "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian", "zh": "Chinese",
}  # fmt: skip


def is_code(text: str) -> bool:
    """Whether it may be the code of a language, such as `en` or `en-US`."""
    return bool(_CODE.fullmatch(text))


def primary(code: str) -> str:
    """The code without its region: `en` of `en-US`."""
    return code.lower().replace("_", "-").split("-")[0]


def preferred(languages: str, spoken: Collection[str]) -> tuple[str, ...]:
    """Those of a person's languages that the voice speaks, in their order.

    Args:
        languages: Codes with commas between them, as a browser tells them; what is none is left out.
        spoken: What the voice speaks; empty: it does not say, and any may be tried.
    """
    codes = [primary(code.strip()) for code in languages[:512].split(",")[:MOST_LANGUAGES] if is_code(code.strip())]
    return tuple(dict.fromkeys(code for code in codes if not spoken or code in spoken))


def told(instructions: str, spoken: Sequence[str]) -> str:
    """What the model is told: the instructions, and which languages its voice speaks.

    Args:
        spoken: What the voice speaks; empty: it does not say, and nothing is added.
    """
    if not spoken or not instructions:
        return instructions
    names = [NAMES.get(code, code) for code in spoken]
    if len(names) == 1:
        return f"{instructions} You speak only {names[0]}; to whoever wants another language, say so in {names[0]}."
    return (
        f"{instructions} Answer in the language in which you are spoken to, if it is one of {', '.join(names)}; "
        f"to whoever wants another, say so in {NAMES[ENGLISH] if ENGLISH in spoken else names[0]}."
    )
