"""The page under somebody who is new to it: early, refused, in another language, on the smallest screen."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.chromium import PHONE, SMALL_PHONE, chromium, element, find
from tests.e2e.door import SEES, door_server
from tests.e2e.page_states import DENIED, PAGE_S
from tests.e2e.screens import SETTLED
from tests.e2e.scripted_agent import ScriptedPage
from tests.e2e.test_page import captions
from tests.e2e.test_page_door import CHIPS

pytestmark = pytest.mark.anyio

GREETING = "Hello, I am Aura. What would you like to talk about?"
# Of the newest line, whether all of it is below what fades and above the end of the script.
WHOLE = """
(() => {
  const script = document.querySelector('.script');
  const line = [...script.querySelectorAll('.line')].at(-1).getBoundingClientRect();
  const box = script.getBoundingClientRect();
  const faded = parseFloat(getComputedStyle(script).getPropertyValue('--faded'));
  return line.top >= box.top + faded - 1 && line.bottom <= box.bottom;
})()
"""
# Nothing that waits for three seconds ever comes to its end.
NO_THREE_SECONDS = """
const wait = window.setTimeout;
window.setTimeout = (run, ms, ...given) => ms === 3_000 ? 0 : wait(run, ms, ...given);
"""
TOAST_OVER_BAR = """
(() => {
  const toast = document.querySelector('[data-testid=toast]').getBoundingClientRect();
  return toast.top < document.querySelector('.top').getBoundingClientRect().bottom;
})()
"""
# What the server says of itself comes when the test lets it.
ABOUT_LATER = """
const ask = window.fetch;
window.said = new Promise(say => { window.say = say; });
window.fetch = (url, ...more) =>
  (String(url).endsWith('/api/about') ? said : Promise.resolve()).then(() => ask(url, ...more));
"""
PLACES = f"[{element('start')}, {find('.door-card .link')}].map(e => Math.round(e.getBoundingClientRect().top))"


async def test_the_newest_line_can_be_read_while_questions_are_offered(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path) as page:
        await page.look(SMALL_PHONE)
        await page.open(f"{scripted.url}?room={room}&autostart=1&camera=0")
        await agent.met()
        await agent.says("agent", GREETING)
        await page.until(f"{captions('agent', GREETING)} && {element('chip')}", PAGE_S, "a greeting over the questions")
        for screen in (SMALL_PHONE, PHONE):
            await page.look(screen)
            await page.run(SETTLED)
            await page.picture(out / f"greeting-{screen.name}.png")
            await page.until(WHOLE, PAGE_S, f"all of the newest line on the {screen.name}")
        assert page.errors == []


async def test_who_is_refused_a_microphone_is_not_invited_to_speak(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path) as page:
        await page.look(SMALL_PHONE)
        await page.first_run(f"{NO_THREE_SECONDS}{DENIED};")
        await page.open(f"{scripted.url}?room={room}&autostart=1&camera=0")
        await agent.met()
        await page.until(f"{element('state')}?.innerText.includes('Microphone off')", PAGE_S, "that nobody is heard")
        await page.until(element("toast"), PAGE_S, "why")
        await page.run(SETTLED)
        await page.picture(out / "refused-small-phone.png")
        assert await page.run(TOAST_OVER_BAR) is False
        await agent.tell(**{"aura.state": "speaking"})
        await page.until(f"{element('hint')}.textContent.includes('in writing')", PAGE_S, "how to interrupt")
        assert page.errors == []


async def test_what_is_typed_before_the_agent_is_there_is_sent_when_it_is(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    room = a_room()
    box = f"{element('chat-input')}.value"
    async with chromium(tmp_path) as page:
        await page.look(SMALL_PHONE)
        await page.open(f"{scripted.url}?room={room}&autostart=1&camera=0")
        await page.until(f"{element('state')}?.dataset.state === 'absent'", PAGE_S, "nobody there")
        await page.run(f"{element('chat-input')}.focus(); true")
        await page.type("Where is Rome?")
        await page.press("Enter")
        await page.until(f"!{element('chat-waits')}.hidden", PAGE_S, "that it waits")
        await page.picture(out / "typed-early-small-phone.png")
        assert await page.run(box) == "Where is Rome?"
        await page.open(f"{scripted.url}?room={room}&autostart=1&camera=0")
        await page.until(f"{element('chat-input')} && {box} === 'Where is Rome?'", PAGE_S, "the draft after a reload")
        await page.run(f"{element('chat-input')}.focus(); true")
        await page.press("Enter")
        await page.until(f"!{element('chat-waits')}.hidden", PAGE_S, "that it waits again")
        async with scripted.agent(room) as agent:
            async with asyncio.timeout(PAGE_S):
                assert await agent.read.get() == "Where is Rome?"
            await page.until(f"{box} === ''", PAGE_S, "an empty box")
            assert agent.read.empty()
        assert page.errors == []


async def test_a_call_begins_in_the_language_that_was_chosen_for_the_page(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path) as page:
        await page.open(f"{scripted.url}?room={room}&camera=0")
        await page.until(element("door-language"), PAGE_S, "the door")
        await page.run(f"{element('door-language')}.focus(); true")
        await page.type("Deutsch")
        for key in "De":
            await page.press(key)
        await page.until("document.documentElement.lang === 'de'", PAGE_S, "German")
        await page.picture(out / "door-german-desk.png")
        await page.click(element("start"))
        person = agent.room.remote_participants[await agent.met()]
        assert person.attributes["aura.languages"].split(",")[0] == "de"
        assert page.errors == []


async def test_no_question_changes_and_nothing_moves_when_the_server_has_spoken(tmp_path: Path) -> None:
    async with door_server(ready=False) as door, chromium(tmp_path) as page:
        await page.first_run(ABOUT_LATER)
        for screen in (PHONE, SMALL_PHONE):
            await page.look(screen)
            door.tells(ready=False)
            await page.open(door.url)
            await page.until(find(".door-card .link"), PAGE_S, "the door")
            await page.run(SETTLED)
            before = await page.run(PLACES)
            await page.run("say()")
            await page.until(f"{element('privacy')}?.dataset.what === 'starting'", PAGE_S, "that it is starting")
            await page.until(element("chip"), PAGE_S, "questions")
            offered = await page.run(CHIPS)
            assert await page.run(PLACES) == before, screen
            door.tells(**SEES)
            await page.until(f"{element('privacy')}?.dataset.what === 'runsHere'", PAGE_S, "that it has started")
            assert await page.run(CHIPS) == offered
            await page.run(SETTLED)
            assert await page.run(PLACES) == before, screen
        assert page.errors == []
