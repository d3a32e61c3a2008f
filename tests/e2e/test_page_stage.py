"""The stage of a call in a real browser: what sun and reflection show, how the screen is laid out, and what that costs.

The agent is scripted, so nothing here waits for a model; the microphone is a recording of a tone that comes and goes.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from infra.bench.base.speech import RATE, Sound, silence, write_wav
from tests.e2e.chromium import DESK, PHONE, ZOOMED, Page, Screen, chromium, element, find
from tests.e2e.screens import SETTLED
from tests.e2e.scripted_agent import ScriptedAgent, ScriptedPage
from tests.e2e.test_page import PAGE_S, captions

pytestmark = pytest.mark.anyio

SMALL = Screen("small", 320, 568, phone=True)
SIDEWAYS = Screen("sideways", 844, 390, phone=True)
MICROPHONE = find(".controls [aria-label=Microphone]")
SCRIPT = [
    ("agent", "Hello, I am Aura. What can I do for you?"),
    ("user", "How do I get to Paris?"),
    ("agent", "From where?"),
    ("user", "From London, tomorrow morning, if I may."),
    ("agent", "Then take the train from St Pancras: it is the fastest, and you will be there before lunch."),
]
IDLE_S = 5.0
PAINTS = """(() => {
  const canvas = document.body.appendChild(document.createElement("canvas"));
  [canvas.width, canvas.height] = [innerWidth / 4, innerHeight / 4];
  const brush = canvas.getContext("2d");
  const paint = (now) => {
    const colours = brush.createRadialGradient(200, 200, 20, 200, 200, 200 + (now % 1000));
    colours.addColorStop(0, "gold");
    colours.addColorStop(1, "navy");
    brush.fillStyle = colours;
    brush.fillRect(0, 0, canvas.width, canvas.height);
    requestAnimationFrame(paint);
  };
  requestAnimationFrame(paint);
})()"""
# Of a line of words, its boxes; each that is wholly within the window and within the script's own box counts as seen.
SEEN = """
(() => {
  const box = document.querySelector('.script').getBoundingClientRect();
  const [top, bottom] = [Math.max(0, box.top), Math.min(innerHeight, box.bottom)];
  const words = [...document.querySelectorAll('.said')].flatMap(said => {
    const range = document.createRange();
    range.selectNodeContents(said);
    return [...range.getClientRects()];
  });
  return words.filter(line => line.height > 0 && line.top >= top - 1 && line.bottom <= bottom + 1).length;
})()
"""
# The middle of the newest line of words has something before it.
COVERED = """
(() => {
  const said = [...document.querySelectorAll('.said')].at(-1);
  const range = document.createRange();
  range.selectNodeContents(said);
  const {left, top, width, height} = [...range.getClientRects()].at(-1);
  return !said.contains(document.elementFromPoint(left + width / 2, top + height / 2));
})()
"""
BOX = "(({{left, top, right, bottom}}) => [left, top, right, bottom])({}.getBoundingClientRect())"
WATCH_VOICE = """
window.most = 0;
new MutationObserver(([{target}]) => {
  window.most = Math.max(window.most, Number(target.style.getPropertyValue('--level')));
}).observe(document.querySelector('.sun-voice'), {attributes: true});
"""
WATCH_GLIDE = """
window.glided = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (...asked) {
  window.glided.push(this.className);
  return animate.apply(this, asked);
};
"""


async def test_each_state_of_the_agent_has_a_pose_and_a_title_of_its_own_and_is_announced(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path, quiet(tmp_path)) as page:
        await in_call(page, scripted, agent, room)
        titles = {"thinking": "Thinking · AURA", "speaking": "Speaking · AURA", "silent": "Stayed silent · AURA"}
        rises = {"listening": await rise(page)}
        for state, title in titles.items():
            await agent.tell(**{"aura.state": state})
            await page.until(f"{find('.sky')}.dataset.state === '{state}'", PAGE_S, f"the pose of {state}")
            await page.until(f"document.title === '{title}'", PAGE_S, title)
            heard = "" if state == "speaking" else title.removesuffix(" · AURA")
            await page.until(f"{announced()}.startsWith('{heard}')", PAGE_S, f"that {state} is announced")
            rises[state] = await rise(page)
        await agent.tell(**{"aura.state": "listening"})
        await page.until("document.title === '● AURA'", PAGE_S, "an open microphone in the title")
        assert len(set(rises.values())) == len(rises)
        assert rises["silent"] < rises["listening"] < rises["thinking"]
        assert page.errors == []


async def test_the_sun_follows_the_voice_and_glints_at_each_picture_that_is_taken(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path, quiet(tmp_path)) as page:
        await in_call(page, scripted, agent, room)
        await agent.tell(**{"aura.state": "speaking"})
        await page.run(WATCH_VOICE)
        await agent.sounds(tone(1.5))
        await page.until("window.most > 0.5", PAGE_S, "a sun that grows with the voice")
        await page.until(f"{level('.sun-voice')} === 0", PAGE_S, "a sun that has shrunk again")

        await agent.tell(**{"aura.state": "watching", "aura.sees": "yes", "aura.shown": "camera"})
        await page.until(f"{find('.sky')}.dataset.motion === 'glint'", PAGE_S, "a watching sun")
        glinted = f"{find('.glint')}.getAnimations().length"
        assert await page.run(glinted) == 0
        await agent.room.local_participant.publish_data(b"1", reliable=True, topic="aura.frame")
        await page.until(f"{glinted} > 0", PAGE_S, "a glint")
        assert page.errors == []


async def test_who_speaks_is_heard_and_who_is_muted_is_told_so(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    speech = np.concatenate([silence(1.0), *([tone(2.0), silence(2.0)] * 12)])
    async with scripted.agent(room) as agent, chromium(tmp_path, write_wav(tmp_path / "speech.wav", speech)) as page:
        await in_call(page, scripted, agent, room)
        await page.until(says("Hearing you"), PAGE_S, "that the person is heard")
        assert await page.run(f"{element('hint')}.textContent") == ""
        assert await page.run(f"{element('state')}.dataset.of") == "person"
        await page.until(f"{level('.ripples')} > 0.3", PAGE_S, "a reflection that follows them")
        await page.until(says("Listening"), PAGE_S, "that they have stopped")

        await page.click(MICROPHONE)
        await page.until(says("You are muted"), PAGE_S, "that somebody speaks into a microphone that is off")
        await page.until(f"{announced()}.includes('You are muted')", PAGE_S, "that it is announced")
        assert await page.run(f"{find('.water')}.dataset.person") == "muted"
        await page.until(says("Microphone off"), PAGE_S, "that the microphone is off")
        await page.click(MICROPHONE)
        await page.until(says("Hearing you"), PAGE_S, "that the person is heard again")
        assert page.errors == []


async def test_the_words_stand_at_the_bottom_and_can_be_read_on_every_screen(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path, quiet(tmp_path)) as page:
        await in_call(page, scripted, agent, room)
        assert await page.run(find("#details") + ".getBoundingClientRect().height") == 0, "details are shut at first"
        await tell(page, agent, SCRIPT[:2])
        assert await share_of_stage(page) == pytest.approx(0.46, abs=0.01)
        await tell(page, agent, SCRIPT[2:])
        assert await share_of_stage(page) == pytest.approx(0.28, abs=0.01)
        sizes = "[...document.querySelectorAll('.said')].map(said => getComputedStyle(said).fontSize)"
        assert await page.run(sizes) == ["20px"] * 4 + ["27px"]

        for screen in (DESK, PHONE, SMALL, SIDEWAYS, ZOOMED):
            await page.look(screen)
            await page.run(SETTLED)
            least = 3 if screen is ZOOMED else 4
            await page.until(f"{SEEN} >= {least}", PAGE_S, f"{least} lines of words, {screen.name}")
            await page.picture(out / f"stage-{screen.name}.png")
            assert await page.run("document.scrollingElement.scrollWidth <= innerWidth"), screen
            assert not await page.run(COVERED), screen
        assert page.errors == []


async def test_the_stage_grows_back_and_the_newest_line_stays_in_view_through_every_window(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path, quiet(tmp_path)) as page:
        await in_call(page, scripted, agent, room)
        await page.look(PHONE)
        await tell(page, agent, SCRIPT[:1])
        await page.until(element("chip"), PAGE_S, "what can be asked")
        assert await share_of_stage(page) == pytest.approx(0.46, abs=0.01), (
            "what is offered to ask takes nothing from it"
        )
        await page.picture(out / "stage-chips-phone.png")
        await tell(page, agent, [*SCRIPT[1:2], SCRIPT[4]])
        await page.look(SMALL)
        await page.until(f"{find('.call')}.dataset.script === 'long'", PAGE_S, "a small stage")
        await page.look(DESK)
        await page.until(f"{find('.call')}.dataset.script === 'short'", PAGE_S, "a stage that has grown back")
        assert await share_of_stage(page) == pytest.approx(0.46, abs=0.01)

        await tell(page, agent, [("user", f"{text} {number}") for number in range(4) for _, text in SCRIPT])
        for screen in (PHONE, SMALL, ZOOMED, DESK):
            await page.look(screen)
            await page.run(SETTLED)
        await tell(page, agent, [("agent", "It leaves at nine.")])
        await page.run(SETTLED)
        assert await page.run(f"{find('.to-end')} === null")
        assert not await page.run(COVERED)
        await page.run(f"{find('.script')}.scrollTop -= 300")
        await page.until(find(".to-end"), PAGE_S, "a way to the newest line")
        await tell(page, agent, [("agent", "From platform two.")])
        assert await page.run(f"{find('.to-end')} !== null"), "who reads back is left where they are"
        await page.click(find(".to-end"))
        await page.until(f"!{find('.to-end')} && !{COVERED.strip()}", PAGE_S, "the newest line")
        assert page.errors == []


@pytest.mark.parametrize("screen", [PHONE, SMALL], ids=lambda screen: screen.name)
async def test_the_camera_of_a_phone_lies_behind_the_top_bar_and_the_whole_stage(
    screen: Screen, scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    room = a_room()
    async with scripted.agent(room, **{"aura.sees": "yes"}) as agent, chromium(tmp_path, quiet(tmp_path)) as page:
        await page.look(screen)
        await page.open(f"{scripted.url}?room={room}&autostart=1&camera=1")
        await agent.met()
        await page.until(f"{find('.self video')}?.readyState > 2", PAGE_S, "the camera's picture")
        await tell(page, agent, SCRIPT)
        await page.run(SETTLED)
        await page.picture(out / f"stage-camera-{screen.name}.png")
        left, top, right, bottom = await page.run(BOX.format(find(".self video")))
        assert (left, top, right) == (0, 0, screen.width)
        assert bottom == pytest.approx((await page.run(BOX.format(find(".stage"))))[3], abs=1)
        x, y, *_ = await page.run(BOX.format(find("[aria-controls=details]")))
        assert await page.run(f"document.elementFromPoint({x + 9}, {y + 9})?.closest('.top') !== null")
        assert not await page.run(COVERED)
        assert page.errors == []


async def test_where_less_motion_is_wished_for_nothing_moves(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path, quiet(tmp_path)) as page:
        await page.prefer(reduced_motion="reduce")
        await in_call(page, scripted, agent, room)
        for state in ("listening", "thinking", "speaking", "watching"):
            await agent.tell(**{"aura.state": state})
            await page.until(f"{find('.sky')}.dataset.state === '{state}'", PAGE_S, state)
            assert await page.run("document.getAnimations().length") == 0, state
        await agent.sounds(tone(0.5))
        await agent.tell(**{"aura.state": "speaking"})
        await page.until(f"getComputedStyle({find('.sun-voice')}).scale === '1.12'", PAGE_S, "a larger sun, and still")


async def test_the_focus_goes_along_from_screen_to_screen_and_the_sun_glides(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path, quiet(tmp_path)) as page:
        await page.open(f"{scripted.url}?room={room}")
        await page.until(element("start"), PAGE_S, "the door")
        await page.run(WATCH_GLIDE)
        await page.click(element("start"))
        await page.until(element("state"), PAGE_S, "the call")
        await agent.met()
        await page.until("window.glided.length >= 2", PAGE_S, "the sun and the horizon glide")
        assert await page.run("document.activeElement.matches('main.call h1')")
        await page.click(element("leave"))
        await page.until("!document.querySelector('main.call')", PAGE_S, "the call is left")
        await page.until("document.activeElement !== document.body", PAGE_S, "a focus after leaving")
        assert await page.run("document.title") == "AURA"


async def test_an_idle_call_leaves_the_processor_alone(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path, quiet(tmp_path)) as page:
        await in_call(page, scripted, agent, room)
        await agent.sounds(silence(0.2))
        await tell(page, agent, SCRIPT[:1])
        busy = await page.busy(IDLE_S)
        await page.run(PAINTS)
        painting = await page.busy(IDLE_S)
        print(f"main thread in an idle call: {busy:.1%} of a core; with a canvas painted at each frame {painting:.1%}")
        assert busy < painting / 2


def quiet(folder: Path) -> Path:
    """A microphone that hears nothing."""
    return write_wav(folder / "quiet.wav", silence(1.0))


def tone(seconds: float) -> Sound:
    """Something as loud as a voice."""
    at = np.arange(int(RATE * seconds)) / RATE
    return (8_000 * np.sin(2 * np.pi * 220 * at)).astype(np.int16)


async def in_call(page: Page, scripted: ScriptedPage, agent: ScriptedAgent, room: str) -> None:
    await page.open(f"{scripted.url}?room={room}&autostart=1&camera=0")
    await agent.met()
    await page.until(f"{find('.sky')}?.dataset.state === 'listening'", PAGE_S, "a sun that listens")


async def tell(page: Page, agent: ScriptedAgent, lines: list[tuple[str, str]]) -> None:
    for side, text in lines:
        await agent.says("user" if side == "user" else "agent", text)
        await page.until(captions(side, text, final="true"), PAGE_S, text)


async def rise(page: Page) -> float:
    """Which share of the sun is over the line."""
    return float(await page.run(f"Number({find('.sky')}.style.getPropertyValue('--rise'))"))


async def share_of_stage(page: Page) -> float:
    """Of the height of the window."""
    await page.run(SETTLED)
    return float(await page.run(f"{find('.stage')}.getBoundingClientRect().height / innerHeight"))


def level(selector: str) -> str:
    """JavaScript: how loud a voice is drawn."""
    return f"Number({find(selector)}.style.getPropertyValue('--level'))"


def says(title: str) -> str:
    """JavaScript: whether that stands under the sun."""
    return f"{element('state')}.querySelector('h2').textContent === '{title}'"


def announced() -> str:
    """JavaScript: what a screen reader is told last."""
    return f"{element('announced')}.textContent"
