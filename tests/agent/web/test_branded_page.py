"""The page under another name: what is changed of the built files, and that nothing in a brand runs."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

from agent.settings.brand import Brand, BrandColours, ColourPair, Logo
from agent.settings.environment import SettingsError
from agent.web.branded_page import branded_files, style
from tests.agent.web.page_server import PipelineState, page_server

pytestmark = pytest.mark.anyio

INDEX = """<html><head>
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#f5f2ea" />
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#0e1412" />
<link rel="icon" href="/favicon.svg" type="image/svg+xml" />
<meta name="description" content="A voice." /><meta property="og:description" content="A voice." />
<title>AURA</title></head><body><noscript>AURA needs JavaScript.</noscript></body></html>"""
MANIFEST = {"name": "AURA", "short_name": "AURA", "display": "standalone", "icons": [{"src": "/icons/192.png"}]}
HOSTILE = """'"></script><script>alert(1)</script>\u2028 & <img src=x onerror=alert(1)>"""
NOVA = Brand("Nova & Co", Logo("image/svg+xml", b"<svg/>"), None, {"en": {"door.start": HOSTILE}})
PLUM = BrandColours(accent=ColourPair("#7a1f5c", "#f0a6d8"), paper=ColourPair("#ffffff", "#101010"))


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_text(INDEX)
    (tmp_path / "aura.js").write_text("launch();")
    (tmp_path / "manifest.webmanifest").write_text(json.dumps(MANIFEST))
    (tmp_path / "words.json").write_text(
        json.dumps({"en": {"door.start": "Start talking", "about.tagline": "A voice."}, "de": {}})
    )
    return tmp_path


async def test_the_page_is_sent_under_its_other_name(built: Path, state: PipelineState) -> None:
    async with page_server(state, built, brand=NOVA) as client:
        for path in ("/", "/index.html"):
            response = await client.get(path)
            assert (response.content_type, response.headers["Cache-Control"]) == ("text/html", "no-cache")
            page = await response.text()
            assert "<title>Nova &amp; Co</title>" in page and "AURA" not in page
        tag = (await client.get("/")).headers["ETag"]
        again = await client.get("/", headers={"If-None-Match": tag})
        assert (again.status, await again.read()) == (304, b"")
        assert (await client.get("/brand/brand.css")).content_type == "text/css"
        assert (await client.get("/health")).status == 200


def test_words_of_a_brand_are_text_wherever_they_stand(built: Path) -> None:
    files = branded_files(NOVA, built)
    page = files["/"].content.decode()
    assert page.count("<script") == 0 and "<img" not in page
    told = re.search(r'<meta name="aura-brand" content="([^"]*)" />', page)
    assert told and json.loads(unescape(told[1]))["words"] == {"en": {"door.start": HOSTILE}}
    first, rest = files["/aura.js"].content.decode().split("\n", 1)
    assert rest == "launch();" and first.isascii()
    assert json.loads(first.removeprefix("document.currentScript.auraBrand = ").removesuffix(";"))["name"] == NOVA.name


async def test_a_logo_runs_nothing_when_it_is_opened_by_itself(built: Path, state: PipelineState) -> None:
    async with page_server(state, built, brand=NOVA) as client:
        response = await client.get("/brand/logo.svg")
        assert (response.content_type, await response.read()) == ("image/svg+xml", b"<svg/>")
        policy = response.headers.getall("Content-Security-Policy")
        assert len(policy) == 1 and "default-src 'none'" in policy[0] and "sandbox" in policy[0]
        assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_the_colours_are_those_of_the_brand_before_anything_is_drawn(built: Path) -> None:
    files = branded_files(Brand(colours=PLUM), built)
    page = files["/"].content.decode()
    assert page.index("/brand/brand.css") < page.index("</head>")
    assert re.findall(r'content="(#\w+)"', page) == ["#ffffff", "#101010"]
    assert "--agent: light-dark(#7a1f5c, #f0a6d8);" in files["/brand/brand.css"].content.decode()
    assert style(None) == ""


def test_the_manifest_has_name_colours_and_logo(built: Path) -> None:
    png = Logo("image/png", b"\x89PNG", (300, 300))
    made = json.loads(branded_files(Brand("Nova", png, PLUM), built)["/manifest.webmanifest"].content)
    assert made == {
        "name": "Nova",
        "short_name": "Nova",
        "display": "standalone",
        "theme_color": "#ffffff",
        "background_color": "#ffffff",
        "icons": [{"src": "/brand/logo.png", "sizes": "300x300", "type": "image/png"}, {"src": "/icons/192.png"}],
    }


def test_a_word_that_the_page_has_not_is_refused_by_its_key(built: Path) -> None:
    brand = Brand(words={"en": {"door.start": "Go", "door.stat": "Go"}, "de": {"door.start": "Los"}})
    with pytest.raises(SettingsError) as raised:
        branded_files(brand, built)
    assert raised.value.faults == [
        "AURA_WEB_BRAND: the page has no word without figures for `door.stat` - at `$.words.en`",
        "AURA_WEB_BRAND: the page has no word without figures for `door.start` - at `$.words.de`",
    ]


def test_there_is_nothing_to_brand_without_a_page(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="AURA_WEB_BRAND: there is no built page in"):
        branded_files(Brand("Nova"), tmp_path)


def test_what_the_brand_says_of_itself_describes_the_page(built: Path) -> None:
    files = branded_files(Brand(words={"en": {"about.tagline": 'Ask "Nova" \\1'}}), built)
    page = files["/"].content.decode()
    assert page.count('content="Ask &quot;Nova&quot; \\1"') == 2
    assert json.loads(files["/manifest.webmanifest"].content)["description"] == 'Ask "Nova" \\1'
