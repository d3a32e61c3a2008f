"""Tells who has asked to be told something, and has not said yet what: "Could you tell me?" Pure."""

from collections.abc import Mapping

from pipeline.speech.sentences import tables

# All that is said, by language, without hyphens; "can you explain?" may be about what was said before.
INTRODUCTIONS: Mapping[str, frozenset[str]] = {
    "en": tables.phrases(
        "can you tell me, could you tell me, would you tell me, can you please tell me, could you please tell me, i "
        "would like to know, i'd like to know, i want to know, i wanted to know, i wanted to ask, i was wondering"
    ),
    "de": tables.phrases(
        "kannst du mir sagen, können sie mir sagen, könntest du mir sagen, könnten sie mir sagen, kannst du mir bitte "
        "sagen, können sie mir bitte sagen, ich möchte wissen, ich wollte wissen, ich wüsste gern, ich wüsste gerne, "
        "ich wollte fragen"
    ),
    "fr": tables.phrases(
        "peux tu me dire, tu peux me dire, pouvez vous me dire, vous pouvez me dire, pourrais tu me dire, pourriez "
        "vous me dire, est ce que tu peux me dire, est ce que vous pouvez me dire, est ce que tu pourrais me dire, "
        "est ce que vous pourriez me dire, je voudrais savoir, j'aimerais savoir, je voulais savoir, je voulais "
        "demander"
    ),
    "es": tables.phrases(
        "me puedes decir, puedes decirme, me puede decir, puede decirme, me podrías decir, podrías decirme, me podría "
        "decir, podría decirme, quisiera saber, quiero saber, quería saber, me gustaría saber, quería preguntar"
    ),
    "it": tables.phrases(
        "mi puoi dire, puoi dirmi, mi può dire, può dirmi, mi potresti dire, potresti dirmi, mi potrebbe dire, "
        "potrebbe dirmi, mi sai dire, sai dirmi, mi sa dire, sa dirmi, vorrei sapere, volevo sapere, volevo chiedere"
    ),
    "pt": tables.phrases(
        "podes dizer me, pode dizer me, podes me dizer, pode me dizer, você pode me dizer, podia dizer me, poderia me "
        "dizer, poderia dizer me, sabes dizer me, sabe me dizer, queria saber, gostaria de saber, eu queria saber, eu "
        "gostaria de saber, queria perguntar"
    ),
}


def only_introduces(words: list[str], language: str) -> bool:
    """Whether the words are such a request, and no more.

    Args:
        words: With straight apostrophes.
        language: ISO 639-1 code; of one without phrases here, or none, nothing is told.
    """
    said = " ".join(words).casefold().replace("-", " ")
    return said in INTRODUCTIONS.get(language, ())
