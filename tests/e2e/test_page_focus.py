"""The keyboard's place on the page: whatever takes itself away when it is used hands the focus on."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.chromium import SMALL_PHONE, Page, chromium, element, find
from tests.e2e.door import SEES, door_server
from tests.e2e.page_states import DENIED, PAGE_S, TOKEN
from tests.e2e.scripted_agent import ScriptedPage
from tests.e2e.test_page import captions

pytestmark = pytest.mark.anyio

FOCUSED = "document.activeElement"
# All lines are busy, and may be asked for again in a second; counted.
BUSY = f"""window.asked = 0; {TOKEN}(async () => {{
  window.asked += 1;
  await new Promise(done => setTimeout(done, 100));
  return new Response(JSON.stringify({{error: {{code: 'full', message: 'Full.', retry_after_s: 1}}}}), {{status: 503}});
}})"""
TOAST = find("[data-testid=toast] button")
# As the keyboard does: what has the focus is pressed.
PRESS = "(element => { element.focus(); element.click(); return true; })"
SOUND_BLOCKED = """
HTMLMediaElement.prototype.play = () => Promise.reject(new DOMException('no gesture yet', 'NotAllowedError'));
"""
PASSWORD = f"""{TOKEN}(async () => new Response(
  JSON.stringify({{error: {{code: 'password', message: 'Say it.'}}}}), {{status: 401}}))"""


async def use(page: Page, place: str, gone: str, went: list[str]) -> None:
    """Press what is there, and note where the focus is when it has gone."""
    await page.until(place, PAGE_S, place)
    await page.run(f"{PRESS}({place})")
    await page.until(gone, PAGE_S, f"{gone}, after {place}")
    at = f"{FOCUSED} === document.body ? 'NOWHERE' : {FOCUSED}.dataset.testid ?? {FOCUSED}.className"
    went.append(await page.run(f"new Promise(done => requestAnimationFrame(() => setTimeout(() => done({at}))))"))


async def test_no_control_of_the_door_takes_the_focus_along(tmp_path: Path) -> None:
    went: list[str] = []
    async with door_server(**SEES) as door, chromium(tmp_path) as page:
        await page.be_the_one_that_is_used()
        await page.open(door.url)
        await page.until(element("chip"), PAGE_S, "the door")
        test = find(".door-card .link")
        await use(page, test, find(".mic-test"), went)
        await use(page, test, f"!{find('.mic-test')}", went)
        await use(page, element("settings"), element("sheet-close"), went)
        await use(page, element("sheet-close"), f"!{element('sheet-close')}", went)
        await page.run(f"{DENIED}; true")
        await use(page, test, element("blocked"), went)
        assert went[:2] == ["link", "link"] and went[3] == "settings"
        assert "NOWHERE" not in went
        assert page.errors == []


async def test_who_waits_for_a_free_line_keeps_their_place_outside_of_the_card(tmp_path: Path) -> None:
    async with door_server(**SEES) as door, chromium(tmp_path) as page:
        await page.be_the_one_that_is_used()
        await page.open(door.url)
        await page.until(element("start"), PAGE_S, "the door")
        await page.run(f"{BUSY}; true")
        await page.run(f"{PRESS}({element('start')})")
        await page.until(element("busy"), PAGE_S, "that all lines are busy")
        assert await page.run(f"'arrival' in {FOCUSED}.dataset"), "the heading of the card, whose button has gone"
        await page.run(f"{element('door-language')}.focus(); true")
        await page.until(f"window.asked >= 3 && {element('busy')}", PAGE_S, "that it is tried again")
        assert await page.run(f"{FOCUSED}.dataset.testid") == "door-language"
        assert page.errors == []


async def test_the_card_that_asks_for_a_password_takes_the_focus(tmp_path: Path) -> None:
    async with door_server(**SEES) as door, chromium(tmp_path) as page:
        await page.be_the_one_that_is_used()
        await page.open(door.url)
        await page.until(element("start"), PAGE_S, "the door")
        await page.run(f"{PASSWORD}; true")
        await page.run(f"{PRESS}({element('start')})")
        await page.until(element("access"), PAGE_S, "that a password is asked for")
        await page.until(f"{FOCUSED}.textContent === 'What is the password?'", 2.0, "that its heading has the focus")


async def test_no_control_of_a_call_takes_the_focus_along(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    went: dict[str, list[str]] = {}
    async with scripted.agent(room) as agent, chromium(tmp_path) as page:
        await page.be_the_one_that_is_used()
        await page.open(f"{scripted.url}?room={room}&camera=0")
        await page.until(element("start"), PAGE_S, "the door")
        await page.run(f"{DENIED}; true")
        await use(page, element("start"), f"{element('state')} && {TOAST}", went.setdefault("start", []))
        await agent.met()
        await use(page, TOAST, f"!{TOAST}", went.setdefault("toast", []))
        await use(page, element("details"), f"{find('[data-details=true]')}", went.setdefault("details", []))
        await use(page, find(".details header button"), find("[data-details=false]"), went.setdefault("shut", []))
        await use(page, element("chip"), f"!{element('chip')}", went.setdefault("chip", []))
        await page.run(f"{element('chat-input')}.focus(); true")
        await page.type("Hello")
        sent = f"{element('chat-input')}.value === ''"
        await use(page, element("chat-send"), sent, went.setdefault("send", []))
        for number in range(20):
            await agent.says("agent", f"Line {number}.")
        await page.until(captions("agent", "Line 19"), PAGE_S, "many lines")
        await page.look(SMALL_PHONE)
        up = f"({find('.script')}.scrollTo(0, 0), {find('.to-end')})"
        await page.until(up, PAGE_S, "a way to the end, once the page has taken its new size")
        await use(page, find(".to-end"), f"!{find('.to-end')}", went.setdefault("newest", []))
        await page.press("Escape")
        await use(page, find(".leave-dialog .secondary"), f"!{find('.leave-dialog')}.open", went.setdefault("stay", []))
        await use(page, element("leave"), f"{element('after')} && {element('thumb-up')}", went.setdefault("leave", []))
        await use(page, element("forget"), f"!{find('.after-said')}", went.setdefault("forget", []))
        await use(page, element("thumb-up"), find(".after-rating form"), went.setdefault("thumb", []))
        await page.run(f"{find('.after-rating textarea')}.focus(); true")
        await page.type("Fine.")
        await use(page, find(".after-rating form button"), f"!{find('.after-rating form')}", went.setdefault("why", []))
        await use(page, element("back"), element("start"), went.setdefault("back", []))
        assert page.errors == []
    assert {name: place for name, (place,) in went.items() if place == "NOWHERE"} == {}
    assert went["shut"] == ["details"] and went["chip"] == ["script"] and went["send"] == ["chat-send"]
