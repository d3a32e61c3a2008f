"""This module knows the few phrases by which people call off what is being done for them.

It is no understanding of language: what somebody says or writes is one of these phrases as a whole, or it is none.
"""

from agent.floor.floor import normalised

PHRASES = (
    *("never mind", "nevermind", "forget it", "cancel that", "cancel it", "cancel", "stop it", "stop that", "leave it"),
    *("vergiss es", "vergessen Sie es", "schon gut", "lass es", "lassen Sie es", "abbrechen", "brich ab", "egal"),
    *("olvídalo", "olvídelo", "no importa", "déjalo", "déjelo", "cancela", "cancélalo"),
    *("laisse tomber", "laissez tomber", "oublie", "oubliez", "tant pis", "annule", "annulez"),
    *("lascia stare", "lasci stare", "lascia perdere", "non importa", "annulla"),
    *("もういい", "もういいです", "やめて", "やめてください", "キャンセル", "気にしないで"),
    *("됐어", "됐어요", "괜찮아", "괜찮아요", "취소", "취소해", "취소해 줘", "그만해"),
    *("deixa pra lá", "deixe pra lá", "deixa estar", "esquece", "esqueça", "cancela isso"),
    *("не надо", "неважно", "забудь", "забудьте", "отмена", "отмени", "отмените"),
    *("算了", "不用了", "取消", "别管了", "没关系"),
)
COURTESIES = (
    *("oh", "ok", "okay", "ach", "please", "thanks", "thank you", "bitte", "danke"),
    *("por favor", "gracias", "merci", "grazie", "obrigado", "no", "nein", "non", "não"),
)


def calls_off(text: str) -> bool:
    """Return whether these words call off what is being done."""
    words = normalised(text)
    while words not in _PHRASES:
        shorter = next((rest for each in COURTESIES if (rest := _without(words, each)) != words), words)
        if shorter == words:
            return False
        words = shorter
    return True


def _without(words: str, courtesy: str) -> str:
    return words.removeprefix(f"{courtesy} ").removesuffix(f" {courtesy}")


_PHRASES = frozenset(map(normalised, PHRASES))
