"""The files of the page: how they are sent, for how long they are kept, and what is answered where there is none."""

from gzip import compress
from pathlib import Path

import pytest

from tests.agent.web.page_server import Client, PipelineState, page_server

pytestmark = pytest.mark.anyio

SCRIPT, SQUEEZED = "export const page = 1;\n", b"as brotli"


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """What `client` serves, with a script that is there in three forms."""
    assets = tmp_path / "assets"
    assets.mkdir()
    (assets / "page-1a2b.js").write_text(SCRIPT)
    (assets / "page-1a2b.js.gz").write_bytes(compress(SCRIPT.encode()))
    (assets / "page-1a2b.js.br").write_bytes(SQUEEZED)
    (assets / "letters-1a2b.woff2").write_bytes(b"font")
    return tmp_path


async def test_the_page_is_served_and_nothing_beside_it(client: Client, built: Path) -> None:
    (built.parent / "settings.py").write_text("secret")
    assert await (await client.get("/")).text() == "<h1>page</h1>"
    for path in ("/../settings.py", "/..%2fsettings.py", f"/%2f{built.parent}/settings.py", "/%00"):
        assert (await client.get(path)).status == 404, path


@pytest.mark.parametrize(
    ("accepted", "encoding"), [("gzip, deflate, br, zstd", "br"), ("gzip", "gzip"), ("identity", None)]
)
async def test_a_browser_is_sent_the_smallest_form_that_it_can_read(
    client: Client, built: Path, accepted: str, encoding: str | None
) -> None:
    async with client.get("/assets/page-1a2b.js", headers={"Accept-Encoding": accepted}, auto_decompress=False) as sent:
        body = await sent.read()
    assert sent.headers.get("Content-Encoding") == encoding
    assert sent.headers["Content-Type"].startswith(("text/javascript", "application/javascript"))
    assert sent.headers["Vary"] == "Accept-Encoding"
    forms = {"br": SQUEEZED, "gzip": (built / "assets/page-1a2b.js.gz").read_bytes(), None: SCRIPT.encode()}
    assert body == forms[encoding]


async def test_each_form_has_a_tag_of_its_own_and_is_not_sent_twice(client: Client, built: Path) -> None:
    tags = set()
    for accepted in ("br", "gzip", "identity"):
        headers = {"Accept-Encoding": accepted}
        async with client.get("/assets/page-1a2b.js", headers=headers, auto_decompress=False) as sent:
            tag = sent.headers["ETag"]
        tags.add(tag)
        async with client.get("/assets/page-1a2b.js", headers={**headers, "If-None-Match": tag}) as again:
            assert (again.status, await again.read()) == (304, b"")
            assert again.headers["Vary"] == "Accept-Encoding"
    assert len(tags) == 3


async def test_what_has_its_digest_in_its_name_is_kept_and_the_page_is_asked_for_again(
    client: Client, built: Path
) -> None:
    assert "immutable" in (await client.get("/assets/page-1a2b.js")).headers["Cache-Control"]
    assert (await client.get("/")).headers["Cache-Control"] == "no-cache"
    assert (await client.get("/index.html")).headers["Cache-Control"] == "no-cache"
    assert (await client.get("/assets/letters-1a2b.woff2")).headers["Content-Type"] == "font/woff2"


async def test_only_scripts_styles_and_fonts_are_for_pages_of_any_origin(client: Client, built: Path) -> None:
    named = {path: (await client.get(path)).headers for path in ("/assets/page-1a2b.js", "/", "/api/about", "/health")}
    assert [path for path, headers in named.items() if "Access-Control-Allow-Origin" in headers] == [
        "/assets/page-1a2b.js"
    ]


@pytest.mark.parametrize("path", ["/nothing", "/assets/gone.js", "/assets", "/no/such/place/", f"/{'a' * 5_000}"])
async def test_an_address_without_anything_is_a_page_with_a_way_home(client: Client, built: Path, path: str) -> None:
    response = await client.get(path)
    assert (response.status, response.content_type) == (404, "text/html")
    assert '<a href="/">' in await response.text()


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_a_call_that_there_is_not_is_refused_as_calls_are(client: Client, method: str) -> None:
    response = await client.request(method, "/api/nothing")
    assert (response.status, response.content_type) == (404, "application/json")
    assert (await response.json())["error"]["code"] == "not_found"


async def test_a_server_without_a_page_still_says_so(state: PipelineState) -> None:
    async with page_server(state, None) as client:
        assert (await client.get("/")).status == 404
