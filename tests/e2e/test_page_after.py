"""What remains of a call: its figures and words, what the person thought of it, and the way back into it."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from infra.bench.person.person import ANSWER_S
from tests.e2e.chromium import Page, Screen, chromium, element, find
from tests.e2e.page_states import PAGE_S
from tests.e2e.screens import SETTLED
from tests.e2e.scripted_agent import ScriptedAgent, ScriptedPage
from tests.e2e.test_page import captions

pytestmark = pytest.mark.anyio

SMALL = Screen("small", 320, 568, phone=True)
# The text of the file that a click on a test id gives.
SAVED = """
new Promise(done => {
  const make = URL.createObjectURL;
  URL.createObjectURL = file => { URL.createObjectURL = make; file.text().then(done); return make.call(URL, file); };
  document.querySelector('[data-testid=%s]').click();
})
"""
COPIES = "navigator.clipboard.writeText = async text => { window.copied = text; }; true"
LATER = "(now => { performance.now = () => now() + 60_000; })(performance.now.bind(performance)); true"
KEPT = "['aura.last-call', 'aura.last-captions'].filter(name => sessionStorage.getItem(name))"
MARKED = (
    "Für **alle**:\n<img src=x onerror=alert(1)>\n- [hier](https://example.org/a)\n- [nicht hier](javascript:alert(1))"
)


@asynccontextmanager
async def in_call(scripted: ScriptedPage, room: str, folder: Path) -> AsyncGenerator[tuple[Page, ScriptedAgent]]:
    """A page in a call in which a question was asked and answered."""
    async with scripted.agent(room) as agent, chromium(folder) as page:
        await page.open(f"{scripted.url}?room={room}&autostart=1&camera=0")
        await agent.met()
        await page.until(f"{element('state')}?.dataset.state === 'listening'", PAGE_S, "a call")
        await agent.says("user", "Where is Rome?")
        await agent.decided("turn", "somebody spoke", reason="words", sound_ms=900, since_pause_ms=350)
        await page.until(captions("user", "Where is Rome?"), PAGE_S, "the question")
        await agent.timed(endpointing=350, asr=50, aura=400, tts=200)
        await agent.says("agent", "In *Italy*.")
        await page.until(captions("agent", "In Italy."), PAGE_S, "the answer")
        yield page, agent
        assert page.errors == []


async def leave(page: Page) -> None:
    await page.click(element("leave"))
    await page.until(element("after"), PAGE_S, "what remains of the call")


async def test_who_leaves_can_read_copy_and_keep_what_was_said(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    async with in_call(scripted, a_room(), tmp_path) as (page, _):
        await leave(page)
        assert await page.run("document.activeElement.tagName") == "H1"
        figures = [await page.run(f"{element(f'after-{name}')}.textContent") for name in ("turns", "median")]
        assert figures == ["1", "1.0 s"]
        await page.run(COPIES)
        await page.click(element("copy"))
        await page.until("window.copied", PAGE_S, "a copy")
        for text in (await page.run("window.copied"), await page.run(SAVED % "download-text")):
            assert text.endswith("You: Where is Rome?\nAURA: In *Italy*.\n")
        saved = json.loads(await page.run(SAVED % "download"))
        assert [each["what"] for each in saved["decisions"]] == ["turn"]
        assert [each["speech_end_to_first_audio_ms"] for each in saved["timings"]] == [1_000]
        await page.click(element("back"))
        await page.until(element("start"), PAGE_S, "the door")


async def test_who_has_a_call_deleted_leaves_nothing_in_the_browser(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    async with in_call(scripted, a_room(), tmp_path) as (page, _):
        await leave(page)
        assert len(await page.run(KEPT)) == 2
        await page.click(element("forget"))
        await page.until(f"!{find('.after-said')}", PAGE_S, "that nothing is shown")
        assert await page.run(KEPT) == []
        assert "Rome" not in await page.run("document.body.innerText")
        assert await page.run(f"Boolean({element('anew')}) && !{element('continue')}")


async def test_a_thumb_counts_at_once_and_a_sentence_adds_to_it(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    async with in_call(scripted, room, tmp_path) as (page, _):
        await leave(page)
        await page.until(element("thumb-down"), PAGE_S, "that somebody wants to know")
        await page.click(element("thumb-down"))
        await page.until(f"{element('rated')}.dataset.sent === 'thumb'", PAGE_S, "that it is noted")
        assert [(each["thumb"], each["sentence"]) for each in ratings(scripted, room)] == [("down", "")]
        await page.run(f"{find('.after-rating textarea')}.focus()")
        await page.type("It was slow.")
        await page.click(find(".after-rating [type=submit]"))
        await page.until(f"{element('rated')}.dataset.sent === 'sentence'", PAGE_S, "thanks")
        await page.until(f"document.activeElement === {element('rated')}", PAGE_S, "the focus where the form was")
        assert [each["sentence"] for each in ratings(scripted, room)] == ["", "It was slow."]


async def test_a_call_can_be_continued_for_a_while_and_then_another_one_begun(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    async with in_call(scripted, a_room(), tmp_path) as (page, agent):
        await agent.says("user", "And where is Oslo?")
        await page.until(captions("user", "And where is Oslo?"), PAGE_S, "a question that stays open")
        await leave(page)
        open_ = f"{find('.after-said')}.innerText.includes('And where is Oslo? not answered')"
        await page.until(open_, PAGE_S, "that it was left open")
        assert "s)" in await page.run(f"{element('continue')}.textContent")
        await page.click(element("continue"))
        await page.until(find(".before"), PAGE_S, "what was said before")
        assert "not answered: you left" in await page.run(f"{find('.line[data-mark=open]')}.innerText")
        await page.click(element("ask-again"))
        await page.until(f"{captions('user', 'And where is Oslo?')} === 2", ANSWER_S, "the question once more")
        await page.until(f"!{element('ask-again')}", PAGE_S, "that it has been asked")
        followed = "Node.DOCUMENT_POSITION_FOLLOWING"
        above = f"{find('.before')}.compareDocumentPosition({element('caption-user')}) & {followed}"
        assert await page.run(above), "`Earlier` stands below the old lines"
        await leave(page)
        await page.run(LATER)
        await page.until(element("anew"), PAGE_S, "that it cannot be continued any more")
        await page.click(element("anew"))
        await page.until(f"{element('state')}?.dataset.state === 'listening'", PAGE_S, "another call")


async def test_of_a_call_that_breaks_off_the_words_are_left(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    async with in_call(scripted, room, tmp_path) as (page, _):
        await scripted.end(room)
        await page.until(f"{element('failed')}?.dataset.code === 'ended'", PAGE_S, "that it broke off")
        assert "Where is Rome?" in await page.run(f"{find('.after-said')}.innerText")
        assert await page.run(f"Boolean({element('again')})")


async def test_captions_keep_what_is_written_and_run_nothing_of_it(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    async with in_call(scripted, a_room(), tmp_path) as (page, agent):
        persona = json.dumps({"name": "Aura", "voice": "", "language": "de"})
        await agent.tell(**{"aura.persona": persona, "aura.state": "thinking"})
        await page.until(f"{find('.sky')}.dataset.state === 'thinking'", PAGE_S, "attributes, which come by themselves")
        await agent.says("agent", MARKED)
        await page.until(captions("agent", "Für alle"), PAGE_S, "a line in German")
        line = "[...document.querySelectorAll('[data-testid=caption-agent]')].at(-1)"
        assert await page.run(f"{line}.innerText.includes('Für alle:\\n<img src=x onerror=alert(1)>')")
        assert await page.run(f"{line}.querySelectorAll('img, script').length") == 0
        link = "({href, target, rel}) => [href, target, rel]"
        links = await page.run(f"[...{line}.querySelectorAll('a')].map({link})")
        assert links == [["https://example.org/a", "_blank", "noopener noreferrer"]]
        assert await page.run(f"[{line}.closest('[dir]').dir, {line}.closest('[lang]').lang]") == ["auto", "de"]
        await agent.says("user", "مرحبا؟")
        await page.until(captions("user", "مرحبا"), PAGE_S, "a line in Arabic")
        arabic = "[...document.querySelectorAll('[data-testid=caption-user]')].at(-1).parentElement"
        assert await page.run(f"getComputedStyle({arabic}).direction") == "rtl"


async def test_the_turns_of_a_call_fit_the_smallest_screen_and_say_why(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    async with in_call(scripted, a_room(), tmp_path) as (page, agent):
        await agent.decided("noise", reason="no_words", sound_ms=200)
        await page.until("document.querySelector('[data-testid=decision]')?.dataset.what === 'noise'", PAGE_S, "noise")
        await page.look(SMALL)
        await page.run("document.querySelector('[aria-controls=details][aria-expanded=false]')?.click()")
        await page.run(SETTLED)
        await page.picture(out / "turns-small.png")
        assert await page.run(f"{find('.timeline')}.scrollWidth <= {find('.timeline')}.clientWidth")
        shown = await page.run(f"{find('.timeline')}.innerText")
        assert "I waited 0.4 s" in shown and "A sound without words" in shown and "none yet" not in shown
        stages = "[...document.querySelectorAll('[data-testid=stages] > div')].map(({dataset}) => dataset.stage)"
        assert await page.run(stages) == ["endpointing", "asr", "aura", "tts"]


def ratings(scripted: ScriptedPage, room: str) -> list[dict[str, Any]]:
    every = [json.loads(line) for line in scripted.feedback.read_text().splitlines()]
    return [each for each in every if each["room"] == room]
