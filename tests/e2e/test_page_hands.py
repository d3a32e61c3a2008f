"""The page in the hands of somebody new: with a finger, with two cameras, in a browser that keeps nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.chromium import PHONE, SMALL_PHONE, TWO_CAMERAS, Page, chromium, element, find
from tests.e2e.screens import SETTLED
from tests.e2e.scripted_agent import ScriptedAgent, ScriptedPage
from tests.e2e.test_page import PAGE_S, captions

pytestmark = pytest.mark.anyio

# Unless cameras tell which way they look, a browser takes any for that: the one that it takes else.
ASKED_BY_NAME_ALONE = """
(told => {
  const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = asked => {
    if (!told && asked.video) delete asked.video.facingMode;
    return open(asked);
  };
})
"""
HOLDS = "localStorage.setItem('aura.settings', JSON.stringify({holdToTalk: true}))"
OPEN = f"{element('hold')}?.dataset.open === 'true'"
SHUT = f"{element('hold')}?.dataset.open === 'false'"
CAMERA = f"{find('[data-testid=self-view] video')}?.srcObject?.getVideoTracks()[0]?.getSettings().deviceId"


async def in_call(page: Page, scripted: ScriptedPage, agent: ScriptedAgent, room: str, **wishes: str) -> str:
    """Join, and return the identity of the person."""
    asked = "&".join(f"{name}={value}" for name, value in {"camera": "0", **wishes}.items())
    await page.open(f"{scripted.url}?room={room}&autostart=1&{asked}")
    identity = await agent.met()
    await page.until(f"{element('state')}?.dataset.state === 'listening'", PAGE_S, "a call")
    return identity


async def test_a_finger_on_the_button_opens_the_microphone_wherever_it_slides_until_it_is_lifted(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path) as page:
        await page.look(PHONE)
        await page.open(scripted.url)
        await page.until(element("start"), PAGE_S, "the door")
        await page.run(HOLDS)
        await in_call(page, scripted, agent, room)
        await page.until(SHUT, PAGE_S, "a microphone that waits to be held")
        await page.touch(element("hold"))
        await page.until(OPEN, PAGE_S, "an open microphone")
        await page.picture(out / "hold-by-finger.png")
        await page.slide(0, -300)
        assert await page.run(OPEN), "the finger has only slid off the button"
        await page.lift()
        await page.until(SHUT, PAGE_S, "a closed microphone")
        await page.touch(element("hold"))
        await page.until(OPEN, PAGE_S, "an open microphone again")
        await page.lift(cancelled=True)
        await page.until(SHUT, PAGE_S, "that the system has taken the finger for itself")
        assert await page.run("String(getSelection())") == ""
        assert page.errors == []


@pytest.mark.parametrize("told", ["true", "false"], ids=["told", "untold"])
async def test_the_other_camera_is_another_one_though_no_camera_says_which_way_it_looks(
    told: str, scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path, None, TWO_CAMERAS) as page:
        await page.look(PHONE)
        await page.first_run(f"{ASKED_BY_NAME_ALONE}({told});")
        await in_call(page, scripted, agent, room, camera="1")
        await page.until(CAMERA, PAGE_S, "a picture of one's own")
        await page.until(element("flip"), PAGE_S, "a camera that can be turned")
        first = await page.run(CAMERA)
        await page.click(element("flip"))
        await page.until(f"{CAMERA} !== '{first}'", PAGE_S, "the other camera")
        await page.until(f"{element('self-view')}.dataset.facing === 'environment'", PAGE_S, "which way it looks")
        await page.click(element("flip"))
        await page.until(f"{CAMERA} === '{first}'", PAGE_S, "the first one again")
        await page.until(f"{element('self-view')}.dataset.facing === 'user'", PAGE_S, "which way that looks")
        assert page.errors == []


async def test_who_forbids_pages_to_keep_anything_talks_sets_and_leaves_as_all_others_do(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path, keeps_nothing=True) as page:
        await page.look(SMALL_PHONE)
        await in_call(page, scripted, agent, room)
        await agent.says("agent", "In Italy.")
        await page.until(captions("agent", "In Italy."), PAGE_S, "a line")
        await page.click(element("settings"))
        await page.until(find("dialog[open] [data-testid=theme]"), PAGE_S, "the settings")
        await page.run(f"{find('[data-testid=caption-size] [value=large]')}.click()")
        await page.until("document.documentElement.dataset.captions === 'large'", PAGE_S, "larger words")
        await page.run(f"{find('[data-testid=page-language] [value=de]')}.click()")
        await page.until("document.documentElement.lang === 'de'", PAGE_S, "German")
        await page.run(SETTLED)
        await page.picture(out / "settings-keeps-nothing.png")
        await page.press("Escape")
        await page.click(element("leave"))
        await page.until(f"{element('after')} && {element('continue')}", PAGE_S, "what remains of the call")
        await page.run(SETTLED)
        await page.picture(out / "after-keeps-nothing.png")
        await page.click(element("continue"))
        await page.until(f"{element('state')}?.dataset.state === 'listening'", PAGE_S, "the call again")
        assert page.errors == []
