"""A brand file: what it may say, and how each fault is told."""

import struct
from pathlib import Path

import pytest

from agent.settings.brand import Brand, BrandColours, read_brand_file
from agent.settings.contrast import contrast

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 1"><path d="M0 0h2v1z"/></svg>'
PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 192, 96) + b"\x08\x06\0\0\0"
WHOLE = """
name = "Nova Desk"
logo = "logo.svg"

[colours]
accent = { light = "#7a1f5c", dark = "#f0a6d8" }
on_accent = { light = "#ffffff", dark = "#2a0a20" }

[words.en]
"door.start" = "Ask us"

[words.de]
"door.start" = "Frag uns"
"""


def written(folder: Path, text: str) -> Path:
    (folder / "logo.svg").write_bytes(SVG)
    (folder / "brand.toml").write_text(text)
    return folder / "brand.toml"


def faults_of(folder: Path, text: str) -> list[str]:
    path = written(folder, text)
    return [fault.removeprefix(f"{path}: ") for fault in read_brand_file(path)[1]]


def test_a_whole_brand_is_read(tmp_path: Path) -> None:
    brand, faults = read_brand_file(written(tmp_path, WHOLE))
    assert faults == []
    assert (brand.name, brand.words) == (
        "Nova Desk",
        {"en": {"door.start": "Ask us"}, "de": {"door.start": "Frag uns"}},
    )
    assert brand.colours and (brand.colours.accent.dark, brand.colours.paper) == ("#f0a6d8", BrandColours().paper)
    assert brand.logo and (brand.logo.kind, brand.logo.data, brand.logo.size) == ("image/svg+xml", SVG, None)


def test_everything_may_be_left_out(tmp_path: Path) -> None:
    assert read_brand_file(written(tmp_path, "")) == (Brand(), [])


def test_a_png_is_as_large_as_it_says(tmp_path: Path) -> None:
    (tmp_path / "l.PNG").write_bytes(PNG)
    brand, _ = read_brand_file(written(tmp_path, 'logo = "l.PNG"'))
    assert brand.logo and (brand.logo.kind, brand.logo.size) == ("image/png", (192, 96))


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("name = 7", "$.name"),
        ('name = ""', "$.name"),
        ('name = "<b>"', "$.name"),
        ('name = "a\\nb"', "$.name"),
        (f'name = "{"n" * 25}"', "$.name"),
        ('colour = "#fff"', "colour"),
        ('[colours]\naccent = "#123456"', "$.colours.accent"),
        ('[colours]\naccent = { light = "#123456" }', "$.colours.accent"),
        ('[colours]\naccent = { light = "red", dark = "#123456" }', "$.colours.accent.light"),
        ('[colours]\nink = { light = "#000000;}", dark = "#ffffff" }', "$.colours.ink.light"),
        ('[colours]\nshadow = { light = "#000000", dark = "#ffffff" }', "shadow"),
        ('[words.fr]\n"door.start" = "x"', "$.words"),
        ('[words.en]\n"door.start" = 3', "$.words"),
        ('[words.en]\n"door.start" = ""', "$.words"),
        ('logo = "gone.svg"', "$.logo"),
        ('logo = "brand.toml"', "$.logo"),
        ('logo = "."', "$.logo"),
        ("name = ", "no TOML"),
    ],
)
def test_a_fault_names_its_field(tmp_path: Path, text: str, field: str) -> None:
    (fault,) = faults_of(tmp_path, text)
    assert field in fault


@pytest.mark.parametrize("name", ["a.svg", "a.png", "a.gif"])
def test_a_logo_must_be_what_it_is_called(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"GIF89a")
    (fault,) = faults_of(tmp_path, f'logo = "{name}"')
    assert fault.startswith(f"{name} is n") and fault.endswith("at `$.logo`")


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    assert "cannot be read" in read_brand_file(tmp_path / "gone.toml")[1][0]
    assert "it is no file" in read_brand_file(tmp_path)[1][0]
    assert "more than 65,536 bytes" in faults_of(tmp_path, "#" * 70_000)[0]
    (tmp_path / "bytes.toml").write_bytes(b"name = '\xff'")
    assert "no UTF-8" in read_brand_file(tmp_path / "bytes.toml")[1][0]


def test_colours_that_nobody_can_tell_apart_are_refused(tmp_path: Path) -> None:
    pale = '[colours]\naccent = { light = "#dddddd", dark = "#222222" }'
    assert faults_of(tmp_path, pale) == [
        "its contrast with `paper` is 1.2, to be read it needs 4.5 - at `$.colours.accent.light`",
        "its contrast with `paper` is 1.2, to be read it needs 4.5 - at `$.colours.accent.dark`",
        "its contrast with `accent` is 1.2, to be read it needs 4.5 - at `$.colours.on_accent.light`",
        "its contrast with `accent` is 1.1, to be read it needs 4.5 - at `$.colours.on_accent.dark`",
    ]


def test_contrast_goes_from_one_to_twenty_one() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == pytest.approx(1)
    assert contrast("#ffffff", "#767676") == pytest.approx(4.54, abs=0.01)
