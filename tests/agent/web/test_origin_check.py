"""Whose pages may ask for tokens."""

import pytest

from agent.web.origin_check import check_origin

HOSTS = frozenset({"aura.example.org", "2001:db8::1"})


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8080", None),
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("127.8.8.8", None),
        ("aura.lan:8080", "http://aura.lan:8080"),
        ("localhost:8080", "http://localhost:8080"),
        ("LocalHost:8080", "http://localhost:8080"),
        ("aura.localhost", "https://aura.localhost"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("aura.example.org", "https://aura.example.org"),
        ("[2001:db8::1]", "https://[2001:db8::1]"),
        ("127.0.0.1:8080", "https://aura.example.org"),  # a proxy that names its target
    ],
)
def test_a_page_of_ours_is_known(host: str, origin: str | None) -> None:
    assert check_origin(host, origin, "Aura.lan", HOSTS) is None


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.1.7:80", "", "[::1", "0.0.0.0"],
)
def test_a_name_that_is_not_ours_is_refused(host: str) -> None:
    refused = check_origin(host, f"http://{host}", "127.0.0.1", HOSTS)
    assert refused and (refused.status, refused.code) == (421, "wrong_host")


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:9999", "http://127.0.0.1:8080.evil.example", "", "http://[::1"],
)
def test_a_page_of_another_origin_is_refused(origin: str) -> None:
    refused = check_origin("127.0.0.1:8080", origin, "127.0.0.1", HOSTS)
    assert refused and (refused.status, refused.code) == (403, "wrong_origin")
