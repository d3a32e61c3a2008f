"""A call in a real browser, whose microphone is a recording."""

import json
from pathlib import Path

import numpy as np
import pytest

from infra.bench.base.speech import PersonVoice, silence, write_wav
from infra.bench.person.person import ANSWER_S, READY_S
from tests.e2e.chromium import DESK, PHONE, Page, chromium, element, find
from tests.e2e.loudspeaker import Loudspeaker
from tests.e2e.screens import SETTLED, take_pictures
from tests.e2e.stack import Stack

pytestmark = pytest.mark.anyio

PAGE_S = 30.0  # for what happens inside the page
MICROPHONE = "[aria-label=Microphone]"
COVERED_CONTROLS = """
[...document.querySelectorAll('.dock button, .dock input, .dock select')].filter(control => {
  const {left, top, width, height} = control.getBoundingClientRect();
  return !control.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}).map(control => control.getAttribute('aria-label'))
"""
STAGES_MS = """
[...document.querySelectorAll('[data-testid=stages] > div')].reduce((sum, stage) => sum + Number(stage.dataset.ms), 0)
"""
DOWNLOADED = """
new Promise(done => {
  const make = URL.createObjectURL;
  URL.createObjectURL = file => { URL.createObjectURL = make; file.text().then(done); return make.call(URL, file); };
  document.querySelector('[data-testid=download]').click();
})
"""
OTHER_MICROPHONE = """
(picker => {
  picker.value = [...picker.options].map(option => option.value).findLast(value => value !== picker.value);
  picker.dispatchEvent(new Event('change', {bubbles: true}));
})(document.querySelector('[data-testid=device-audioinput]'))
"""


async def test_a_browser_asks_aloud_hears_the_answer_shows_both_sides_and_interrupts(
    stack: Stack, voice: PersonVoice, tmp_path: Path, out: Path
) -> None:
    question = np.concatenate([silence(0.5), voice.say("What is the capital of France?")])
    async with chromium(tmp_path, write_wav(tmp_path / "microphone.wav", question), still=True) as page:
        loudspeaker = Loudspeaker(page)
        await page.open(f"{stack.running.url}?camera=1")
        await page.until(f"{find('video')}?.readyState > 2", PAGE_S, "a start screen with the camera's picture")
        await take_pictures(page, out, "start")
        await page.click(find(f"[role=switch]{MICROPHONE}"))  # it is to speak later
        await page.click(element("start"))
        await loudspeaker.listen(READY_S)
        await page.until(captions("agent", "Aura"), READY_S, "the greeting")
        await page.until(f"{element('self-view')}?.dataset.sees === 'true'", READY_S, "that the picture is seen")
        await loudspeaker.is_quiet(READY_S)
        assert await page.run(f"{element('latency')}.textContent") == ""  # nobody has waited for the greeting

        asked = await loudspeaker.now_ms()
        await page.click(find(f".controls {MICROPHONE}"))
        await page.until(captions("user", "France", final="true"), ANSWER_S, "the question")
        await page.until(captions("agent", "Paris"), ANSWER_S, "the answer")
        await loudspeaker.plays(PAGE_S, since_ms=asked)
        await take_pictures(page, out, "answer")
        await details_leave_the_controls_within_reach(page, out)
        waited_ms = await page.run(f"Number({element('latency')}.dataset.ms)")
        assert waited_ms > 0
        assert await page.run(STAGES_MS) == waited_ms
        saved = json.loads(await page.run(DOWNLOADED))
        assert [sum(wait["waited_ms"].values()) for wait in saved["timings"]] == [waited_ms]
        turns = {each["reason"] for each in saved["decisions"] if each["what"] == "turn"}
        assert turns and turns <= {"words", "timeout"}, "the words, or that they came too late on a busy machine"
        assert any("France" in line["text"] for line in saved["transcript"]["lines"])
        assert "France" not in json.dumps(saved["decisions"] + saved["timings"])

        counting = await loudspeaker.now_ms()
        await write(page, "Please count to forty.")
        await page.until(f"{loudspeaker.loud_ms(counting)} > 2000", ANSWER_S, "two seconds of the count")
        await page.click(element("devices"))
        await page.until(f"{element('device-audioinput')}?.options.length > 2", PAGE_S, "a choice of microphones")
        await page.run(OTHER_MICROPHONE)  # its recording begins again
        await page.click(element("devices"))
        await page.until(captions("agent", "", mark="interrupted"), ANSWER_S, "the count is broken off")
        interrupted = await loudspeaker.now_ms()
        await loudspeaker.plays(ANSWER_S, since_ms=interrupted)
        await page.until(f"{captions('agent', 'Paris')} > 1", ANSWER_S, "the answer once more")
        await take_pictures(page, out, "interrupted")

        await page.click(element("leave"))
        await page.until(element("after"), PAGE_S, "what remains of the call")
        assert await page.run("document.activeElement.tagName") == "H1"
        assert int(await page.run(f"{element('after-turns')}.textContent")) >= 2
        await page.click(element("back"))
        await page.until(element("start"), PAGE_S, "the door")
        assert page.errors == []


async def details_leave_the_controls_within_reach(page: Page, out: Path) -> None:
    await take_pictures(page, out, "details", phone_details=True)
    for screen in (PHONE, DESK):
        await page.look(screen)
        await page.run(SETTLED)
        assert await page.run(f"{find('#details')}.getBoundingClientRect().height > 0")
        assert await page.run(COVERED_CONTROLS) == []


def captions(side: str, words: str, **data: str) -> str:
    """JavaScript: how many captions of that side have these words, and these data attributes."""
    having = "".join(f'[data-{name}="{value}"]' for name, value in data.items())
    selector = f"[data-testid=caption-{side}]{having}"
    return f"[...document.querySelectorAll('{selector}')].filter(said => said.textContent.includes('{words}')).length"


async def write(page: Page, text: str) -> None:
    """Type a message, and send it."""
    await page.click(element("chat-input"))
    await page.type(text)
    await page.until(f"{element('chat-send')}.ariaDisabled === 'false'", PAGE_S, "a message that can be sent")
    await page.click(element("chat-send"))
