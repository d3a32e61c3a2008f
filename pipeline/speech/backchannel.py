"""Tells what a person wants to say from what only shows that they listen, and from noise. Pure."""

import re

from pipeline.types.events.input_events import Kind

MOST_PHRASES = 3  # "okay, yeah, right" listens; who goes on says something


def _split(phrases: str) -> frozenset[str]:
    return frozenset(phrases.split(", "))


# What listeners say without wanting the floor, by language (Yngve 1970 named them). Spelt as recognisers do,
# without punctuation. Not here, because they change what is said: "no", "stop", "wait", "what", "thank you".
PHRASES = {
    "en": _split(
        "ah, aha, alright, all right, cool, exactly, go on, good, got it, great, hm, huh, i see, indeed, m, m hm, mhm, "
        "nice, oh, ok, okay, right, sure, true, uh, uh huh, uhhuh, um, wow, yeah, yep, yes, yup"
    ),
    "de": _split(
        "ach, ach so, aha, ah ja, doch, genau, gut, hm, ja, ja ja, klar, m, mhm, oh, ok, okay, richtig, stimmt, "
        "verstehe"
    ),
    "fr": _split("ah, ah bon, bien, d accord, exactement, hm, m, mhm, oh, ok, okay, ouais, oui, voilà, je vois"),
    "es": _split(
        "ah, ajá, bueno, claro, claro que sí, de acuerdo, exacto, hm, mhm, oh, ok, okay, sí, vale, ya, ya veo, entiendo"
    ),
    "it": _split(
        "ah, ah ecco, bene, capisco, certo, d accordo, ecco, esatto, giusto, già, hm, mhm, oh, ok, okay, ho capito, "
        "sì, va bene"
    ),
    "pt": _split(
        "ah, aham, certo, claro, com certeza, entendi, entendo, exato, hm, isso, mhm, oh, ok, okay, pois, pois é, sei, "
        "sim, tá, tá bom, tá certo"
    ),
    "nl": _split(
        "ah, aha, dat klopt, goed, hm, inderdaad, ja, ja hoor, juist, klopt, mhm, natuurlijk, oh, oké, ok, okay, "
        "precies, snap ik"
    ),
    "pl": _split("aha, dobra, dobrze, dokładnie, hm, jasne, mhm, no tak, ok, okay, oczywiście, rozumiem, tak, właśnie"),
    "sv": _split("aha, bra, exakt, hm, ja, ja just det, jaha, jo, just det, mhm, ok, okay, okej, precis, visst"),
    "ja": _split(
        "あー, うん, うんうん, ええ, おお, そう, そうか, そうそう, "
        "そうですか, そうですね, なるほど, はい, はいはい, へえ, ほう"
    ),
}
ANY = frozenset.union(*PHRASES.values())

_ASIDE = re.compile(r"\[[^\]]*\]|\([^)]*\)|\*[^*]*\*|♪[^♪]*♪?")  # "[music]", "(coughs)": no words of the person
_STRETCHED = re.compile(r"(\w)\1{2,}")  # "yeahhh"
_HUMMED = re.compile(r"[hm]+")  # "mm", "hmm", "mmhmm"


def label(text: str, language: str | None = None) -> Kind:
    """What a hypothesis is.

    Args:
        language: ISO 639-1 code; None, or one without a table: all tables are looked at.
    """
    words = _words(_ASIDE.sub(" ", text))
    if not words:
        return "noise"
    return "backchannel" if _listens(words, PHRASES.get(language or "", ANY), MOST_PHRASES) else "speech"


def _words(text: str) -> list[str]:
    words = re.findall(r"\w+", _STRETCHED.sub(r"\1", text.lower()))
    return [re.sub(r"(\w)\1+", r"\1", word) if _HUMMED.fullmatch(word) else word for word in words]


def _listens(words: list[str], phrases: frozenset[str], left: int) -> bool:
    """Whether the words are at most `left` of the phrases, one after the other."""
    if not words:
        return True
    return left > 0 and any(
        " ".join(words[:size]) in phrases and _listens(words[size:], phrases, left - 1)
        for size in range(1, min(len(words), 3) + 1)
    )
