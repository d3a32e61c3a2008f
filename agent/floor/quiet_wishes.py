"""This module knows the few phrases by which people ask the agent to speak only when asked, or to speak up again.

It is no understanding of language: what somebody says or writes is one of these phrases as a whole, or it is none.
"""

from agent.floor.floor import normalised

# By ISO 639-1 code: what asks for quiet, and what ends it.
PHRASES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "en": (
        ("Don't speak unless I ask", "Don't talk unless I ask", "Only speak when I ask", "Only speak when spoken to"),
        ("Speak up again", "You can speak up again", "You may speak up again"),
    ),
    "de": (
        ("Sprich nur, wenn ich frage", "Rede nur, wenn ich frage", "Sprechen Sie nur, wenn ich frage"),
        ("Melde dich wieder", "Du darfst dich wieder melden", "Sie dürfen sich wieder melden"),
    ),
    "es": (
        ("Habla solo si te pregunto", "Habla solo cuando te pregunte", "No hables si no te pregunto"),
        ("Puedes volver a hablar por tu cuenta", "Vuelve a hablar por tu cuenta"),
    ),
    "fr": (
        ("Ne parle que si je te le demande", "Ne parle que quand je te le demande"),
        ("Tu peux de nouveau parler de toi-même", "Parle de nouveau de toi-même"),
    ),
    "it": (
        ("Parla solo se te lo chiedo", "Parla solo quando te lo chiedo"),
        ("Puoi di nuovo parlare di tua iniziativa", "Parla di nuovo di tua iniziativa"),
    ),
    "ja": (("聞いたときだけ話して", "聞かれたときだけ話して"), ("また自分から話して", "また自分から話していいよ")),
    "ko": (("물어볼 때만 말해", "물어볼 때만 말해 줘"), ("다시 먼저 말해 줘", "다시 먼저 말해도 돼")),
    "pt": (
        ("Só fale quando eu perguntar", "Fale só quando eu perguntar"),
        ("Pode voltar a falar por conta própria", "Volte a falar por conta própria"),
    ),
    "ru": (
        ("Говори, только когда я спрошу", "Не говори, пока я не спрошу"),
        ("Можешь снова говорить сама", "Снова говори сама"),
    ),
    "zh": (("我不问你就别说话", "我问你的时候再说话"), ("你可以再主动说话了", "你可以主动说话了")),
}

# What may stand in front of a phrase, or behind it.
COURTESIES = (
    *("please", "okay", "ok", "hey", "and", "now", "from now on", "thank you", "thanks"),
    *("bitte", "danke", "ab jetzt", "jetzt", "por favor", "gracias", "s'il te plaît", "merci", "per favore", "grazie"),
    *(
        "obrigado",
        "obrigada",
        "пожалуйста",
        "спасибо",
        "请",
        "谢谢",
        "ください",
        "お願いします",
        "ね",
        "주세요",
        "제발",
    ),
)


def wishes_remarks(text: str, name: str = "") -> bool | None:
    """Return whether these words ask the agent to speak up again (True) or to speak only when asked (False).

    Args:
        name: By which the agent may be called.

    Returns:
        None if they ask for neither.
    """
    return _WISHES.get(_bare(_letters(text), _letters(name)))


def _letters(text: str) -> str:
    """The words alone, without what is between them: not every language parts them."""
    return normalised(text).replace(" ", "")


def _bare(letters: str, name: str) -> str:
    """The same without courtesies around it. What is a phrase stays one."""
    around = (*_COURTESIES, name) if name else _COURTESIES
    while letters not in _WISHES:
        shorter = next((rest for each in around if (rest := _without(letters, each)) != letters), letters)
        if shorter == letters:
            return letters
        letters = shorter
    return letters


def _without(letters: str, courtesy: str) -> str:
    return letters.removeprefix(courtesy) if letters.startswith(courtesy) else letters.removesuffix(courtesy)


_WISHES = {
    _letters(phrase): bool(again)
    for wishes in PHRASES.values()
    for again, phrases in enumerate(wishes)
    for phrase in phrases
}
_COURTESIES = sorted(map(_letters, COURTESIES), key=len, reverse=True)
