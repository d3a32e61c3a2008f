"""How well one colour can be told from another, as WCAG 2.2 measures it.

Definition: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
"""


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours `#rrggbb`: from 1, the same, to 21, black and white."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
