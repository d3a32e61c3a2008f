"""Tells who only asks the other to wait, or to let them think, whatever mark stands there. Pure."""

import re
from collections.abc import Mapping
from typing import Literal

from pipeline.speech.sentences import tables

MARKS = re.compile(r"[.?!…,;:—–。？！、，¿¡\"“”«»()]+")  # between clauses
WORDS = re.compile(r"\w+(?:'\w+)*'?")


# All that a clause may say, by language, without hyphens. What may answer "how long?" is not here ("one minute", "un
# minuto"), nor what stops somebody for good ("stop", "halt", "para"), nor what may be all ("je regarde").
HOLD_PHRASES: Mapping[str, frozenset[str]] = {
    "en": tables.phrases(
        "wait, wait up, wait a bit, wait a minute, wait a moment, wait a sec, wait a second, wait one moment, wait "
        "one second, hold on, hold on a minute, hold on a moment, hold on a sec, hold on a second, hang on, hang on a "
        "minute, hang on a moment, hang on a sec, hang on a second, a moment, one moment, a sec, one sec, just a "
        "minute, bear with me, give me a minute, give me a moment, give me a sec, give me a second, let me think, let "
        "me check, let me look it up, let's see, i'm thinking, i need to think, i have to think, i need a moment"
    ),
    "de": tables.phrases(
        "warte, warten sie, wart, warte eine minute, warte einen moment, warte einen augenblick, warte eine sekunde, "
        "moment, ein moment, einen moment, momentchen, augenblick, ein augenblick, einen augenblick, sekunde, "
        "sekündchen, gib mir einen moment, gib mir eine sekunde, gib mir eine minute, lass mich denken, lass mich "
        "nachdenken, lass mich überlegen, lass mich nachsehen, lass mich nachschauen, lassen sie mich nachdenken, "
        "lassen sie mich überlegen, lassen sie mich nachsehen, ich überlege, ich denke nach, ich muss überlegen, ich "
        "muss nachdenken, ich muss nachsehen, mal überlegen"
    ),
    "fr": tables.phrases(
        "attends, attendez, attend, attends une minute, attends une seconde, attends un instant, attends un moment, "
        "attendez une minute, attendez une seconde, attendez un instant, attendez un moment, attends voir, un "
        "instant, un moment, patiente, patientez, donne moi une minute, donne moi une seconde, donnez moi une minute, "
        "donnez moi une seconde, laisse moi réfléchir, laissez moi réfléchir, laisse moi regarder, laissez moi "
        "regarder, je réfléchis, je vérifie, que je réfléchisse, il faut que je réfléchisse, je dois réfléchir"
    ),
    "es": tables.phrases(
        "espera, espere, espérate, espérese, espera un minuto, espera un momento, espera un segundo, espere un "
        "minuto, espere un momento, espere un segundo, aguarda, aguarde, momento, un momento, un momentito, "
        "momentito, un segundito, un instante, dame un minuto, dame un momento, dame un segundo, deme un minuto, deme "
        "un momento, deme un segundo, déjame pensar, dejame pensar, déjame pensarlo, déjeme pensar, deja que piense, "
        "estoy pensando, tengo que pensar, a ver, veamos"
    ),
    "it": tables.phrases(
        "aspetta, aspetti, aspettate, aspetta un minuto, aspetta un momento, aspetta un attimo, aspetta un secondo, "
        "aspetti un momento, aspetti un attimo, aspetti un secondo, momento, un momento, un momentino, attimo, un "
        "attimo, un attimino, dammi un minuto, dammi un momento, dammi un attimo, dammi un secondo, mi dia un "
        "momento, mi dia un attimo, mi dia un secondo, fammi pensare, mi faccia pensare, fammi controllare, lasciami "
        "pensare, mi lasci pensare, sto pensando, devo pensare"
    ),
    "pt": tables.phrases(
        "espera, espere, espera um minuto, espera um momento, espera um segundo, espere um minuto, espere um momento, "
        "espere um segundo, peraí, pera aí, aguarda, aguarde, momento, um momento, um momentinho, um minutinho, um "
        "segundinho, um instante, dá me um minuto, dá me um momento, dá me um segundo, me dá um minuto, me dá um "
        "momento, me dá um segundo, dê me um momento, deixa me pensar, deixe me pensar, deixa eu pensar, deixe eu "
        "pensar, estou a pensar, estou pensando, tô pensando, preciso pensar, preciso de pensar, tenho de pensar, "
        "tenho que pensar, vejamos"
    ),
}
# The same, if it is asked nicely or said with "just": by itself it answers "how long?".
SPANS: Mapping[str, frozenset[str]] = {
    "en": tables.phrases("a second, one second"),
    "de": tables.phrases("eine sekunde"),
    "fr": tables.phrases("une seconde"),
    "es": tables.phrases("un segundo"),
    "it": tables.phrases("un secondo"),
    "pt": tables.phrases("um segundo"),
}
# What may be all that somebody wants ("show me", "we'll see"), or an answer ("I have to think about it").
COMPLETE_PHRASES: Mapping[str, frozenset[str]] = {
    "en": tables.phrases("let me see, let me look, let me have a look, let me think about it, let me think about that"),
    "de": tables.phrases(
        "mal sehen, mal schauen, lass mich sehen, lass mich schauen, lass mich gucken, lassen sie mich sehen, ich "
        "überlege noch"
    ),
    "fr": tables.phrases("voyons, voyons voir, laisse moi voir, laissez moi voir"),
    "es": tables.phrases(
        "vamos a ver, déjame ver, dejame ver, déjeme ver, déjame mirar, tengo que pensarlo, lo estoy pensando"
    ),
    "it": tables.phrases(
        "vediamo, vediamo un po', fammi vedere, mi faccia vedere, devo pensarci, ci penso, ci sto pensando"
    ),
    "pt": tables.phrases("vamos ver, deixa me ver, deixe me ver, deixa eu ver, deixe eu ver"),
}
# What is said around them, and says nothing of its own there.
BESIDE: Mapping[str, frozenset[str]] = {
    "en": tables.phrases("ah, er, hm, hmm, just, now, oh, please, so, sorry, uh, um, well"),
    "de": tables.phrases(
        "ach, äh, ähm, also, bitte, eben, entschuldigung, gerade, halt, hm, kleinen, kurz, mal, na, noch, nun, nur, "
        "sorry"
    ),
    "fr": tables.phrases(
        "ah, alors, ben, bon, donc, encore, euh, hm, juste, pardon, petit, petite, plaît, s'il, te, vous"
    ),
    "es": tables.phrases("ah, bueno, eh, favor, perdón, perdona, perdone, por, pues, solo, sólo"),
    "it": tables.phrases("ah, allora, beh, eh, ehm, favore, per, scusa, scusi, solo"),
    "pt": tables.phrases("ah, aí, apenas, bem, bom, desculpa, desculpe, então, favor, já, por, só"),
}
# The same before them ("No, wait."); behind them they are what was waited for ("Let me see. Yes.").
ANSWERS: Mapping[str, frozenset[str]] = {
    "en": tables.phrases("no, ok, okay, right, yeah, yes"),
    "de": tables.phrases("ja, nein, ok, okay, stopp"),
    "fr": tables.phrases("non, ok, oui"),
    "es": tables.phrases("no, ok, sí, vale"),
    "it": tables.phrases("no, ok, sì"),
    "pt": tables.phrases("não, ok, sim, tá"),
}


def asks_to_wait(text: str, language: str = "") -> Literal["words", "hold"] | None:
    """Whether the last clause is such a request, or several of them, and no more, as in "The other one. No, wait".

    Args:
        language: ISO 639-1 code; of one without phrases here, or none, the phrases of all languages count.

    Returns:
        "hold": they will go on; "words": they may, or that is all they want.
    """
    languages = [language] if language in HOLD_PHRASES else HOLD_PHRASES
    clauses = MARKS.split(text.casefold().replace("’", "'").replace("-", " "))
    words = [WORDS.findall(clause) for clause in clauses]
    asked = {_last_asks(words, each) for each in languages}
    return "hold" if "hold" in asked else "words" if "words" in asked else None


def _last_asks(clauses: list[list[str]], language: str) -> Literal["words", "hold"] | None:
    beside, phrases = BESIDE[language], HOLD_PHRASES[language]
    nicely = False
    for at, clause in reversed(list(enumerate(clauses))):
        words = _without_answer(clause, language)
        if said := _without_answer([word for word in clause if word not in beside], language):
            if {" ".join(words), " ".join(said)} & COMPLETE_PHRASES[language]:
                return _last_asks(clauses[:at], language) or "words"
            known = phrases | SPANS[language] if nicely or said != words else phrases
            return "hold" if _are_phrases(words, known) or _are_phrases(said, known) else None
        if not beside.issuperset(clause):
            return None
        nicely = nicely or bool(clause)
    return None


def _without_answer(words: list[str], language: str) -> list[str]:
    """What stands behind the "yes" or "no" that they begin with."""
    at = next((at for at, word in enumerate(words) if word not in ANSWERS[language]), len(words))
    return words[at:]


def _are_phrases(words: list[str], phrases: frozenset[str]) -> bool:
    """Whether they are phrases, one after the other."""
    return not words or any(
        " ".join(words[:size]) in phrases and _are_phrases(words[size:], phrases) for size in range(1, len(words) + 1)
    )
