"""The words that end no sentence, although recognisers write a mark behind them when somebody pauses there. Pure.

What is here cannot stand last in the language's own grammar: articles, possessives before a noun, most conjunctions,
prepositions that are not stranded, contractions ("I'm"). What can, now and then, is left out: English strands "for"
and "with", German ends on "an" and "mit", and a recogniser that leaves out an accent makes "la" of "là". What
is over behind some words only is in `last_phrases.py`.
"""

from collections.abc import Mapping, Sequence

from pipeline.speech.sentences import tables
from pipeline.speech.sentences.last_phrases import ARTICLES, is_over

# What is a word in no language; "um" is one in some.
FILLERS = tables.words("ehm erm euh heu hmm uh uhm äh ähm öhm")
UM = "um"
WITH_UM = frozenset(("", "de", "fo", "is", "lb", "pt"))  # and of nobody knows which

# Apostrophes are straight. What is capitalised within a sentence is a name or a letter: "vitamin A.", "an AI."
ENDS_NOTHING: Mapping[str, frozenset[str]] = {
    "en": tables.words(
        "a an the my your our their every and or because than whether unless although "
        "i'm i'd i've i'll you're you'd you've you'll he's he'd he'll she's she'd she'll it's it'll "
        "we're we'd we've we'll they're they'd they've they'll that's there's what's who's where's"
    ),
    "de": tables.words(
        "des mein dein kein und sowie sondern entweder weder dass weil wenn obwohl "
        "falls sobald als seit für im am vom beim zum zur ins ans fürs"
    ),
    "fr": tables.words(
        "le les des du de d' l' au aux mon ma mes tes ses notre votre nos vos cet ces j' m' t' s' n' c' ne "
        "et que qu' puisque lorsque qu'il qu'ils qu'elle qu'on s'il s'ils jusqu'à jusqu'au jusqu'aux dans chez par à en"
    ),
    "es": tables.words("los las un su sus mis tus me y e pero del al de en con desde hacia muy"),
    "it": tables.words(
        "il lo i gli le l' un un' ogni mi ti non ed di del dello della dei degli delle dell' d' a ad al allo alla ai "
        "agli alle all' da dal dallo dalla dall' in nel nello nella nei negli nelle nell' sul sullo "
        "sulla sui sugli sulle sull' con per tra"
    ),
    "pt": tables.words("o a os as do dos das de na num numa ao aos à às pela com em por pra"),
    # Of nobody knows which language: what can stand last in none of them.
    "": tables.words(
        "the my our their every and because whether unless although i'm i'd i've i'll you're we're they're "
        "und sowie sondern dass weil obwohl vom beim zum zur et des dans de d' l' qu' j' del della degli negli"
    ),
}
# The same, but not of a question, since recognisers leave out accents and hyphens there ("¿para que?", "où suis je ?").
ENDS_NO_STATEMENT: Mapping[str, frozenset[str]] = {
    "fr": tables.words("mais je"),
    "es": tables.words("que porque el"),
    "it": tables.words("che e ma"),
    "pt": tables.words("que porque e mas"),
    "": tables.words("que"),
}
# Without a mark, and alone or behind one other word, these begin something.
OPENERS: Mapping[str, frozenset[str]] = {
    "en": tables.words("but er hm i so well"),
    "de": tables.words("aber also"),
    "fr": tables.words("alors"),
    "es": tables.words("pues"),
    "it": tables.words("allora"),
    "pt": tables.words("então"),
}
# Behind the first a clause begins, and the second is whom it is about: "if I", "how long it".
CLAUSES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "en": (
        tables.words("if whether because unless although when where why what how"),
        tables.words("i you he she it we they"),
    ),
    "de": (tables.words("ob dass weil wenn obwohl falls sobald"), tables.words("ich du er sie es wir ihr man")),
    "fr": (tables.words("si quand que lorsque"), tables.words("je tu il ils on")),
}
DEGREES = tables.words("far fast high late long many much often old soon")  # "how long it"
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


def only_opens(words: Sequence[str], language: str) -> bool:
    """Whether that is all of them: "Well.", "Also." But "I" alone is a letter."""
    known = OPENERS.get(language or "en", frozenset())
    return bool(words) and all(word != "I" and word.casefold() in known for word in words)


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
