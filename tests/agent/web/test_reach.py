"""Where other devices reach the page, and whose pages may hold it."""

from dataclasses import replace
from pathlib import Path

import pytest

from agent.settings.agent import WebSettings
from agent.web.reach import reachable_at
from tests.agent.web.page_server import LIVEKIT, Client, PipelineState, page_server

pytestmark = pytest.mark.anyio

FAR = replace(LIVEKIT, url="wss://media.example.org")


@pytest.mark.parametrize(
    ("listens_on", "hosts", "addresses"),
    [
        ("127.0.0.1", set(), []),
        ("localhost", {"127.0.0.2"}, []),
        ("127.0.0.1", {"aura.example.org"}, ["https://aura.example.org/"]),
        ("192.168.1.7", set(), ["http://192.168.1.7:80/"]),
        ("0.0.0.0", set(), []),
        ("0.0.0.0", {"192.168.1.7", "aura.lan", "localhost"}, ["http://aura.lan:80/", "http://192.168.1.7:80/"]),
        ("::", {"2001:db8::1"}, ["http://[2001:db8::1]:80/"]),
        ("192.168.1.7", {"192.168.1.7"}, ["http://192.168.1.7:80/"]),
    ],
)
def test_only_addresses_of_which_it_knows_that_others_reach_them(
    listens_on: str, hosts: set[str], addresses: list[str]
) -> None:
    settings = WebSettings("http://127.0.0.1:1", FAR, listens_on=listens_on, hosts=frozenset(hosts))
    assert reachable_at(settings, 80) == addresses


def test_there_is_none_where_a_call_could_not_begin() -> None:
    assert reachable_at(WebSettings("http://127.0.0.1:1", LIVEKIT, listens_on="192.168.1.7"), 80) == []


async def test_the_page_is_told(state: PipelineState) -> None:
    async with page_server(state, None, listens_on="aura.lan") as client:
        assert await (await client.get("/api/reach")).json() == {"addresses": []}


async def test_no_page_of_others_holds_ours_unless_it_is_listed(
    client: Client, state: PipelineState, tmp_path: Path
) -> None:
    assert "frame-ancestors 'none'" in (await client.get("/")).headers["Content-Security-Policy"]
    async with page_server(state, tmp_path, embed=("https://a.example", "http://b.example:81")) as embedded:
        headers = (await embedded.get("/")).headers
    assert headers["Content-Security-Policy"].endswith("frame-ancestors https://a.example http://b.example:81")
    assert "microphone=(self)" in headers["Permissions-Policy"]  # whoever holds it must hand it on


async def test_a_page_that_takes_only_what_is_offered_to_it_may_load_the_launcher(
    client: Client, tmp_path: Path
) -> None:
    (tmp_path / "aura.js").write_text("1;")
    assert (await client.get("/aura.js")).headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "Cross-Origin-Resource-Policy" not in (await client.get("/")).headers
