"""This module knows the words with which somebody stops who is speaking, in ten languages. It is pure.

A sound of half a second has one or two words, and recognisers make a word out of any hum. So what is short stops an
answer only if it says so, or asks.
"""

import re

STOP_WORDS = {
    "en": "stop wait no hold hang hey what who why where when how sorry pause enough quiet shut listen excuse halt "
    "again repeat cancel louder slower help next skip",
    "de": "stopp stop halt warte warten moment nein falsch ruhe still genug reicht was wer wie wo wann warum "
    "entschuldigung",
    "fr": "arrête arrêtez stop attends attendez non assez silence quoi qui où quand comment pourquoi pardon excusez",
    "es": "para pare alto espera espere no basta silencio qué quién dónde cuándo cómo perdón disculpa momento",
    "it": "ferma fermati fermo stop aspetta basta no silenzio cosa chi dove quando come perché scusa scusi momento",
    "pt": "pare para espera espere não chega basta silêncio quê quem onde quando como desculpa momento",
    "nl": "stop wacht nee genoeg stil wat wie waar wanneer hoe waarom sorry moment",
    "pl": "stop czekaj poczekaj nie dość cisza co kto gdzie kiedy jak dlaczego przepraszam moment",
    "sv": "stopp stanna vänta nej nog tyst vad vem var när hur varför ursäkta",
    "ja": "ストップ 待って まって ちょっと待って 止めて やめて いや 違う 何 なに 誰 どこ いつ なぜ すみません",
}
_WORDS = {language: frozenset(words.split()) for language, words in STOP_WORDS.items()}
_ANY = frozenset.union(*_WORDS.values())


def stops(text: str, language: str = "") -> bool:
    """Whether somebody who says no more than this wants the floor: it has such a word, or is a question.

    Args:
        language: ISO 639-1 code; of one without words here, or none, the words of all languages count.
    """
    asks = text.rstrip().endswith(("?", "？"))
    return asks or not _WORDS.get(language, _ANY).isdisjoint(re.findall(r"\w+", text.casefold()))
