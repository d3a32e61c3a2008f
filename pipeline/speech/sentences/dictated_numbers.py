"""Tells a number that is being dictated, in groups, from one that is told: "My number is 471." from "It is 7." Pure."""

import re
from collections.abc import Sequence
from itertools import pairwise

from pipeline.speech.sentences import tables

# What people dictate, in any of the languages; German writes what it is of before it ("Telefonnummer").
NAMES = tables.words(
    "number code pin iban postcode zip nummer postleitzahl plz kennzahl numéro número código numero codice cap cep nif "
    "postal postale fiscal fiscale"
)
COMPOUND = "nummer"
# What is not its number only: "the phone is 300".
PHONES = tables.words(
    "phone telephone telefon handy téléphone portable teléfono móvil celular telefono cellulare telefone telemóvel"
)
NUMBER_OF = re.compile(r"(?:numéro|número|numero|nummer) (?:de|di|do|del|von)(?: \w+)?$")
# Numbers of a few digits, which people say at once: "room number".
OTHERS = re.compile(
    r"(?:room|house|table|flight|bus|train|gate|page|jersey|lucky|favou?rite|emergency|atomic) number$|"
    r"(?:zimmer|haus|tisch|flug|bus|zug|seiten|glücks|lieblings|trikot|notruf)nummer$"
)
IS = tables.words("is are ist lautet est c'est es è é")
ARTICLES = tables.words("the die der das le la les el il o")
# Digits from which it is complete, by how its name begins; of others, as many as most telephones have.
COMPLETE = {"pin": 4, "zip": 5, "post": 5, "plz": 5, "cap": 5, "cep": 8, "nif": 9, "iban": 15}
COMPLETE |= dict.fromkeys(("code", "código", "codice"), 6)
COMPLETE_OTHER = 10
LEAST_NAMED = 3  # digits of a number that is named; 2 of one in pieces: "my lucky number is 7" is over
LEAST_PHONE = 6  # of one that is a telephone's, or something else of it
LEAST_ALONE = 6  # of one of which nothing is said: "1998." is over
LEAST_PIECES = 3  # the same of one in pieces: it begins with 0 or +, or each digit is a word of its own
BEGINNING = ("0", "+")

DIGITS = {
    word: digit
    for digit, words in enumerate((
        "zero null zéro cero",
        "one eins un uno um",
        "two zwei zwo deux dos due dois",
        "three drei trois tres tre três",
        "four vier quatre cuatro quattro quatro",
        "five fünf cinq cinco cinque",
        "six sechs seis sei",
        "seven sieben sept siete sette sete",
        "eight acht huit ocho otto oito",
        "nine neun neuf nueve nove",
    ))
    for word in words.split()
}  # fmt: skip
GROUP = re.compile(r"\+?[a-z]{0,2}\d+(?:-\d{2,})*")  # neither "12,500" nor "0.5" nor "8:30" nor "0-2"
DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d-\d\d-\d{4}")
ROUND = "000"  # "250 000"


def is_dictated(words: Sequence[str]) -> bool:
    """Whether a statement of these words ends in a number of which more groups may come.

    Either it says what number it is, or it is all digits, and more than people count with.

    Args:
        words: With straight apostrophes.
    """
    folded = [word.casefold() for word in words]
    tail = len(folded)
    while tail and is_group(folded[tail - 1]):
        tail -= 1
    groups = folded[tail:]
    if not groups:
        return False
    digits = "".join(str(DIGITS[group]) if group in DIGITS else re.sub(r"\D", "", group) for group in groups)
    single = len(groups) == len(digits) > 1
    pieces = single or (groups[0].startswith(BEGINNING) and len(digits) > 1)
    if tail:
        return _are_named(" ".join(_name(folded[:tail])), digits, pieces)
    if len(digits) >= (COMPLETE["iban"] if groups[0][0].isalpha() else COMPLETE_OTHER):
        return False
    if digits.endswith(ROUND) or (single and _count(digits)):
        return False
    return len(digits) >= (LEAST_PIECES if pieces else LEAST_ALONE)


def is_group(word: str) -> bool:
    """Whether it is all digits: "82", "DE89", "four"."""
    folded = word.casefold()
    return folded in DIGITS or (GROUP.fullmatch(folded) is not None and not DATE.fullmatch(folded))


def _are_named(name: str, digits: str, pieces: bool) -> bool:
    """Whether more digits may come of a number that is called so."""
    *before, last = name.split() or [""]
    phone = last in PHONES
    if not (phone or last in NAMES or last.endswith(COMPOUND)) or OTHERS.search(name):
        return False
    alone = phone and not NUMBER_OF.search(" ".join(before))
    called = () if phone else (*before[-1:], last)
    kinds = (least for kind, least in COMPLETE.items() if any(word.startswith(kind) for word in called))
    complete = next(kinds, COMPLETE_OTHER)
    return (pieces or len(digits) >= (LEAST_PHONE if alone else LEAST_NAMED)) and len(digits) < complete


def _name(before: list[str]) -> list[str]:
    """What the number is said to be the number of, "is" and an article left out; nothing: it is not said."""
    at = len(before)
    while at and before[at - 1] in ARTICLES:
        at -= 1
    return before[: at - 1] if at and before[at - 1] in IS else []


def _count(digits: str) -> bool:
    """Whether somebody counts: "one, two, three"."""
    return {int(later) - int(digit) for digit, later in pairwise(digits)} in ({1}, {-1})
