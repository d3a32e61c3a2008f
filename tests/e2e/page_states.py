"""Leads the page through its main states, one after the other, with an agent that is scripted."""

from collections.abc import AsyncGenerator, Mapping

from tests.e2e.chromium import Page, element, find
from tests.e2e.scripted_agent import ScriptedAgent, ScriptedPage

PAGE_S = 30.0
# What the token endpoint answers from now on, in place of the server: it never does, all lines are busy, it refuses.
TOKEN = """
(answer => {
  const real = window.fetch;
  window.fetch = (url, ...more) => String(url).endsWith('/api/token') ? answer() : real(url, ...more);
})
"""
NEVER = f"{TOKEN}(() => new Promise(() => {{}}))"
BUSY = f"""{TOKEN}(async () => new Response(
  JSON.stringify({{error: {{code: 'full', message: 'All places are taken just now.', retry_after_s: 60}}}}),
  {{status: 503}}))"""
REFUSED = f"""{TOKEN}(async () => new Response(
  JSON.stringify({{error: {{code: 'wrong_host', message: 'This server goes by another name.'}}}}), {{status: 421}}))"""
MICROPHONE, CAMERA = ".dock [aria-label=Microphone]", ".dock [aria-label=Camera]"
# The browser gives no microphone; it says that this address can have none.
DENIED = "navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'))"
PLAIN_HTTP = "Object.defineProperty(window, 'isSecureContext', {value: false})"
DETAILS = "[aria-controls=details]"
SAID = (
    ("agent", "Hello, I am Aura. What would you like to talk about?"),
    ("user", "Which rivers run through Rome, and what should I see there?"),
    ("agent", "The **Tiber**, with the Aniene.\nSee:\n- the *Pantheon*\n- the [Forum](https://example.org/forum)"),
    ("user", "And how old is the Pantheon?"),
    ("agent", "About nineteen hundred years. It was built under Hadrian, around the year 126."),
)


async def before_a_call(scripted: ScriptedPage, page: Page, room: str) -> AsyncGenerator[str]:
    """Yield the name of each state that the page is in: `door`, `settings`, `blocked`, `joining`, `busy`, `failed`, and
    `typing`, the door at an address without https."""
    for name, answer, shown in (
        ("door", "true", element("start")),
        ("joining", NEVER, find(".wave")),
        ("busy", BUSY, element("busy")),
        ("failed", REFUSED, element("failed")),
    ):
        await page.open(f"{scripted.url}?room={room}")
        await page.until(element("start"), PAGE_S, "the door")
        await page.run(f"{answer}; true")
        if name != "door":
            await page.click(element("start"))
        await page.until(shown, PAGE_S, name)
        yield name
        if name == "door":
            await _open_settings(page)
            yield "settings"
            await page.run(f"{element('sheet')}.close()")
            await page.run(f"{DENIED}; true")
            await page.click(find("button.link"))
            await page.until(element("blocked"), PAGE_S, "that the microphone is refused")
            await page.run(f"{element('blocked')}.open = true")
            yield "blocked"
    await page.first_run(PLAIN_HTTP)
    await page.open(f"{scripted.url}?room={room}")
    await page.until(element("typing-only"), PAGE_S, "that one can only type")
    yield "typing"


async def in_a_call(scripted: ScriptedPage, page: Page, room: str) -> AsyncGenerator[str]:
    """Yield `listening`, `thinking`, `speaking`, `silent`, `watching`, `muted`, `details`, `sheet`, `devices`,
    `leaving`, `after`, `broken`, `absent`."""
    async with scripted.agent(room) as agent:
        await page.open(f"{scripted.url}?room={room}&autostart=1&camera=0")
        await agent.met()
        await _shows(page, "listening")
        await _says(page, agent, 0)
        yield "listening"
        await _says(page, agent, 1)
        await agent.decided("turn", "somebody spoke", reason="words", **JUDGED)
        await _becomes(page, agent, "thinking")
        yield "thinking"
        await agent.timed(endpointing=420, asr=90, aura=460, tts=310, wire=40, playback=80)
        await _becomes(page, agent, "speaking")
        await _says(page, agent, 2)
        yield "speaking"
        await agent.decided("backchannel", "a sign of listening", reason="backchannel", sound_ms=300, over_agent_ms=300)
        await agent.decided("resumed", "it was no interruption", reason="backchannel")
        await agent.decided("silent", "chose to say nothing", reason="model", waited_ms=700)
        await _becomes(page, agent, "silent")
        yield "silent"
        await page.click(find(CAMERA))
        await page.until(f"{find('.self video')}?.readyState > 2", PAGE_S, "the camera's picture")
        seen = {"aura.sees": "yes", "aura.shown": "camera", "aura.observation": "a wall, a floor"}
        await agent.tell(**seen)
        await _becomes(page, agent, "watching")
        yield "watching"
        await page.click(find(CAMERA))
        await agent.tell(**{"aura.sees": "no", "aura.shown": "", "aura.observation": ""})
        await _becomes(page, agent, "listening")
        await page.until(f"!{find('.self')}", PAGE_S, "no picture")
        await page.click(find(MICROPHONE))
        await page.until(f"!{find(MICROPHONE)}.matches('[aria-pressed=true], [aria-checked=true]')", PAGE_S, "muted")
        yield "muted"
        await _says(page, agent, 3)
        await agent.decided("turn", "somebody spoke", reason="words", **JUDGED)
        await agent.timed(endpointing=390, asr=0, aura=1_300, tts=700, wire=40, playback=80)
        await _says(page, agent, 4)
        await agent.decided("interrupted", "somebody spoke over the answer", reason="words", sound_ms=500)
        await page.until("document.querySelectorAll('.timeline ol > li').length >= 2", PAGE_S, "two turns")
        await page.run(f"{find(f'{DETAILS}[aria-expanded=false]')}?.click()")
        yield "details"
        await page.run(f"{find(f'{DETAILS}[aria-expanded=true]')}?.click()")
        await _open_settings(page)
        yield "sheet"
        await page.run(f"{element('sheet')}.close()")
        await page.click(element("devices"))
        await page.until(element("device-audioinput"), PAGE_S, "the devices")
        yield "devices"
        await page.press("Escape")
        await page.until(f"!{element('device-audioinput')}", PAGE_S, "no devices")
        await page.press("Escape")
        await page.until(f"{find('.leave-dialog')}.open", PAGE_S, "the question whether to leave")
        yield "leaving"
        await page.press("Escape")
        await page.click(element("leave"))
        await page.until(f"{element('after')} && {element('thumb-up')}", PAGE_S, "what remains of the call")
        yield "after"
        await page.click(element("continue"))
        await _shows(page, "listening")
        await scripted.end(room)
        await page.until(f"{element('after')} && {element('failed')}", PAGE_S, "that the call broke off")
        yield "broken"
    async with scripted.agent(room):
        await page.click(element("again"))
        await _shows(page, "listening")
    await _shows(page, "absent")
    yield "absent"


JUDGED: Mapping[str, float | str] = {
    "sound_ms": 1_800,
    "since_pause_ms": 420,
    "over_agent_ms": 0,
    "sound_over": "yes",
    "words_over": "yes",
}


async def _open_settings(page: Page) -> None:
    await page.click(element("settings"))
    await page.until(f"{element('sheet')}?.open && {find('.sheet h2, .sheet label')}", PAGE_S, "the settings")


async def _becomes(page: Page, agent: ScriptedAgent, state: str) -> None:
    await agent.tell(**{"aura.state": state})
    await _shows(page, state)


async def _shows(page: Page, state: str) -> None:
    await page.until(f"{element('state')}?.dataset.state === '{state}'", PAGE_S, state)


async def _says(page: Page, agent: ScriptedAgent, number: int) -> None:
    side, text = SAID[number]
    await agent.says("agent" if side == "agent" else "user", text)
    last = f"[...document.querySelectorAll('[data-testid=caption-{side}]')].at(-1)?.textContent"
    await page.until(f"{last}?.startsWith('{text[:9].replace('*', '')}')", PAGE_S, text)
