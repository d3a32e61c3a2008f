"""The page in another language, under another name, on a phone, and on somebody else's page. No model is needed."""

import asyncio
import json
import struct
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from livekit import rtc

from agent.settings.agent import LiveKitSettings, WebSettings
from agent.settings.brand import read_brand_file
from agent.web.server import application
from tests.agent.web.page_server import PipelineState
from tests.e2e.chromium import DESK, PHONE, POLL_S, Page, chromium, element, find
from tests.e2e.screens import take_pictures
from tests.e2e.scripted_agent import ScriptedPage
from tests.e2e.stack import ROOT
from tests.e2e.test_page import PAGE_S, captions, write

pytestmark = pytest.mark.anyio

DIST = ROOT / "frontend" / "dist"
ELSEWHERE = LiveKitSettings("wss://media.example.org", "key", "0123456789abcdef0123456789abcdef", "aura")
# Frames are in the process of the page that holds them, where they can be asked.
TOGETHER = ("--disable-site-isolation-trials", "--disable-features=OriginKeyedProcessesByDefault")
# All that is seen and read aloud, piece by piece.
TOLD = """
(() => {
  const told = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) told.push(walker.currentNode.data.trim());
  for (const each of document.body.querySelectorAll('*')) {
    for (const name of ['aria-label', 'title', 'placeholder', 'alt']) told.push(each.getAttribute(name) ?? '');
  }
  return told.filter(Boolean);
})()
"""
# A name that leads to this machine, and is none of a machine to itself: a plain http:// address as of a home network.
NAMED = "--host-resolver-rules=MAP aura.lan 127.0.0.1"
LAUNCHER = "document.querySelector('aura-launcher')?.shadowRoot"
BUTTON = f"{LAUNCHER}.querySelector('.launcher')"
FRAME_HAS_FOCUS = f"{LAUNCHER}.activeElement?.localName === 'iframe'"
WINDOW_IS_OPEN = f"{LAUNCHER}.querySelector('.window:not([hidden])')"
BRAND = """
name = "Nova Desk"
logo = "logo.svg"
[colours]
accent = { light = "#7a1f5c", dark = "#f0a6d8" }
on_accent = { light = "#ffffff", dark = "#2a0a20" }
[words.en]
"door.start" = "Ask us"
"""
LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="60"><rect width="300" height="60"/></svg>'


async def test_no_english_is_left_on_a_german_page(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path) as page:
        await page.open(f"{scripted.url}?room={room}&lang=de")
        await page.until(element("start"), PAGE_S, "the door")
        assert await page.run("document.documentElement.lang") == "de"
        assert english(await page.run(TOLD)) == []
        await page.picture(out / "german-door.png")
        await page.click(find("[data-testid=choice-videoinput] [role=switch]"))
        await page.click(element("start"))
        await agent.met()
        await agent.says("user", "Wo liegt Rom?")
        await agent.says("agent", "In Italien.")
        await agent.decided("noise", "no words were heard", reason="no_words", sound_ms=410)
        await agent.timed(endpointing=350, asr=90, aura=400, tts=200)
        await page.until(captions("agent", "Italien"), PAGE_S, "the answer")
        await agent.tell(**{"aura.sees": "yes", "aura.shown": "camera", "aura.observation": "a cup"})
        await page.until(f"{element('observation')}?.textContent === 'sieht: a cup'", PAGE_S, "what is seen")
        assert await page.run(f"{find('[data-testid=observation] [lang=en]')}.textContent") == "a cup"
        agent.room.local_participant.register_rpc_method("aura.configure", refuse)
        await page.click(element("settings"))
        await page.until(element("speaks-first"), PAGE_S, "the settings")
        await page.click(element("speaks-first"))
        await page.until(
            f"{element('toast')}?.innerText.includes('Diese Stimme gibt es hier nicht.')", PAGE_S, "why not"
        )
        assert english(await page.run(TOLD)) == []
        await page.press("Escape")
        await page.picture(out / "german-call.png")
        assert page.errors == []


async def test_a_phone_can_keep_the_page_as_an_app(scripted: ScriptedPage, tmp_path: Path) -> None:
    async with chromium(tmp_path) as page, aiohttp.ClientSession(scripted.url) as http:
        await page.open(scripted.url)
        await page.until(element("start"), PAGE_S, "the door")
        assert await page.manifest_errors() == []
        async with http.get("/manifest.webmanifest") as sent:
            assert sent.content_type == "application/manifest+json"
            icons = (await sent.json())["icons"]
        drawn = [icon for icon in icons if icon["type"] == "image/png"]
        assert {(icon["sizes"], icon.get("purpose")) for icon in drawn} >= {("192x192", None), ("512x512", "maskable")}
        for icon in drawn:
            async with http.get(icon["src"]) as sent:
                width, height = struct.unpack_from(">II", await sent.read(), 16)
            assert f"{width}x{height}" == icon["sizes"]
        assert not await page.run(f"Boolean({element('phone')})")  # no phone can reach this machine's own address


async def test_the_page_shows_a_phone_the_way(tmp_path: Path, out: Path) -> None:
    async with chromium(tmp_path) as page, page_of(ELSEWHERE, hosts=frozenset({"aura.example.org"})) as url:
        await page.open(url)
        await page.until(element("phone"), PAGE_S, "the offer")
        await page.click(element("phone"))
        await page.until(find("svg.qr path"), PAGE_S, "the code")
        assert await page.run(f"{find('.phone-link .address')}.textContent") == "https://aura.example.org/"
        assert await page.run(f"{find('svg.qr')}.getAttribute('aria-label')") == "QR code of https://aura.example.org/"
        await page.picture(out / "phone-link.png")


async def test_at_an_address_without_https_one_types_and_is_told_why(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    room = a_room()
    async with (
        page_of(scripted.livekit.settings, hosts=frozenset({"aura.lan"})) as url,
        scripted.agent(room, **{"aura.sees": "yes"}) as agent,
        chromium(tmp_path, None, NAMED) as page,
    ):
        await page.open(f"{url.replace('127.0.0.1', 'aura.lan')}?room={room}&camera=1")
        await page.until(element("typing-only"), PAGE_S, "that one can only type")
        assert not await page.run("isSecureContext")
        shown = await page.run("document.body.innerText")
        assert "https://" in shown and "Start typing" in shown and "Speak" not in shown
        assert not await page.run(f"Boolean({find('.choice')} || {find('.link')} || {find('video')})")
        assert not await page.run("[...document.querySelectorAll('.chip')].some(chip => /see/.test(chip.textContent))")
        await take_pictures(page, out, "typing-door")

        await page.click(element("start"))
        await agent.met()
        await page.until(f"{element('state')}?.innerText.includes('Ready for what you type')", PAGE_S, "a call")
        assert not await page.run(f"Boolean({element('toast')})"), "it was said at the door"
        named = "[...document.querySelectorAll('.controls button')].map(button => button.getAttribute('aria-label'))"
        assert not {"Microphone", "Camera"} & set(await page.run(named))
        await write(page, "Where is Rome?")
        async with asyncio.timeout(PAGE_S):
            assert await agent.read.get() == "Where is Rome?"
        await agent.says("agent", "In Italy.")
        await page.until(captions("agent", "Italy"), PAGE_S, "the answer")
        await take_pictures(page, out, "typing-call")
        assert page.errors == []


async def test_the_page_wears_a_brand_before_it_is_drawn(tmp_path: Path, out: Path) -> None:
    (tmp_path / "logo.svg").write_text(LOGO)
    (tmp_path / "brand.toml").write_text(BRAND)
    brand, faults = read_brand_file(tmp_path / "brand.toml")
    assert faults == []
    async with chromium(tmp_path) as page, page_of(ELSEWHERE, brand=brand) as url:
        for screen in (DESK, PHONE):
            await page.look(screen)
            await page.open(url)
            await page.until(f"{find('h1 img')}?.naturalWidth === 300", PAGE_S, "the logo")
            await page.until(element("start"), PAGE_S, "the door")
            await page.picture(out / f"brand-{screen.name}.png")
        assert await page.run(f"{element('start')}.textContent") == "Ask us"
        assert await page.run("document.title") == "Nova Desk"
        assert await page.run(f"getComputedStyle({element('start')}).backgroundColor") == "rgb(122, 31, 92)"
        assert not await page.run("document.body.innerText.includes('AURA')")
        assert await page.manifest_errors() == page.errors == []


async def test_another_page_holds_a_call_and_loses_nothing_when_it_closes_the_window(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    room, host = a_room(), HostPage()
    async with (
        TestServer(host.application()) as others,
        page_of(scripted.livekit.settings, embed=(str(others.make_url("")).rstrip("/"),)) as url,
        scripted.agent(room) as agent,
        chromium(tmp_path, None, *TOGETHER) as page,
    ):
        host.html = f'<h1>Shop</h1><script src="{url}aura.js" data-room="{room}" data-language="de"></script>'
        await page.open(str(others.make_url("/")))
        await page.until(LAUNCHER, PAGE_S, "the button")
        assert await page.run(f"{BUTTON}.textContent") == "Mit AURA sprechen"
        await page.click(BUTTON)
        await page.until(FRAME_HAS_FOCUS, PAGE_S, "the window, which has the focus")
        await frame_until(page, f"Boolean({element('start')})")
        await page.picture(out / "popup.png")
        await page.run("new Promise(done => setTimeout(done, 1500))")  # after which it would have been given up
        assert not await page.run(f"Boolean({LAUNCHER}.querySelector('.window a'))")
        await page.run_in_frame(f"{element('start')}.click()")
        identity = await agent.met()
        await frame_until(page, f"Boolean({element('state')})")
        await page.picture(out / "popup-call.png")
        await page.click(BUTTON)
        await page.until(f"!{WINDOW_IS_OPEN}", PAGE_S, "no window")
        await page.until(f"{BUTTON}.textContent.includes('läuft weiter')", PAGE_S, "that the call goes on")
        assert await page.run(f"{LAUNCHER}.activeElement === {BUTTON}")
        published = agent.room.remote_participants[identity].track_publications
        assert [track.name for track in published.values()]  # the microphone, which the other page has handed on
        assert page.errors == []


async def test_no_other_page_holds_ours_unless_it_is_listed_and_the_window_says_so(tmp_path: Path, out: Path) -> None:
    host = HostPage()
    async with (
        TestServer(host.application()) as others,
        page_of(ELSEWHERE) as url,
        chromium(tmp_path, None, *TOGETHER) as page,
    ):
        host.html = f'<script src="{url}aura.js" data-open="on"></script>'
        await page.open(str(others.make_url("/")))
        await page.until(WINDOW_IS_OPEN, PAGE_S, "the window")
        with pytest.raises(AssertionError, match="the frame was refused"):
            await frame_until(page, f"Boolean({element('start')})")
        link = f"{LAUNCHER}.querySelector('.window a')"
        await page.until(link, PAGE_S, "a way to the page without a frame")
        assert await page.run(f"{link}.href") == f"{url}?lang=en"
        assert "cannot be shown" in await page.run(f"{link}.parentElement.textContent")
        assert not await page.run(f"{LAUNCHER}.querySelector('iframe').checkVisibility()")
        await page.picture(out / "popup-refused.png")
        assert f"AURA_WEB_EMBED={str(others.make_url('')).rstrip('/')}" in str(page.diary)
        await page.click(BUTTON)
        await page.until(f"!{WINDOW_IS_OPEN} && !{LAUNCHER}.querySelector('.window a')", PAGE_S, "no window")


class HostPage:
    """A page of somebody else."""

    def __init__(self) -> None:
        self.html = ""

    def application(self) -> web.Application:
        async def send(_: web.Request) -> web.Response:
            return web.Response(text=f"<!doctype html><body>{self.html}", content_type="text/html")

        app = web.Application()
        app.add_routes([web.get("/", send)])
        return app


@asynccontextmanager
async def page_of(livekit: LiveKitSettings, **others: Any) -> AsyncGenerator[str]:
    """Where the page is served with these settings, with a slash at its end."""
    state, pipeline = PipelineState(), web.Application()
    pipeline.add_routes([web.get("/ready", state.answer), web.get("/about", state.answer_about)])
    async with TestServer(pipeline) as behind:
        settings = WebSettings(str(behind.make_url("")).rstrip("/"), livekit, **others)
        async with TestServer(application(settings, DIST)) as server:
            yield str(server.make_url("/"))


async def frame_until(page: Page, script: str) -> None:
    """Return as soon as a JavaScript expression is true in the frame.

    Raises:
        AssertionError: The frame was refused, or does not come to that.
    """
    async with asyncio.timeout(PAGE_S):
        while not await page.run_in_frame(script):
            await asyncio.sleep(POLL_S)


async def refuse(_: rtc.RpcInvocationData) -> str:
    raise rtc.RpcError(400, "voice: 'bass' is not served; there is: alto")


def english(told: list[str]) -> list[str]:
    """What of it stands in the English table, and not in the German one."""
    tables = json.loads((DIST / "words.json").read_text("utf-8"))
    only = set(tables["en"].values()) - set(tables["de"].values())
    return sorted({text for text in told if text in only})
