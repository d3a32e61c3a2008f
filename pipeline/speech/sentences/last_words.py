"""The words that end no sentence, although recognisers write a mark behind them when somebody pauses there. Pure.

What is here cannot stand last in the language's own grammar: articles, possessives before a noun, most conjunctions,
prepositions that are not stranded, contractions ("I'm"). What can, now and then, is left out: English strands "for"
and "with", German ends on "an" and "mit", and a recogniser that leaves out an accent makes "la" of "là". What
is over behind some words only is in `last_phrases.py`.
"""

from collections.abc import Mapping, Sequence

from pipeline.speech.sentences.last_phrases import ARTICLES, is_over


def _split(words: str) -> frozenset[str]:
    return frozenset(words.split())


# What is a word in no language; "um" is one in some.
FILLERS = _split("ehm erm euh heu hmm uh uhm äh ähm öhm")
UM = "um"
WITH_UM = frozenset(("", "de", "fo", "is", "lb", "pt"))  # and of nobody knows which

# Apostrophes are straight. What is capitalised within a sentence is a name or a letter: "vitamin A.", "an AI."
ENDS_NOTHING: Mapping[str, frozenset[str]] = {
    "en": _split(
        "a an the my your our their every and or because than whether unless although "
        "i'm i'd i've i'll you're you'd you've you'll he's he'd he'll she's she'd she'll it's it'll "
        "we're we'd we've we'll they're they'd they've they'll that's there's what's who's where's"
    ),
    "de": _split(
        "des mein dein kein und sowie sondern entweder weder dass weil wenn obwohl "
        "falls sobald als seit für im am vom beim zum zur ins ans fürs"
    ),
    "fr": _split(
        "le les des du de d' l' au aux mon ma mes tes ses notre votre nos vos cet ces j' m' t' s' n' c' ne "
        "et que qu' puisque lorsque qu'il qu'ils qu'elle qu'on s'il s'ils jusqu'à jusqu'au jusqu'aux dans chez par à en"
    ),
    "es": _split("los las un su sus mis tus me y e pero del al de en con desde hacia muy"),
    "it": _split(
        "il lo i gli le l' un un' ogni mi ti non ed di del dello della dei degli delle dell' d' a ad al allo alla ai "
        "agli alle all' da dal dallo dalla dall' in nel nello nella nei negli nelle nell' sul sullo "
        "sulla sui sugli sulle sull' con per tra"
    ),
    "pt": _split("o a os as do dos das de na num numa ao aos à às pela com em por pra"),
    # Of nobody knows which language: what can stand last in none of them.
    "": _split(
        "the my our their every and because whether unless although i'm i'd i've i'll you're we're they're "
        "und sowie sondern dass weil obwohl vom beim zum zur et des dans de d' l' qu' j' del della degli negli"
    ),
}
# The same, but not of a question, since recognisers leave out accents and hyphens there ("¿para que?", "où suis je ?").
ENDS_NO_STATEMENT: Mapping[str, frozenset[str]] = {
    "fr": _split("mais je"),
    "es": _split("que porque el"),
    "it": _split("che e ma"),
    "pt": _split("que porque e mas"),
    "": _split("que"),
}
# Without a mark, and alone or behind one other word, these begin something.
OPENERS: Mapping[str, frozenset[str]] = {
    "en": _split("but er hm i so well"),
    "de": _split("aber also"),
    "fr": _split("alors"),
    "es": _split("pues"),
    "it": _split("allora"),
    "pt": _split("então"),
}
# Behind the first a clause begins, and the second is whom it is about: "if I", "how long it".
CLAUSES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "en": (
        _split("if whether because unless although when where why what how"),
        _split("i you he she it we they"),
    ),
    "de": (_split("ob dass weil wenn obwohl falls sobald"), _split("ich du er sie es wir ihr man")),
    "fr": (_split("si quand que lorsque"), _split("je tu il ils on")),
}
DEGREES = _split("far fast high late long many much often old soon")  # "how long it"
LEAST_CLAUSE = 3  # words, of which the last two begin a clause: "Why you?" is over


def ends_nothing(words: Sequence[str], asked: bool, language: str) -> bool:
    """Whether more has to come behind these words of one sentence.

    Args:
        words: As they are spelt.
        asked: A question mark stands behind them.
        language: ISO 639-1 code; empty: nobody knows.
    """
    if not words:
        return False
    folded = [word.casefold() for word in words]
    last = folded[-1]
    if is_over(folded, asked, language) or _is_name(words, language):
        return False
    if last in ENDS_NOTHING.get(language, ()) or (not asked and last in ENDS_NO_STATEMENT.get(language, ())):
        return True
    if " ".join(folded[-2:]) in ARTICLES.get(language, ()):
        return True
    return _begins_clause(folded, language)


def begins(words: Sequence[str], language: str) -> bool:
    """Whether a word or two without a mark only begin something."""
    if not words:
        return False
    last, spoken = words[-1].casefold(), language or "en"
    if is_filler(last, language) or last in OPENERS.get(spoken, ()):
        return True
    return last in ENDS_NOTHING.get(spoken, ()) and not words[-1].isupper()


def is_filler(word: str, language: str) -> bool:
    """Whether somebody who says it only thinks.

    Args:
        word: Folded.
    """
    return word in FILLERS or (word == UM and language not in WITH_UM)


def _is_name(words: Sequence[str], language: str) -> bool:
    """Whether the last one is a letter, or a name."""
    *before, last = words
    if language in ("", "en") and last.startswith("I") and last.casefold() in ("i", "i'm", "i'd", "i've", "i'll"):
        return False
    return last[0].isupper() and (len(last) == 1 or bool(before))


def _begins_clause(folded: Sequence[str], language: str) -> bool:
    if language not in CLAUSES or len(folded) < LEAST_CLAUSE:
        return False
    openers, subjects = CLAUSES[language]
    *before, opener, subject = folded
    if opener in DEGREES and before[-1] == "how":
        opener = "how"
    return opener in openers and subject in subjects
