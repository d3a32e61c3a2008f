"""Tells a number that is being dictated, in groups, from one that is told: "My number is 471." from "It is 7." Pure."""

import re
from collections.abc import Sequence


def _split(words: str) -> frozenset[str]:
    return frozenset(words.split())


# What people dictate, in any of the languages; German writes what it is of before it ("Telefonnummer").
NAMES = _split(
    "number code pin phone iban postcode zip nummer telefon handy postleitzahl plz kennzahl numéro téléphone portable "
    "número código teléfono móvil celular numero codice telefono cellulare cap telefone telemóvel cep nif"
)
COMPOUND = "nummer"
IS = _split("is are ist lautet est c'est es è é")
BETWEEN = 4  # words at most from the name to the number, of which one says that it is it
OF = _split("of von der de di")  # "the number of guests is 14"
DIGITS = _split(
    "zero one two three four five six seven eight nine null eins zwei zwo drei vier fünf sechs sieben acht neun "
    "zéro un deux trois quatre cinq sept huit neuf cero uno dos tres cuatro cinco seis siete ocho nueve "
    "due tre quattro cinque sei sette otto nove um dois três quatro sete oito"
)
GROUP = re.compile(r"\+?[a-z]{0,2}\d+(?:[-/]\d+)*")  # neither "12,500" nor "0.5" nor "8:30"
LEAST_NAMED = 2  # digits of a number that is named: "my lucky number is 7" is over
LEAST_ALONE = 6  # of one of which nothing is said: "1998." is over
LEAST_SINGLE = 3  # digits, each a word of its own


def is_dictated(words: Sequence[str]) -> bool:
    """Whether a statement of these words ends in a number of which more groups may come.

    Either it says what number it is, or it is all digits, and more than people count with.
    """
    folded = [word.casefold().replace("’", "'") for word in words]
    tail = len(folded)
    while tail and is_group(folded[tail - 1]):
        tail -= 1
    groups = folded[tail:]
    digits = sum(1 if group in DIGITS else sum(map(str.isdecimal, group)) for group in groups)
    if not tail:
        begins = groups[0].startswith(("0", "+")) and digits > 1 if groups else False
        return begins or digits >= LEAST_ALONE or (len(groups) == digits >= LEAST_SINGLE)
    return digits >= LEAST_NAMED and _names(folded[max(0, tail - BETWEEN - 1) : tail])


def is_group(word: str) -> bool:
    """Whether it is all digits: "82", "DE89", "four"."""
    folded = word.casefold()
    return folded in DIGITS or GROUP.fullmatch(folded) is not None


def _names(before: Sequence[str]) -> bool:
    """Whether what stands before a number says that this is a number which people dictate."""
    at = next((at for at in reversed(range(len(before))) if _is_name(before[at])), None)
    if at is None:
        return False
    between = before[at + 1 :]
    return not IS.isdisjoint(between) and between[0] not in OF


def _is_name(word: str) -> bool:
    return word in NAMES or word.endswith(COMPOUND)
