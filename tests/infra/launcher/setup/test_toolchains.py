"""Versions of toolchains are compared as numbers."""

import pytest

from infra.launcher.setup.toolchains import version_numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("go version go1.27.3 linux/amd64", (1, 27, 3)),
        ("v20.19.0", (20, 19, 0)),
        ("1.26.0", (1, 26, 0)),
        ("command not found", ()),
    ],
)
def test_the_first_dotted_number_is_the_version(text: str, numbers: tuple[int, ...]) -> None:
    assert version_numbers(text) == numbers


def test_ten_is_more_than_nine() -> None:
    assert version_numbers("v20.19.0") > version_numbers("v20.9.1")
