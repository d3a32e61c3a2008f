"""Words behind which more has to come, by language, whatever mark a recogniser writes there."""

import pytest

from pipeline.speech.sentences.dictated_numbers import is_dictated
from pipeline.speech.sentences.hold_phrases import BESIDE, HOLD_PHRASES
from pipeline.speech.sentences.introductions import INTRODUCTIONS
from pipeline.speech.sentences.last_words import ENDS_NO_STATEMENT, ENDS_NOTHING, FILLERS, OPENERS, UM
from pipeline.speech.sentences.sentence_words import ends_sentence, unfinished, words_over

LANGUAGES = {"en", "de", "fr", "es", "it", "pt"}

HOLDS = {
    "en": [
        "Wait.", "No, wait.", "Hold on.", "One moment, please.", "Let me think.", "Wait. Let me think.",
        "Let me just see.", "Give me a second.", "Well, let me think about it.", "It was in, hold on.", "Hang on",
        "Just a minute.", "Could you tell me, um?", "Um.", "I would like a, uh.",
    ],
    "de": [
        "Warte.", "Warte mal.", "Moment.", "Moment mal, bitte.", "Lass mich kurz überlegen.", "Mal sehen.",
        "Nein, warte", "Einen kleinen Moment, bitte.", "Ich muss mal nachdenken.", "Es war am, Augenblick.",
        "Ich hätte gern, ähm.",
    ],
    "fr": [
        "Attends.", "Attends. Attends.", "Un instant.", "Je réfléchis.", "Laisse-moi réfléchir.", "Non, attends.",
        "Une petite seconde, s'il te plaît.", "Attendez une minute.", "A temps, je réfléchis.", "Voyons voir.", "Euh.",
    ],
    "es": [
        "Espera.", "Un momento, por favor.", "Déjame pensar.", "A ver.", "No, espera.", "Espera, espera.",
        "Dame un segundo.",
    ],
    "it": [
        "Aspetta.", "Un attimo.", "Fammi pensare.", "Vediamo.", "No, aspetta un momento.", "Scusi, un momento.",
        "Ci penso.",
    ],
    "pt": [
        "Espera.", "Espera aí.", "Deixa-me pensar.", "Deixa eu ver.", "Só um momento.", "Não, espere.", "Peraí.",
        "Vamos ver.",
    ],
    "": ["Attends.", "Moment mal.", "Un attimo.", "Let me think."],
    "nl": ["Moment."],
}  # fmt: skip
WORDS = {
    "en": [
        "Could you tell me I'm?", "I would like the.", "We need milk and.", "I would go, but it's because.",
        "Do you know how long it?", "Will you be there if I?", "I need my.", "It is more than.",
        "And.", "Could you tell me?", "I was wondering.", "Could you tell me the",
    ],
    "de": [
        "Ich möchte einen Tisch und.", "Ich glaube, dass.", "Weißt du, ob er?", "Das ist im.", "Ich brauche das für.",
        "Wir fahren zum.", "Kannst du mir sagen?",
    ],
    "fr": [
        "Je voudrais le.", "Je pense que.", "Je pense qu'.", "Il faut que je.", "On va à.", "C'est chez.",
        "Je sais mais.", "Est-ce que tu peux me dire ?", "Peux-tu me dire ?",
    ],
    "es": [
        "Quiero ir a casa de la.", "Quiero el.", "Creo que.", "Vamos con.", "Leche y.", "¿Me puedes decir?", "Es muy.",
    ],
    "it": [
        "Vorrei il.", "Penso che.", "Un tavolo per.", "Andiamo al.", "Il libro dell'.", "Latte e.", "Mi puoi dire.",
        "Vado con.",
    ],
    "pt": [
        "Quero ir de.", "Penso que.", "É uma mesa com.", "Leite e.", "Vou ao.", "Podes dizer-me?", "Quero o.",
    ],
    "": ["I would like the.", "Ich glaube, dass.", "Je pense qu'.", "Creo que."],
}  # fmt: skip
NUMBERS = {
    "en": [
        "My number is 471.", "My number is 471. 82.", "The code is four seven one.", "My IBAN is DE89 3704.",
        "My phone number is 555 0199.", "0170.", "555 0199.", "Four seven one.", "4 7 1.",
    ],
    "de": [
        "Meine Nummer ist 471.", "Meine Telefonnummer lautet 0170 33.", "Die PIN ist vier sieben eins.",
        "Vier sieben eins.",
    ],
    "fr": ["Mon numéro est le 06 12.", "Mon numéro c'est le 06.", "Le code est 47."],
    "es": ["Mi número es 471.", "El código es cuatro siete uno."],
    "it": ["Il mio numero è 471.", "Il codice è quattro sette uno."],
    "pt": ["O meu número é 471.", "O código é quatro sete um."],
}  # fmt: skip
CASES = [
    (language, text, more)
    for table, more in ((HOLDS, "hold"), (WORDS, "words"), (NUMBERS, "number"))
    for language, texts in table.items()
    for text in texts
]


@pytest.mark.parametrize(("language", "text", "more"), CASES)
def test_more_has_to_come(language: str, text: str, more: str) -> None:
    assert unfinished(text, language) == more
    assert words_over(text, language) is False


@pytest.mark.parametrize("text", ["My number is 471?", "What is my number 471?"])
def test_a_number_that_is_asked_about_is_not_dictated(text: str) -> None:
    assert unfinished(text, "en") is None


@pytest.mark.parametrize(
    "text", ["7", "42", "1998", "12,500", "0.5", "8:30", "0", "It is 471", "number 471", "one of two"]
)
def test_a_number_that_is_told_is_not_dictated(text: str) -> None:
    assert not is_dictated(text.split())


def test_who_asks_to_wait_or_dictates_has_ended_a_sentence_though() -> None:
    """So where noise goes on behind it, they are answered as others are."""
    assert ends_sentence("Wait.", "en") and ends_sentence("My number is 471.", "en")
    assert not ends_sentence("I would like the.", "en")


@pytest.mark.parametrize(
    ("text", "language"), [("mach das Licht an.", "de"), ("mach das Licht an.", ""), ("press A.", "en")]
)
def test_a_word_of_another_language_or_a_letter_ends_it(text: str, language: str) -> None:
    assert unfinished(text, language) is None
    assert unfinished("this is an.", "en") == "words"


def test_no_word_stands_in_two_of_the_tables() -> None:
    for language in LANGUAGES:
        tables = [each.get(language, frozenset()) for each in (ENDS_NOTHING, ENDS_NO_STATEMENT, OPENERS)]
        tables.append(FILLERS | {UM})
        assert sum(map(len, tables)) == len(frozenset[str]().union(*tables)), language


def test_all_tables_are_of_the_same_languages() -> None:
    assert set(ENDS_NOTHING) == LANGUAGES | {""}
    assert set(OPENERS) == set(HOLD_PHRASES) == set(BESIDE) == set(INTRODUCTIONS) == LANGUAGES
