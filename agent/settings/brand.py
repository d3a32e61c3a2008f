"""A brand file: the page's name, colours, words and logo, in TOML, whose every fault is told at once."""

import struct
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from agent.settings.contrast import contrast

MOST_BYTES, MOST_LOGO_BYTES = 64 * 1024, 256 * 1024
# Upper, under, and the least contrast of text with what is behind it: WCAG 2.2, 1.4.3. Ink is also used paler.
PAIRS = (("accent", "paper", 4.5), ("person", "paper", 4.5), ("ink", "paper", 7.0), ("on_accent", "accent", 4.5))
PNG, SIZE_AT = b"\x89PNG\r\n\x1a\n", 16

Colour = Annotated[str, msgspec.Meta(pattern=r"^#[0-9a-fA-F]{6}$")]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=24, pattern=r"^[^\s<>](?:[^\n\r\t<>]*[^\s<>])?$")]
Word = Annotated[str, msgspec.Meta(min_length=1, max_length=400)]
PageLanguage = Literal["en", "de"]
Words = Mapping[PageLanguage, Mapping[str, str]]
Look = Literal["light", "dark"]


class ColourPair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A colour of both looks of the page, as `#rrggbb`."""

    light: Colour
    dark: Colour


class BrandColours(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Colours in place of the page's own.

    Attributes:
        accent: The agent's, and of what is pressed first.
        on_accent: What is written upon it.
        person: Whoever speaks with the agent.
        paper: What is behind everything.
        ink: What is written on it.
    """

    accent: ColourPair = ColourPair("#0d6a5d", "#6ad6bf")
    on_accent: ColourPair = ColourPair("#f8f5ee", "#06201b")
    person: ColourPair = ColourPair("#9c4410", "#f0a56a")
    paper: ColourPair = ColourPair("#f5f2ea", "#0e1412")
    ink: ColourPair = ColourPair("#1b2421", "#ece7dc")


class _BrandFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name = "AURA"
    logo: str | None = None
    colours: BrandColours = BrandColours()
    words: dict[PageLanguage, dict[str, Word]] = {}


@dataclass(frozen=True, slots=True)
class Logo:
    """A picture in place of the name.

    Attributes:
        kind: Its media type.
        size: Width and height in pixels; None: any, it is drawn.
    """

    kind: Literal["image/svg+xml", "image/png"]
    data: bytes = field(repr=False)
    size: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Brand:
    """What the page looks like instead.

    Attributes:
        colours: None: the page's own.
        words: By language and by the key in the page's tables, such as `door.start`.
    """

    name: str = "AURA"
    logo: Logo | None = None
    colours: BrandColours | None = None
    words: Words = field(default_factory=dict)


def read_brand_file(path: Path) -> tuple[Brand, list[str]]:
    """What the file says of the brand, and its faults, each with the file's name in front."""
    try:
        table = tomllib.loads(_read(path, MOST_BYTES).decode())
        asked = msgspec.convert(table, _BrandFile)
    except _Fault as fault:
        return Brand(), [f"{path}: {fault}"]
    except UnicodeDecodeError:
        return Brand(), [f"{path}: it is no UTF-8"]
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Brand(), [f"{path}: it is no TOML: {error}"]
    except msgspec.ValidationError as error:
        return Brand(), [f"{path}: {error}"]  # which ends with the field: "at `$.colours.accent.light`"
    faults = [f"{path}: {fault}" for fault in _pale(asked.colours)]
    logo = None
    if asked.logo is not None:
        try:
            logo = _logo(path.parent / Path(asked.logo).expanduser())
        except _Fault as fault:
            faults.append(f"{path}: {fault} - at `$.logo`")
    colours = asked.colours if "colours" in table else None
    return Brand(asked.name, logo, colours, asked.words), faults


class _Fault(Exception):
    """What is wrong with a file."""


def _read(path: Path, most: int) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise _Fault("it is no file")
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise _Fault(f"{path.name} cannot be read ({error.strerror})") from error
    if len(data) > most:
        raise _Fault(f"{path.name} has more than {most:,} bytes")
    return data


def _logo(path: Path) -> Logo:
    data = _read(path, MOST_LOGO_BYTES)
    if path.suffix.lower() == ".svg":
        if b"<svg" not in data:
            raise _Fault(f"{path.name} is no SVG")
        return Logo("image/svg+xml", data)
    if path.suffix.lower() == ".png":
        if not data.startswith(PNG) or len(data) < SIZE_AT + 8:
            raise _Fault(f"{path.name} is no PNG")
        width, height = struct.unpack_from(">II", data, SIZE_AT)
        return Logo("image/png", data, (width, height))
    raise _Fault(f"{path.name} is neither an SVG nor a PNG file")


def _pale(colours: BrandColours) -> list[str]:
    """The colours that are too much like what is behind them."""
    looks: tuple[Look, ...] = ("light", "dark")
    found = []
    for upper, under, least in PAIRS:
        for look in looks:
            ratio = contrast(getattr(getattr(colours, upper), look), getattr(getattr(colours, under), look))
            if ratio < least:
                told = f"its contrast with `{under}` is {ratio:.1f}, to be read it needs {least:g}"
                found.append(f"{told} - at `$.colours.{upper}.{look}`")
    return found
