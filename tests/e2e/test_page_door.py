"""The door in a real browser: what it promises, what it offers to ask, and what it says when something is wrong."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from livekit import rtc

from tests.e2e.chromium import DESK, LAPTOP, PHONE, SMALL_PHONE, Page, Screen, chromium, element, find
from tests.e2e.door import BLIND, SEES, door_server, half_dead_proxy
from tests.e2e.page_states import DENIED
from tests.e2e.screens import SETTLED
from tests.e2e.scripted_agent import ScriptedPage

pytestmark = pytest.mark.anyio

PAGE_S = 30.0
GIVES_UP_S = 60.0
# A minute, after which the page gives a connection up, is ten seconds.
SHORT_MINUTE = """
const wait = window.setTimeout;
window.setTimeout = (run, ms, ...given) => wait(run, ms === 60_000 ? 10_000 : ms, ...given);
"""
CHIPS = "[...document.querySelectorAll('[data-testid=chip]')].map(chip => chip.textContent)"
TEXT = "(document.body?.innerText ?? '')"
OVERFLOW = "document.documentElement.scrollHeight - window.innerHeight"
LOADED_THE_CALL = "performance.getEntriesByType('resource').some(({name}) => /parts-.*js$/.test(name))"
# The STUN and TURN servers of all connections.
ASKED_SERVERS = """
window.askedServers = [];
const Connection = RTCPeerConnection;
RTCPeerConnection = class extends Connection {
  constructor(configuration) {
    super(configuration);
    window.askedServers.push(...configuration?.iceServers ?? []);
  }
};
"""
# `answerFor(name, state)` is what the person answers the browser that asks for a device.
ASKED_FOR_MICROPHONES = """
const known = {};
navigator.permissions.query = async ({name}) => known[name] ??= Object.assign(new EventTarget(), {state: 'prompt'});
window.answerFor = (name, state) => Object.assign(known[name], {state}).dispatchEvent(new Event('change'));
"""
UNPLUGGED = """
(video => {
  navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('none', 'NotFoundError'));
  for (const track of video.srcObject.getTracks()) track.dispatchEvent(new Event('ended'));
})
"""
# As the key comes that ends a word which an input method composes, or else.
ENTER = """
((box, isComposing) => box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', isComposing, bubbles: true})))
"""
BREAKS_WHEN_DRAWN = "Intl.DisplayNames = function () { throw new Error('broken on purpose'); };"


def chip(text: str) -> str:
    """JavaScript for the chip with this text."""
    return f"[...document.querySelectorAll('[data-testid=chip]')].find(chip => chip.textContent === '{text}')"


async def take_door_pictures(page: Page, out: Path, name: str, *screens: Screen) -> None:
    for screen in screens or (DESK, PHONE, SMALL_PHONE):
        for dark in (False, True):
            await page.look(screen)
            await page.prefer(color_scheme="dark" if dark else "light")
            await page.run(SETTLED)
            await page.picture(out / f"door-{name}-{screen.name}-{'dark' if dark else 'light'}.png")
    await page.prefer(color_scheme="light")
    await page.look(DESK)


async def test_the_door_promises_what_the_installation_keeps(tmp_path: Path, out: Path) -> None:
    async with door_server(**SEES) as door, chromium(tmp_path) as page:
        await page.open(door.url)
        await page.until(f"{element('privacy')}?.dataset.what === 'runsHere'", PAGE_S, "where it runs")
        assert "Runs on this computer. Nothing you say leaves it." in await page.run(TEXT)
        assert await page.run(CHIPS) == ["Tell me a story", "Practise Spanish with me", "What do you see?"]
        assert "show it something" in await page.run(TEXT)
        await take_door_pictures(page, out, "eyes")

        door.tells(**BLIND, answers_from="llm.example.org")
        await page.open(door.url)
        await page.until(f"{element('privacy')}?.dataset.what === 'answersFrom'", PAGE_S, "who answers")
        assert "Answers come from the server at llm.example.org." in await page.run(TEXT)
        assert await page.run(CHIPS) == ["Tell me a story", "Tell me a joke"]
        assert "show it something" not in await page.run(TEXT)
        await take_door_pictures(page, out, "blind")
        assert page.errors == []


async def test_the_door_follows_a_pipeline_that_starts(tmp_path: Path, out: Path) -> None:
    async with door_server(ready=False) as door, chromium(tmp_path) as page:
        await page.open(door.url)
        await page.until(f"{element('privacy')}?.dataset.what === 'starting'", PAGE_S, "that it is starting")
        await take_door_pictures(page, out, "starting", DESK)
        door.tells(**SEES)
        await page.until(f"{element('privacy')}?.dataset.what === 'runsHere'", PAGE_S, "that it has started")


async def test_a_browser_that_keeps_nothing_shows_the_page(tmp_path: Path) -> None:
    async with door_server() as door, chromium(tmp_path, keeps_nothing=True) as page:
        await page.open(door.url)
        await page.until(element("start"), PAGE_S, "the door")
        await page.until(LOADED_THE_CALL, PAGE_S, "what a call needs")
        blocked = "(() => { try { return !localStorage; } catch { return true; } })()"
        assert await page.run(blocked), "this browser keeps something"
        assert page.errors == []


async def test_nothing_is_kept_that_the_person_did_not_choose(tmp_path: Path) -> None:
    async with door_server() as door, chromium(tmp_path) as page:
        await page.open(door.url)
        await page.until(LOADED_THE_CALL, PAGE_S, "what a call needs")
        await asyncio.sleep(0.5)  # in which it is run
        assert await page.run("Object.keys(localStorage).filter(key => !key.startsWith('aura.'))") == []


async def test_a_page_that_breaks_says_so_in_words(tmp_path: Path, out: Path) -> None:
    async with door_server() as door, chromium(tmp_path) as page:
        await page.first_run(BREAKS_WHEN_DRAWN)
        await page.open(door.url)
        await page.until(element("broken"), PAGE_S, "that it has broken")
        shown = await page.run(TEXT)
        assert "Reload the page" in shown and "on purpose" not in shown
        await page.picture(out / "door-broken-desk-light.png")


async def test_what_only_its_operator_needs_is_folded_away(tmp_path: Path, out: Path) -> None:
    async with door_server() as door, chromium(tmp_path) as page:
        await page.first_run("fetch = () => Promise.reject(new TypeError('Failed to fetch'));")
        await page.open(door.url)
        await page.until(element("start"), PAGE_S, "the door")
        await page.click(element("start"))
        await page.until(element("failed"), PAGE_S, "that the server does not answer")
        assert not {"infra/up", ".log", "POST"}.intersection((await page.run(TEXT)).split())
        await take_door_pictures(page, out, "failed", DESK, SMALL_PHONE)
        await page.click(find(".for-operator summary"))
        await page.until(f"{TEXT}.includes('infra/up')", PAGE_S, "what helps its operator")


async def test_a_mistyped_address_leads_home(tmp_path: Path, out: Path) -> None:
    async with door_server() as door, chromium(tmp_path) as page:
        await page.open(f"{door.url}cal")
        await page.until(f"{TEXT}.includes('nothing at this address')", PAGE_S, "that nothing is there")
        await page.picture(out / "door-404-desk-light.png")
        await page.click(find("a"))
        await page.until(element("start"), PAGE_S, "the door")
        assert page.errors == []


async def test_the_microphone_is_tested_without_scrolling(tmp_path: Path, out: Path) -> None:
    async with door_server() as door, chromium(tmp_path) as page:
        await page.open(f"{door.url}?camera=1")
        await page.until(f"{find('video')}?.readyState > 2", PAGE_S, "the camera's picture")
        await page.until(f"{element('privacy')}?.dataset.what", PAGE_S, "where it runs")
        await page.click(find(".link"))
        await page.until(find(".mic-test"), PAGE_S, "the test")
        for screen in (LAPTOP, PHONE):
            await page.look(screen)
            await page.run(SETTLED)
            await page.picture(out / f"door-test-{screen.name}-light.png")
            assert await page.run(OVERFLOW) <= 0, screen


async def test_a_microphone_that_is_allowed_afterwards_is_blocked_no_longer(tmp_path: Path) -> None:
    async with door_server(**SEES) as door, chromium(tmp_path) as page:
        await page.first_run(ASKED_FOR_MICROPHONES)
        await page.open(door.url)
        await page.until(element("start"), PAGE_S, "the door")
        await page.run(f"{DENIED}; true")
        await page.click(find("button.link"))
        await page.until(element("blocked"), PAGE_S, "that the microphone is refused")
        await page.run("answerFor('microphone', 'denied'); true")
        await page.run("answerFor('microphone', 'granted'); true")
        await page.until(f"!{element('blocked')}", PAGE_S, "that it is allowed")


async def test_a_camera_that_is_unplugged_before_a_call_is_missed(tmp_path: Path) -> None:
    async with door_server(**SEES) as door, chromium(tmp_path) as page:
        await page.open(f"{door.url}?camera=1")
        await page.until(find(".preview[data-live=true]"), PAGE_S, "the picture")
        await page.run(f"{UNPLUGGED}({find('.preview video')}); true")
        await page.until(f"{element('blocked')}?.dataset.refusal === 'missing'", 5.0, "that none is found")
        assert not await page.run(f"!!{find('.preview')}")


async def test_a_language_is_not_taken_while_its_name_is_still_composed(tmp_path: Path) -> None:
    many = ["de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr", "zh"]
    chosen = f"{element('language')}.value"
    async with door_server(**{**SEES, "languages": many}) as door, chromium(tmp_path) as page:
        await page.open(door.url)
        await page.until(element("chip"), PAGE_S, "what can be asked")
        await page.click(element("settings"))
        await page.until(element("find-language"), PAGE_S, "the languages")
        await page.run(f"{element('find-language')}.focus(); true")
        await page.type("日")
        await page.run(f"{ENTER}({element('find-language')}, true)")
        assert await page.run(chosen) == "auto"
        await page.run(f"{ENTER}({element('find-language')}, false)")
        await page.until(f"{chosen} === 'ja'", PAGE_S, "that it is taken")


async def test_the_door_needs_no_scrolling(tmp_path: Path) -> None:
    async with door_server() as door, chromium(tmp_path) as page:
        for screen in (DESK, LAPTOP, PHONE, SMALL_PHONE):
            await page.look(screen)
            await page.open(door.url)
            await page.until(f"{CHIPS}.length === 3", PAGE_S, "the chips")
            await page.run(SETTLED)
            assert await page.run(OVERFLOW) <= 0, screen
            assert await page.run("document.documentElement.scrollWidth <= window.innerWidth"), screen


async def test_a_chip_becomes_the_first_question(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    async with (
        door_server(scripted.livekit.settings) as door,
        scripted.agent(room, **{"aura.sees": "yes"}) as agent,
        chromium(tmp_path) as page,
    ):
        await page.first_run(ASKED_SERVERS)
        await page.open(f"{door.url}?room={room}")
        await page.until(chip("What do you see?"), PAGE_S, "the chip")
        await page.click(chip("What do you see?"))
        async with asyncio.timeout(PAGE_S):
            while await agent.shown.get() != rtc.TrackSource.SOURCE_CAMERA:
                pass
            await agent.says("agent", "Hello!")
            assert agent.read.empty()  # it cannot see yet
            await agent.tell(**{"aura.shown": "camera"})
            assert await agent.read.get() == "What do you see?"
        said = f"{find('[data-testid=caption-user]')}?.textContent.includes('What do you see?')"
        await page.until(said, PAGE_S, "the question among the captions")
        assert agent.read.empty()
        assert await page.run("window.askedServers") == []  # where it is: nobody on the internet
        assert page.errors == []


async def test_a_connection_that_only_half_comes_back_is_given_up(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    async with (
        half_dead_proxy(scripted.livekit.settings) as (proxy, through),
        door_server(through) as door,
        chromium(tmp_path) as page,
    ):
        await page.first_run(SHORT_MINUTE)
        await page.open(f"{door.url}?room={a_room()}&autostart=1&camera=0")
        await page.until(element("state"), PAGE_S, "a call")
        proxy.break_down()
        await page.until(f"{element('banner')}?.dataset.code === 'connection'", PAGE_S, "that the connection is lost")
        await page.until(f"{element('failed')}?.dataset.code === 'ended'", GIVES_UP_S, "that it is given up")
        assert "The connection was lost" in await page.run(TEXT)
        assert proxy.refused > 1
