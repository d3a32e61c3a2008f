"""Tells who says words only to speak of them: "Play 'Wait'.", "How do you spell because?" Pure."""

import re

# At the end, behind words that are not quoted.
QUOTED = re.compile(r"""\w[,:]?\s+(?:"[^"]+"|“[^“”]+”|„[^„“”]+[“”]|«[^«»]+»|['‘][^'‘’]+['’])[.?!…。？！]*\s*$""")
# What is asked of a word, and that word; or what is said of a letter.
ASKED_OF = re.compile(
    r"\b(?:how (?:do|does|would|should) (?:you|i|one|we) (?:spell|pronounce|write|say)|spell|translate|"
    r"what(?:'s| is) (?:the )?(?:english|french|german|italian|portuguese|spanish)(?: word)? for|"
    r"was (?:heißt|bedeutet)|wie (?:schreibt|buchstabiert|sagt|spricht) man|buchstabiere|übersetze?|"
    r"que (?:signifie|veut dire)|comment (?:(?:dit|écrit|épelle|prononce|traduit)[- ]on|on (?:dit|écrit)|s'écrit)|"
    r"traduis|cómo se (?:dice|escribe|pronuncia)|qué significa|traduce|"
    r"(?:cosa|che) (?:significa|vuol dire)|come si (?:dice|scrive|pronuncia)|traduci|"
    r"como se (?:diz|escreve|pronuncia)|que (?:significa|quer dizer)|traduz)"
    r"(?: (?:the word|das wort|le mot|la palabra|la parola|a palavra))? \S+$|"
    r"\b(?:(?:begins|starts|ends) with|(?:escribe|acaba|termina|empieza) (?:con|en)|(?:começa|termina) (?:com|em)|"
    r"(?:inizia|finisce) (?:per|con|in)) \w$"
)


def are_mentioned(text: str, words: list[str]) -> bool:
    """Whether the last words are only spoken of.

    Args:
        words: Those of the last sentence, with straight apostrophes.
    """
    return QUOTED.search(text) is not None or ASKED_OF.search(" ".join(words).lower()) is not None
