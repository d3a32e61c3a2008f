"""An observation as one line of plain English: "a person, 2 cups". Pure."""

from pipeline.types.observation import Observation, SeenThing

MOST_CHARACTERS = 300  # of a line; a page of text would cost a small language model a second of prefill
LEAST_TEXT = 20  # characters of what is written that are worth a quotation
ELLIPSIS = "…"
QUOTED = "Text written there: "

# Nouns whose plural is no rule's.
PLURALS = {
    "child": "children",
    "fish": "fish",
    "foot": "feet",
    "goose": "geese",
    "knife": "knives",
    "leaf": "leaves",
    "loaf": "loaves",
    "man": "men",
    "mouse": "mice",
    "ox": "oxen",
    "person": "people",
    "potato": "potatoes",
    "scarf": "scarves",
    "sheep": "sheep",
    "shelf": "shelves",
    "tomato": "tomatoes",
    "tooth": "teeth",
    "wolf": "wolves",
    "woman": "women",
}
# Nouns that take no article: they are many, or cannot be counted.
BARE = frozenset(
    (
        "binoculars", "broccoli", "clothes", "corn", "glasses", "headphones", "jeans", "pajamas", "paper",
        "pliers", "scissors", "shorts", "skis", "sunglasses", "tongs", "trousers", "tweezers",
    )
)  # fmt: skip
# How words begin that are spoken as if they began with the other kind of letter.
CONSONANTS = ("eu", "one", "uke", "uni", "usb", "use", "uti")
VOWELS = ("hon", "hour", "x-ray")


def observation_line(seen: Observation) -> str:
    """Says what was recognised, the most prominent first, and quotes what is written there.

    Returns:
        At most `MOST_CHARACTERS`; empty if nothing was recognised, or the picture is blank.
    """
    if seen.is_blank:
        return ""
    named: list[str] = []
    for thing in seen.things:
        if len(", ".join([*named, counted(thing)])) > MOST_CHARACTERS:
            break
        named.append(counted(thing))
    line = ", ".join(named)
    lead = f"{line}. " if line else ""
    room = MOST_CHARACTERS - len(lead) - len(QUOTED) - 2
    text = " ".join(seen.text.split()).replace('"', "'")
    if not text or room < min(len(text), LEAST_TEXT):
        return line
    return f'{lead}{QUOTED}"{shortened(text, room)}"'


def counted(thing: SeenThing) -> str:
    """Returns the thing with its article, or how many of it there are: `an owl`, `scissors`, `2 people`."""
    return with_article(thing.name) if thing.count == 1 else f"{thing.count} {plural(thing.name)}"


def with_article(name: str) -> str:
    """Returns a noun as one thing that was not spoken of before: `a cup`, `an owl`, `scissors`."""
    if name.split(" ")[-1].lower() in BARE:
        return name
    begins = name.lower()
    vowel = begins.startswith(VOWELS) or (begins[:1] in "aeiou" and not begins.startswith(CONSONANTS))
    return f"{'an' if vowel else 'a'} {name}"


def plural(name: str) -> str:
    """Returns a noun for more than one: `cups`, `people`, `bowls of soup`."""
    head, of, rest = name.partition(" of ")
    before, space, noun = head.rpartition(" ")
    return f"{before}{space}{_plural_word(noun)}{of}{rest}"


def shortened(text: str, most: int) -> str:
    """Returns a text of at most so many characters: of a longer one the beginning, to a word's end if one is near."""
    if len(text) <= most:
        return text
    cut = text[: most - len(ELLIPSIS)]
    whole = cut.rpartition(" ")[0]
    return f"{(whole if len(whole) * 2 > len(cut) else cut).rstrip()}{ELLIPSIS}"


def _plural_word(noun: str) -> str:
    low = noun.lower()
    if low in BARE:
        return noun
    if low in PLURALS:
        return PLURALS[low]
    if low.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    if low.endswith("y") and low[-2:-1] not in tuple("aeiou"):
        return f"{noun[:-1]}ies"
    return f"{noun}s"
