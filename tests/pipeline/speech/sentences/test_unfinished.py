"""Words behind which more has to come, by language, whatever mark a recogniser writes there."""

import pytest

from pipeline.speech.sentences.dictated_numbers import is_dictated
from pipeline.speech.sentences.hold_phrases import ANSWERS, BESIDE, COMPLETE_PHRASES, HOLD_PHRASES, SPANS
from pipeline.speech.sentences.introductions import INTRODUCTIONS
from pipeline.speech.sentences.last_words import ENDS_NO_STATEMENT, ENDS_NOTHING, FILLERS, OPENERS, UM
from pipeline.speech.sentences.sentence_words import ends_sentence, unfinished, words_over

LANGUAGES = {"en", "de", "fr", "es", "it", "pt"}

HOLDS = {
    "en": [
        "Wait.", "No, wait.", "Hold on.", "One moment, please.", "Let me think.", "Wait. Let me think.",
        "Let me think, please.", "Give me a second.", "Just a second.", "One second, please.", "It was in, hold on.",
        "Hang on", "Just a minute.", "Yes. Wait.", "Okay wait.", "Wait, let me see.",
        "Could you tell me, um?", "Um.", "I would like a, uh.", "How do you say, um?",
        "Well", "Well.", "So.", "Well, so.",
    ],
    "de": [
        "Warte.", "Warte mal.", "Moment.", "Moment mal, bitte.", "Lass mich kurz überlegen.", "Ja, Moment.",
        "Nein, warte", "Einen kleinen Moment, bitte.", "Ich muss mal nachdenken.", "Es war am, Augenblick.",
        "Ich hätte gern, ähm.", "Stopp, warte.", "Eine Sekunde, bitte.", "Also.",
    ],
    "fr": [
        "Attends.", "Attends. Attends.", "Un instant.", "Je réfléchis.", "Laisse-moi réfléchir.", "Non, attends.",
        "Une petite seconde, s'il te plaît.", "Attendez une minute.", "A temps, je réfléchis.", "Euh.",
    ],
    "es": [
        "Espera.", "Un momento, por favor.", "Déjame pensar.", "A ver.", "No, espera.", "Espera, espera.",
        "Dame un segundo.",
    ],
    "it": [
        "Aspetta.", "Un attimo.", "Fammi pensare.", "No, aspetta un momento.", "Scusi, un momento.",
    ],
    "pt": [
        "Espera.", "Espera aí.", "Deixa-me pensar.", "Só um momento.", "Não, espere.", "Peraí.",
    ],
    "": ["Attends.", "Moment mal.", "Un attimo.", "Let me think."],
    "nl": ["Moment."],
}  # fmt: skip
WORDS = {
    "en": [
        "Could you tell me I'm?", "I would like the.", "We need milk and.", "I would go, but it's because.",
        "Do you know how long it?", "Will you be there if I?", "I need my.", "It is more than.",
        "And.", "Could you tell me?", "I was wondering.", "Could you tell me the", "Let me just see.",
        "Well, let me think about it.", "Yes, I mean the.",
    ],
    "de": [
        "Ich möchte einen Tisch und.", "Ich glaube, dass.", "Weißt du, ob er?", "Das ist im.", "Ich brauche das für.",
        "Wir fahren zum.", "Kannst du mir sagen?", "Mal sehen.", "Mal schauen.", "Ich überlege noch.",
        "Das heißt, dass.", "Was bedeutet das im.",
    ],
    "fr": [
        "Je voudrais le.", "Je pense que.", "Je pense qu'.", "Il faut que je.", "On va à.", "C'est chez.",
        "Je sais mais.", "Est-ce que tu peux me dire ?", "Peux-tu me dire ?",
        "Voyons voir.", "Laisse-moi voir.",
    ],
    "es": [
        "Quiero ir a casa de la.", "Quiero el.", "Creo que.", "Vamos con.", "Leche y.", "¿Me puedes decir?", "Es muy.",
        "Vamos a ver.", "Déjame ver.", "Tengo que pensarlo.",
    ],
    "it": [
        "Vorrei il.", "Penso che.", "Un tavolo per.", "Andiamo al.", "Il libro dell'.", "Latte e.", "Mi puoi dire.",
        "Vado con.", "Vediamo.", "Fammi vedere.", "Devo pensarci.", "Ci penso.",
    ],
    "pt": [
        "Quero ir de.", "Penso que.", "É uma mesa com.", "Leite e.", "Vou ao.", "Podes dizer-me?", "Quero o.",
        "Vamos ver.", "Deixa eu ver.",
    ],
    "": ["I would like the.", "Ich glaube, dass.", "Je pense qu'.", "Creo que."],
}  # fmt: skip
NUMBERS = {
    "en": [
        "My number is 471.", "My number is 471. 82.", "The code is four seven one.", "My IBAN is DE89 3704.",
        "My phone number is 555 0199.", "0170.", "555 0199.", "Four seven one.", "4 7 1.",
        "My phone number is 0171.", "My phone is 0171.", "The code is 0 4 7.", "My zip code is 902.",
        "The code is four seven.",
        "555-0199.", "My shipping number is 47112.",
    ],
    "de": [
        "Meine Nummer ist 471.", "Meine Telefonnummer lautet 0170 33.", "Die PIN ist vier sieben eins.",
        "Vier sieben eins.", "Meine Telefonnummer ist 0171.", "Meine Kundennummer ist 4711.",
    ],
    "fr": [
        "Mon numéro est le 06 12.", "Mon numéro c'est le 06.", "Le code est 471.",
        "Mon numéro de téléphone est le 47 11.",
    ],
    "es": ["Mi número es 471.", "Mi código postal es el 280.", "El código es cuatro siete uno."],
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


@pytest.mark.parametrize("text", ["Wait.", "My number is 471.", "I would like the.", "Could you tell me?"])
def test_a_mark_behind_what_is_unfinished_ends_a_sentence_though(text: str) -> None:
    """So where noise goes on behind it, they are answered as others are."""
    assert ends_sentence(text, "en")
    assert words_over(text, "en") is False


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
    for each in (OPENERS, HOLD_PHRASES, SPANS, COMPLETE_PHRASES, BESIDE, ANSWERS, INTRODUCTIONS):
        assert set(each) == LANGUAGES
