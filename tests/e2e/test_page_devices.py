"""What a person tries on the page with a scripted agent: the meter of the microphone, the tone of the loudspeaker, a
picture that is dropped, the details, which stay open, and a microphone that comes late, or back."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from livekit import rtc

from infra.bench.base.speech import silence, write_wav
from tests.e2e.chromium import chromium, element, find
from tests.e2e.scripted_agent import ScriptedPage
from tests.e2e.test_page import PAGE_S
from tests.e2e.test_page_stage import MICROPHONE, tone

pytestmark = pytest.mark.anyio

LEVEL = f"Number({element('level')}?.style.getPropertyValue('--level'))"
METERED = f"{element('level')}?.dataset.heard === 'true' && {LEVEL} > 0.3"
UNMETERED = f"{element('level')}?.dataset.heard === 'false'"
DROP = """
new Promise(done => {
  const canvas = Object.assign(document.createElement('canvas'), {width: 400, height: 300});
  canvas.getContext('2d').fillRect(0, 0, 400, 300);
  canvas.toBlob(blob => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([blob], 'black.png', {type: 'image/png'}));
    const box = document.querySelector('[data-testid=chat-input]');
    for (const kind of ['dragover', 'drop']) {
      box.dispatchEvent(new DragEvent(kind, {dataTransfer, bubbles: true, cancelable: true}));
    }
    done(document.activeElement === box);
  });
})
"""

# Microphones come when somebody has called `allow`; `asked` counts how often one was wanted.
HELD_BACK = """
if (navigator.mediaDevices) {
  const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  const allowed = new Promise(done => { window.allow = done; });
  window.asked = 0;
  navigator.mediaDevices.getUserMedia = async wanted => {
    if (wanted.audio) {
      window.asked++;
      await allowed;
    }
    return open(wanted);
  };
}
"""
# `unplug()` ends the microphone as its removal does; then there is none, until `plugged` is true again.
UNPLUGGED = """
if (navigator.mediaDevices) {
  const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  const tracks = [];
  window.plugged = true;
  window.unplug = () => {
    window.plugged = false;
    for (const track of tracks) {
      track.stop();
      track.dispatchEvent(new Event('ended'));
    }
  };
  navigator.mediaDevices.getUserMedia = async wanted => {
    if (wanted.audio && !window.plugged) throw new DOMException('none', 'NotFoundError');
    const stream = await open(wanted);
    tracks.push(...stream.getAudioTracks());
    return stream;
  };
}
"""
TOAST = element("toast")
BUSY, PRESSED = f"{MICROPHONE}?.ariaBusy === 'true'", f"{MICROPHONE}?.ariaPressed === 'true'"
SETTLED = f"{MICROPHONE}?.ariaBusy === 'false'"


async def test_the_microphone_is_metered_at_the_door_and_in_the_call_and_a_tone_is_played(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    speech = np.concatenate([tone(2.0), silence(1.0)] * 20)
    async with scripted.agent(room) as agent, chromium(tmp_path, write_wav(tmp_path / "speech.wav", speech)) as page:
        await page.open(f"{scripted.url}?room={room}&camera=0")
        await page.until(element("settings"), PAGE_S, "the door")
        await page.click(element("settings"))
        await page.until(element("try-microphone"), PAGE_S, "a way to try the microphone")
        await page.run(f"{element('try-microphone')}.scrollIntoView({{block: 'center'}})")
        await page.click(element("try-microphone"))
        await page.until(METERED, PAGE_S, "a meter that follows the voice")
        await page.until(UNMETERED, PAGE_S, "a pause")
        await page.run(f"{element('tone')}.scrollIntoView({{block: 'center'}})")
        await page.run(f"{element('tone')}.click()")
        await page.until(f"{element('tone')}.dataset.playing === 'true'", PAGE_S, "a tone")
        await page.until(f"{element('tone')}.dataset.playing === 'false'", PAGE_S, "its end")
        await page.press("Escape")
        await page.click(element("start"))
        await agent.met()
        await page.until(element("devices"), PAGE_S, "a call")
        await page.click(element("devices"))
        await page.until(METERED, PAGE_S, "the meter in the call")
        await page.until(UNMETERED, PAGE_S, "a pause in the call")
        assert page.errors == []


async def test_a_picture_can_be_dropped_and_details_that_were_opened_are_open_in_the_next_call(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    async with scripted.agent(room, **{"aura.sees": "yes"}) as agent, chromium(tmp_path) as page:
        address = f"{scripted.url}?room={room}&autostart=1&camera=0"
        await page.open(address)
        await agent.met()
        await page.until(f"{element('state')}?.dataset.state === 'listening'", PAGE_S, "a call")
        await page.run(DROP)
        await page.until(
            f"{find('[data-testid=attached] img')}?.naturalWidth === 400", PAGE_S, "the picture in the box"
        )
        assert await page.run(f"document.activeElement === {element('chat-input')}"), "one asks about it at once"
        assert not await page.run(f"{find('#details')}.checkVisibility()")
        await page.click(find("[aria-controls=details]"))
        await page.until(f"{find('#details')}.checkVisibility()", PAGE_S, "the details")
        await page.open(address)
        await page.until(f"{find('#details')}?.checkVisibility()", PAGE_S, "the details in the next call")
        assert page.errors == []


async def test_a_microphone_that_is_still_coming_cannot_be_turned_and_comes_once(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path) as page:
        await page.first_run(HELD_BACK)
        await page.open(f"{scripted.url}?room={room}&autostart=1&camera=0")
        person = await agent.met()
        await page.until(f"{element('state')}?.dataset.state === 'listening'", PAGE_S, "a call")
        await page.until(BUSY, PAGE_S, "a button that waits")
        await page.click(MICROPHONE)
        assert await page.run(f"{BUSY} && !({PRESSED})")
        await page.run("allow()")
        await page.until(f"{SETTLED} && {PRESSED}", PAGE_S, "an open microphone")
        assert await page.run("asked") == 1
        published = agent.room.remote_participants[person].track_publications.values()
        assert [each.source for each in published] == [rtc.TrackSource.SOURCE_MICROPHONE]
        assert page.errors == []


async def test_who_loses_the_microphone_in_a_call_is_told_and_offered_another_one(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path) as page:
        await page.first_run(UNPLUGGED)
        await page.open(f"{scripted.url}?room={room}&autostart=1&camera=0")
        await agent.met()
        await page.until(f"{SETTLED} && {PRESSED}", PAGE_S, "an open microphone")
        await page.run("unplug()")
        await page.until(f"{TOAST}?.textContent.includes('The microphone has gone')", PAGE_S, "what has happened")
        await page.until(f"{element('device-popover')}.matches(':popover-open')", PAGE_S, "a choice of others")
        await page.until(f"{SETTLED} && !({PRESSED})", PAGE_S, "a closed microphone")
        await page.press("Escape")
        await page.run("plugged = true")
        await page.click(MICROPHONE)
        await page.until(f"{SETTLED} && {PRESSED} && !{TOAST}", PAGE_S, "an open one, and nothing to tell any more")
        assert page.errors == []


@pytest.mark.parametrize("way", ["continue", "again"])
async def test_who_muted_the_microphone_and_goes_on_with_the_call_is_muted_in_it(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path, way: str
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path) as page:
        await page.open(f"{scripted.url}?room={room}&autostart=1&camera=0")
        await agent.met()
        await page.until(f"{SETTLED} && {PRESSED}", PAGE_S, "an open microphone")
        await page.click(MICROPHONE)
        await page.until(f"{SETTLED} && !({PRESSED})", PAGE_S, "a closed one")
        if way == "continue":
            await page.click(element("leave"))
        else:
            await scripted.end(room)
        await page.until(element(way), PAGE_S, "a way back")
        await page.click(element(way))
        await page.until(SETTLED, PAGE_S, "the call, with whatever came into it")
        assert not await page.run(PRESSED)
        assert page.errors == []
