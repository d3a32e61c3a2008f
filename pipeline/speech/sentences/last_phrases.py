"""The phrases that are over although their last word ends no sentence elsewhere, and the other way round. Pure."""

from collections.abc import Mapping, Sequence

from pipeline.speech.sentences import tables

# An article that is a pronoun elsewhere, or that is "là" without its accent, behind what makes it one.
ARTICLES: Mapping[str, frozenset[str]] = {
    "fr": frozenset(("de la", "à la", "dans la", "avec la", "pour la", "sur la", "et la")),
    "es": frozenset(("de la", "a la", "en la", "con la", "para la", "por la", "y la")),
}
# What ends so is over, in whatever language: recognisers leave out accents.
ENDINGS = (
    *(" oh my", " vous en", " nous en", " le votre", " la votre", " le notre", " la notre"),
    *(" di che", " non so che", " chi e", " o que", " o que e", " há de que", " hay de que", " ponto com"),
    *(" sé porque", " se porque", " sei porque", " só porque", " solo porque"),
)
# What answers "why?" by itself.
REASONS = tables.words("because weil porque")
WHY = "parce que"
# A pronoun that has lost its accent ("él"), behind what makes it one.
PRONOUNS: Mapping[str, frozenset[str]] = {
    "es": frozenset(f"{before} el" for before in tables.words("a con de era es fue para por sin sobre y")),
}
# Two words that say what to do with it, and have lost their hyphen: "prends le".
IMPERATIVES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "fr": (
        tables.words(
            "achète allume allumez appelle appelez arrête arrêtez baisse coupe coupez dis dites donne donnez envoie "
            "envoyez éteins éteignez fais faites ferme fermez lance lis lisez mets mettez monte montre ouvre ouvrez "
            "parle parlez prends prenez regarde"
        ),
        tables.words("le les en"),
    ),
    "pt": (
        tables.words(
            "abra abre acenda acende apaga apague desliga desligue fecha feche lê leia leva liga ligue manda mete "
            "mostra para põe tira toca traz vê"
        ),
        tables.words("o a os as"),
    ),
}
# What a German question of a few words may end with: "Na und?", "Was wäre, wenn?"
ASKED_WITH = tables.words("und wenn")
SHORT_QUESTION = 3
# Behind these stands the name of a letter: "option a".
LETTERED = tables.words("option letter lettre letra lettera buchstabe plan vitamin an opción opção opzione doppia")


def is_over(folded: Sequence[str], asked: bool, language: str) -> bool:
    """Whether these words of one sentence may be all, whatever the last one is elsewhere.

    Args:
        asked: A question mark stands behind them.
        language: ISO 639-1 code; empty: nobody knows.
    """
    last, said = folded[-1], " ".join(folded).replace("-", " ")
    if len(folded) == 1:
        return asked or last in REASONS  # "And?"
    verbs, objects = IMPERATIVES.get(language, (frozenset[str](), frozenset[str]()))
    return (
        said == WHY
        or f" {said}".endswith(ENDINGS)
        or " ".join(folded[-2:]) in PRONOUNS.get(language, ())
        or (len(folded) == 2 and folded[0] in verbs and last in objects)
        or (len(last) == 1 and folded[-2] in LETTERED)
        or (language in ("", "de") and asked and _asks_shortly(folded))
    )


def _asks_shortly(folded: Sequence[str]) -> bool:
    return (len(folded) <= SHORT_QUESTION and folded[-1] in ASKED_WITH) or list(folded) == ["was", "für"]
