"""What a person sets on the page, before a call and in it, and the pictures that they show."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from infra.bench.base.speech import PersonVoice, write_wav
from infra.bench.person.person import ANSWER_S, READY_S
from pipeline.media.video_chunk import VideoChunk
from tests.e2e.chromium import DESK, PHONE, TWO_CAMERAS, Page, Screen, chromium, element, find
from tests.e2e.screens import SETTLED, take_pictures
from tests.e2e.seeing import SeeingPage, seeing_page
from tests.e2e.test_page import PAGE_S, captions, write
from tests.room import QUESTION

pytestmark = pytest.mark.anyio

GREETING = "Hello"
PASTE = """
new Promise(done => {
  const canvas = Object.assign(document.createElement('canvas'), {width: 3200, height: 1200});
  const paint = canvas.getContext('2d');
  paint.fillStyle = '#dc1414';
  paint.fillRect(0, 0, 3200, 1200);
  canvas.toBlob(blob => {
    const data = new DataTransfer();
    data.items.add(new File([blob], 'red.png', {type: 'image/png'}));
    document.querySelector('[data-testid=chat-input]').dispatchEvent(
      new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));
    done(blob.size);
  }, 'image/png');
})
"""
ATTACHED = """
(image => image && image.complete && [image.naturalWidth, image.naturalHeight].join('x'))(
  document.querySelector('[data-testid=attached] img'))
"""
FOCUSED = "document.activeElement.dataset.testid"
HOLDS = json.dumps({"holdToTalk": True, "speaksFirst": False})
HEARD = """
performance.getEntriesByType('resource').findLast(({name}) => name.includes('/api/sample'))?.responseStatus
"""
SMALL = Screen("small", 320, 568, phone=True)
OVERFLOW = """
[...document.querySelectorAll('.controls button, .chat input')].filter(control => {
  const {left, right} = control.getBoundingClientRect();
  return left < 0 || right > innerWidth;
}).map(control => control.getAttribute('aria-label'))
"""
REFUSED = """
navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('refused', 'NotAllowedError'));
"""


@pytest.fixture(scope="module")
async def seeing(environ: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[SeeingPage]:
    async with seeing_page(Path(environ["AURA_HOME"]), tmp_path_factory.mktemp("seeing")) as page:
        yield page


@asynccontextmanager
async def sheet(page: Page, then: str = "settings") -> AsyncGenerator[None]:
    """The settings are open for as long as the context lasts; `then` has the focus."""
    await page.click(element("settings"))
    await page.until(find("dialog[open] [data-testid=theme]"), PAGE_S, "the settings")
    await page.run(SETTLED)
    yield
    await page.press("Escape")
    await page.until(f"!{find('dialog[open]')}", PAGE_S, "no settings any more")
    await page.until(f"document.activeElement.dataset.testid === '{then}'", PAGE_S, f"the focus on {then}")


async def pick(page: Page, testid: str, value: str) -> None:
    """Choose in a list, given as JavaScript of its options."""
    await page.run(
        f"(list => {{ list.value = {value}; list.dispatchEvent(new Event('change', {{bubbles: true}})); }})"
        f"({element(testid)})"
    )


async def turn(page: Page, testid: str) -> None:
    await page.run(f"{element(testid)}.scrollIntoView({{block: 'center'}})")
    await page.click(element(testid))


def is_on(testid: str, on: bool = True) -> str:
    return f"{element(testid)}.getAttribute('aria-checked') === '{json.dumps(on)}'"


async def test_what_is_set_at_the_door_holds_in_the_call_and_after_a_reload(
    seeing: SeeingPage, tmp_path: Path, out: Path
) -> None:
    async with chromium(tmp_path, still=True) as page:
        await page.open(seeing.url)
        await page.until(element("settings"), PAGE_S, "the door")
        async with sheet(page):
            await take_pictures(page, out, "settings-door")
            await page.look(SMALL)
            await page.run("document.documentElement.dataset.theme = 'dark'")
            await page.run(SETTLED)
            await page.picture(out / "settings-door-small-dark.png")
            await page.look(DESK)
            for testid in ("speaks-first", "hold-to-talk", "letter-keys"):
                await turn(page, testid)
            await page.run(f"{find('[data-testid=caption-size] [value=large]')}.click()")
        await page.click(find("[data-testid=choice-videoinput] [role=switch]"))
        await page.open(seeing.url)
        await page.until(f"{find('video')}?.readyState > 2", PAGE_S, "the camera, which was kept")
        async with sheet(page):
            assert await page.run(is_on("speaks-first", False)) and await page.run(is_on("hold-to-talk"))
        assert await page.run("document.documentElement.dataset.captions") == "large"

        await page.click(element("start"))
        await page.until(f"{element('state')}?.dataset.state === 'watching'", READY_S, "an agent that sees, and waits")
        await page.until(f"{element('self-view')}?.dataset.taken > 1", READY_S, "that pictures are taken")
        assert await page.run(captions("agent", "")) == 0, "nothing was said first"
        muted = f"{element('hold')}?.dataset.open === 'false'"
        await page.until(muted, PAGE_S, "a microphone that waits to be held")
        await page.press("m")
        assert await page.run(muted)
        await page.press(" ", held=True)
        await page.until(f"{element('hold')}.dataset.open === 'true'", PAGE_S, "an open microphone")
        await take_pictures(page, out, "held")
        await page.release(" ")
        await page.until(muted, PAGE_S, "a closed microphone")

        async with sheet(page, then="hold"):
            assert await page.run(is_on("hold-to-talk"))
        await page.press(" ", held=True)
        await page.until(f"{element('hold')}.dataset.open === 'true'", PAGE_S, "an open microphone behind the settings")
        await page.release(" ")
        await page.until(muted, PAGE_S, "a closed microphone again")
        assert await page.run("!document.querySelector('dialog[open]')")
        assert page.errors == []


async def test_who_holds_to_talk_is_heard_while_they_hold_and_answered_when_they_let_go(
    seeing: SeeingPage, voice: PersonVoice, tmp_path: Path
) -> None:
    babble = np.tile(voice.say("What is this thing that I am holding in my hand right now"), 30)
    async with chromium(tmp_path, write_wav(tmp_path / "microphone.wav", babble), still=True) as page:
        await page.open(seeing.url)
        await page.until(element("settings"), PAGE_S, "the door")
        await page.run(f"localStorage.setItem('aura.settings', '{HOLDS}')")
        await page.open(f"{seeing.url}?autostart=1&camera=0")
        await page.until(f"{element('hold')}?.dataset.open === 'false'", READY_S, "a button to hold")
        await page.until(f"{element('state')}?.dataset.state === 'listening'", READY_S, "an agent that listens")
        await asyncio.sleep(2)
        assert await page.run(captions("user", "")) == 0, "nothing is heard of who holds nothing"
        await page.press(" ", held=True)
        await asyncio.sleep(3)
        await page.release(" ")
        await page.until(captions("user", QUESTION), ANSWER_S, "what was said while it was held")
        await page.until(captions("agent", "A cup."), ANSWER_S, "the answer")
        assert page.errors == []


async def test_settings_act_in_mid_call(seeing: SeeingPage, tmp_path: Path, out: Path) -> None:
    async with chromium(tmp_path, still=True) as page:
        await page.open(f"{seeing.url}?autostart=1&camera=0")
        await page.until(captions("agent", GREETING), READY_S, "the greeting")
        await page.until(f"{element('state')}.dataset.state === 'listening'", READY_S, "the end of the greeting")
        async with sheet(page):
            await page.until(f"{element('voice')}?.options.length === 2", PAGE_S, "the voices")
            await pick(page, "voice", "'alto'")
            await page.until(f"{element('persona')}.dataset.voice === 'alto'", PAGE_S, "another voice")
            await page.until(f"{element('sample')}.ariaDisabled === 'false'", PAGE_S, "that it can be heard")
            await page.click(element("sample"))
            await page.until(f"{captions('agent', GREETING)} === 2", READY_S, "a sample of it")
            loudspeaker = "[...list.options].map(option => option.value).findLast(value => value !== list.value)"
            await pick(page, "device-audiooutput", loudspeaker)
            await page.until(f"{element('agent-audio')}.sinkId", PAGE_S, "another loudspeaker")
            await turn(page, "tone")
            await page.until(f"{element('tone')}.dataset.playing === 'true'", PAGE_S, "a tone")
            await turn(page, "noise-suppression")
            await page.until(is_on("noise-suppression", False), PAGE_S, "no noise suppression")
            await take_pictures(page, out, "settings-call")
            await page.run(f"{find('[data-testid=page-language] [value=de]')}.click()")
            await page.until("document.body.innerText.includes('Einstellungen')", PAGE_S, "German")
            await page.run(f"{find('[data-testid=page-language] [value=en]')}.click()")
            await page.until("!document.body.innerText.includes('Einstellungen')", PAGE_S, "English")
            await turn(page, "text-only")
            await page.until(is_on("text-only"), PAGE_S, "that it only writes")
        await page.until(f"{find('.controls .toggle[data-main]')}.disabled", PAGE_S, "no microphone")
        await write(page, QUESTION)
        await page.until(captions("agent", "A cup."), ANSWER_S, "the answer, in writing")
        kept = json.loads(await page.run("localStorage.getItem('aura.settings')"))
        assert (kept["voice"], kept["textOnly"], kept["noiseSuppression"]) == ("alto", True, False)
        await page.click(element("devices"))
        await page.until(f"{element('device-popover')}.matches(':popover-open')", PAGE_S, "the devices over the dock")
        await take_pictures(page, out, "devices")
        await page.press("Escape")
        assert await page.run(f"!{find('dialog[open]')}"), "Escape has shut what was open, and asks nothing"
        assert page.errors == []


async def test_who_is_chosen_at_the_door_is_heard_there_and_answers_the_call_until_another_one_is_chosen(
    seeing: SeeingPage, tmp_path: Path, out: Path
) -> None:
    async with chromium(tmp_path, still=True) as page:
        await page.open(seeing.url)
        await page.until(element("settings"), PAGE_S, "the door")
        async with sheet(page):
            await page.until(f"{element('persona-choice')}?.options.length === 2", PAGE_S, "two to choose from")
            await pick(page, "persona-choice", "'Nova'")
            await turn(page, "sample")
            await page.until(f"{HEARD} === 200", READY_S, "the sample")
            await page.until(f"{element('sample')}.ariaDisabled === 'false'", READY_S, "the end of it")
            assert await page.run(f"{element('sample-problem')}.textContent") == ""
            await take_pictures(page, out, "settings-persona")
        await page.click(element("start"))
        await page.until(captions("agent", "Nova is here."), READY_S, "Nova's greeting")
        await page.until(f"{element('state')}.dataset.state === 'listening'", READY_S, "the end of the greeting")
        async with sheet(page):
            await page.until(f"{element('persona')}.dataset.name === 'Nova'", PAGE_S, "Nova")
            assert await page.run(f"{element('persona')}.dataset.voice") == "alto"
            await pick(page, "persona-choice", "'Aura'")
            await page.until(f"{element('persona')}.dataset.name === 'Aura'", PAGE_S, "Aura")
            await page.until(f"{element('persona')}.dataset.voice === 'tenor'", PAGE_S, "the pipeline's own voice")
        assert page.errors == []


async def test_what_the_agent_refuses_is_told_in_front_of_the_settings(seeing: SeeingPage, tmp_path: Path) -> None:
    async with chromium(tmp_path, still=True) as page:
        await page.open(f"{seeing.url}?autostart=1&camera=0")
        await page.until(captions("agent", GREETING), READY_S, "the greeting")
        await page.until(f"{element('state')}.dataset.state === 'listening'", READY_S, "the end of the greeting")
        async with sheet(page):
            await page.until(f"{element('sample')}.ariaDisabled === 'false'", PAGE_S, "a voice that can be heard")
            await page.click(element("sample"))
            await page.until(f"{element('sample')}.ariaDisabled === 'false'", PAGE_S, "that it is asked for")
            await page.click(element("sample"))  # it speaks already
            await page.until(element("toast"), PAGE_S, "the refusal")
            middle = "(({left, right, top}) => document.elementFromPoint((left + right) / 2, top + 20))"
            shown = f"{element('toast')}.contains({middle}({element('toast')}.getBoundingClientRect()))"
            assert await page.run(shown), "nothing lies over it"
            await page.click(find("[data-testid=toast] button"))
            await page.until(f"!{element('toast')}", PAGE_S, "that it is gone")
            assert await page.run(f"{find('dialog[open]')} !== null"), "the settings are still open"
        assert page.errors == []


async def test_a_picture_that_is_pasted_is_asked_about(seeing: SeeingPage, tmp_path: Path, out: Path) -> None:
    async with chromium(tmp_path, still=True) as page:
        await page.open(f"{seeing.url}?autostart=1&camera=0")
        await page.until(captions("agent", GREETING), READY_S, "the greeting")
        seeing.eyes.prompts.clear()
        await page.run(PASTE)
        await page.until(f"{ATTACHED} === '1600x600'", PAGE_S, "the picture in the box, made smaller")
        await take_pictures(page, out, "attached")
        await page.click(find("[data-testid=attached] button"))
        await page.until(f"!{element('attached')}", PAGE_S, "no picture any more")
        await page.until(f"{FOCUSED} === 'chat-input'", PAGE_S, "the focus in the box")
        await page.run(PASTE.replace("image/png", "application/pdf"))
        await page.until(element("toast"), PAGE_S, "that it is no picture")
        await page.run(PASTE)
        await page.until(element("attached"), PAGE_S, "the picture again")
        await write(page, QUESTION)
        await page.until(captions("user", QUESTION), PAGE_S, "the question in the script")
        await page.until(captions("agent", "A cup."), ANSWER_S, "the answer")
        await page.until(f"!{element('attached')}", PAGE_S, "an empty box")
        assert any(red(chunk) for chunk in seeing.shown()), "the model has seen it"
        assert page.errors == []


async def test_a_still_of_the_camera_is_shown_with_the_next_question(
    seeing: SeeingPage, tmp_path: Path, out: Path
) -> None:
    async with chromium(tmp_path, None, TWO_CAMERAS, still=True) as page:
        await page.open(f"{seeing.url}?camera=1")
        await page.until(element("start"), PAGE_S, "the door")
        await page.click(element("start"))
        await page.until(f"{element('self-view')}?.dataset.shown === 'camera'", READY_S, "that the camera is seen")
        await page.look(PHONE)
        await page.until(element("flip"), PAGE_S, "a camera that can be turned")
        assert await page.run(f"{element('self-view')}.dataset.facing") == "user"
        await page.click(element("flip"))
        await page.until(f"{element('self-view')}?.dataset.facing === 'environment'", PAGE_S, "the other camera")
        await take_pictures(page, out, "camera")
        await page.look(SMALL)
        await page.run(SETTLED)
        assert await page.run(OVERFLOW) == []
        await page.picture(out / "camera-small.png")
        await page.look(DESK)
        await page.until(f"!{element('flip')}", PAGE_S, "that at a desk one chooses a camera by its name")
        await page.click(element("still"))
        await page.until(captions("user", "You showed a picture"), PAGE_S, "the picture in the script")
        await write(page, QUESTION)
        await page.until(captions("agent", "A cup."), ANSWER_S, "the answer")
        assert page.errors == []


async def test_a_microphone_that_the_browser_refuses_is_said_in_its_place(
    seeing: SeeingPage, tmp_path: Path, out: Path
) -> None:
    async with chromium(tmp_path, still=True) as page:
        await page.open(seeing.url)
        await page.until(element("start"), PAGE_S, "the door")
        await page.run(REFUSED)
        await page.click(find("button.link"))
        card = element("choice-audioinput")
        await page.until(f"{card}.dataset.blocked === 'true'", PAGE_S, "that the microphone is blocked")
        await page.click(find("[data-testid=blocked] summary"))
        await take_pictures(page, out, "blocked")
        told = await page.run("document.body.innerText")
        assert "Blocked by the browser" in told and "press M" not in told
        assert await page.run(f"!{element('toast')}")


def red(chunk: VideoChunk) -> bool:
    colour = np.asarray(chunk.frames).reshape(-1, 3).mean(axis=0)
    return bool(colour[0] > 180 and colour[1] < 60 and colour[2] < 60)
