"""Tells who only asks the other to wait, or to let them think: whatever mark stands there, they go on. Pure."""

import re
from collections.abc import Mapping

MARKS = re.compile(r"[.?!…,;:—–。？！、，¿¡\"“”«»()]+")  # between clauses
WORDS = re.compile(r"\w+(?:'\w+)*'?")


def _split(phrases: str) -> frozenset[str]:
    return frozenset(phrases.split(", "))


# All that a clause may say, by language, without hyphens. What may answer "how long?" is not here ("one minute", "un
# minuto"), nor what stops somebody for good ("stop", "halt", "para").
HOLD_PHRASES: Mapping[str, frozenset[str]] = {
    "en": _split(
        "wait, wait up, wait for it, wait a bit, wait a minute, wait a moment, wait a sec, wait a second, wait one "
        "moment, wait one second, hold on, hold on a minute, hold on a moment, hold on a sec, hold on a second, hang "
        "on, hang on a minute, hang on a moment, hang on a sec, hang on a second, a moment, one moment, a sec, one "
        "sec, a second, one second, just a minute, bear with me, give me a minute, give me a moment, give me a sec, "
        "give me a second, let me think, let me think about it, let me think about that, let me see, let me check, "
        "let me look, let me have a look, let me look it up, let's see, i'm thinking, i need to think, i have to "
        "think, i need a moment"
    ),
    "de": _split(
        "warte, warten sie, wart, warte eine minute, warte einen moment, warte einen augenblick, warte eine sekunde, "
        "moment, ein moment, einen moment, momentchen, augenblick, ein augenblick, einen augenblick, sekunde, eine "
        "sekunde, sekündchen, gib mir einen moment, gib mir eine sekunde, gib mir eine minute, lass mich denken, lass "
        "mich nachdenken, lass mich überlegen, lass mich sehen, lass mich schauen, lass mich gucken, lass mich "
        "nachsehen, lass mich nachschauen, lassen sie mich nachdenken, lassen sie mich überlegen, lassen sie mich "
        "sehen, lassen sie mich nachsehen, ich überlege, ich denke nach, ich muss überlegen, ich muss nachdenken, ich "
        "muss nachsehen, mal sehen, mal schauen, mal überlegen"
    ),
    "fr": _split(
        "attends, attendez, attend, attends une minute, attends une seconde, attends un instant, attends un moment, "
        "attendez une minute, attendez une seconde, attendez un instant, attendez un moment, attends voir, une "
        "seconde, un instant, un moment, patiente, patientez, donne moi une minute, donne moi une seconde, donnez moi "
        "une minute, donnez moi une seconde, laisse moi réfléchir, laissez moi réfléchir, laisse moi voir, laissez "
        "moi voir, laisse moi regarder, laissez moi regarder, je réfléchis, je cherche, je regarde, je vérifie, que "
        "je réfléchisse, il faut que je réfléchisse, je dois réfléchir, voyons, voyons voir"
    ),
    "es": _split(
        "espera, espere, espérate, espérese, espera un minuto, espera un momento, espera un segundo, espere un "
        "minuto, espere un momento, espere un segundo, aguarda, aguarde, momento, un momento, un momentito, "
        "momentito, un segundo, un segundito, un instante, dame un minuto, dame un momento, dame un segundo, deme un "
        "minuto, deme un momento, deme un segundo, déjame pensar, dejame pensar, déjame pensarlo, déjeme pensar, "
        "déjame ver, dejame ver, déjeme ver, déjame mirar, deja que piense, estoy pensando, lo estoy pensando, tengo "
        "que pensar, tengo que pensarlo, a ver, vamos a ver, veamos"
    ),
    "it": _split(
        "aspetta, aspetti, aspettate, aspetta un minuto, aspetta un momento, aspetta un attimo, aspetta un secondo, "
        "aspetti un momento, aspetti un attimo, aspetti un secondo, momento, un momento, un momentino, attimo, un "
        "attimo, un attimino, un secondo, dammi un minuto, dammi un momento, dammi un attimo, dammi un secondo, mi "
        "dia un momento, mi dia un attimo, mi dia un secondo, fammi pensare, mi faccia pensare, fammi vedere, mi "
        "faccia vedere, fammi controllare, lasciami pensare, mi lasci pensare, ci penso, ci sto pensando, sto "
        "pensando, devo pensare, devo pensarci, vediamo, vediamo un po'"
    ),
    "pt": _split(
        "espera, espere, espera um minuto, espera um momento, espera um segundo, espere um minuto, espere um momento, "
        "espere um segundo, peraí, pera aí, aguarda, aguarde, momento, um momento, um momentinho, um minutinho, um "
        "segundo, um segundinho, um instante, dá me um minuto, dá me um momento, dá me um segundo, me dá um minuto, "
        "me dá um momento, me dá um segundo, dê me um momento, deixa me pensar, deixe me pensar, deixa me ver, deixe "
        "me ver, deixa eu pensar, deixa eu ver, deixe eu pensar, deixe eu ver, estou a pensar, estou pensando, tô "
        "pensando, preciso pensar, preciso de pensar, tenho de pensar, tenho que pensar, vamos ver, vejamos"
    ),
}
# What is said around them, and says nothing of its own there.
BESIDE: Mapping[str, frozenset[str]] = {
    "en": _split("ah, er, hm, hmm, just, no, now, oh, ok, okay, please, right, so, sorry, uh, um, well, yeah, yes"),
    "de": _split(
        "ach, äh, ähm, also, bitte, eben, entschuldigung, gerade, halt, hm, ja, kleinen, kurz, mal, na, nein, noch, "
        "nun, nur, ok, okay, sorry, stopp"
    ),
    "fr": _split(
        "ah, alors, ben, bon, donc, encore, euh, hm, juste, non, ok, oui, pardon, petit, petite, plaît, s'il, te, vous"
    ),
    "es": _split("ah, bueno, eh, favor, no, ok, perdón, perdona, perdone, por, pues, sí, solo, sólo, vale"),
    "it": _split("ah, allora, beh, eh, ehm, favore, no, ok, per, scusa, scusi, solo, sì"),
    "pt": _split("ah, aí, apenas, bem, bom, desculpa, desculpe, então, favor, já, não, ok, por, sim, só, tá"),
}


def asks_to_wait(text: str, language: str = "") -> bool:
    """Whether the last clause is such a request, or several of them, and no more, as in "The other one. No, wait".

    Args:
        language: ISO 639-1 code; of one without phrases here, or none, the phrases of all languages count.
    """
    languages = [language] if language in HOLD_PHRASES else HOLD_PHRASES
    clauses = MARKS.split(text.casefold().replace("’", "'").replace("-", " "))
    words = [WORDS.findall(clause) for clause in clauses]
    return any(_last_asks(words, each) for each in languages)


def _last_asks(clauses: list[list[str]], language: str) -> bool:
    beside, phrases = BESIDE[language], HOLD_PHRASES[language]
    for words in reversed(clauses):
        if said := [word for word in words if word not in beside]:
            return _are_phrases(words, phrases) or _are_phrases(said, phrases)
    return False


def _are_phrases(words: list[str], phrases: frozenset[str]) -> bool:
    """Whether they are phrases, one after the other."""
    return not words or any(
        " ".join(words[:size]) in phrases and _are_phrases(words[size:], phrases) for size in range(1, len(words) + 1)
    )
