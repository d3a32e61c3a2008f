"""The page in each of its main states: pictures of it, whether it looks as before, and what axe-core finds wrong."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.e2e.axe import violations
from tests.e2e.chromium import DESK, PHONE, SMALL_PHONE, ZOOMED, Page, chromium, element
from tests.e2e.look import GROSS, TOLD, Look, compared
from tests.e2e.page_states import PAGE_S, before_a_call, in_a_call
from tests.e2e.pictures import empty_room, y4m
from tests.e2e.screens import SETTLED
from tests.e2e.scripted_agent import ScriptedPage
from tests.e2e.test_page import captions

pytestmark = pytest.mark.anyio

# Whether the letters of one element, which leave the top of their line free, meet the box of another.
MEET = """
(() => {{
  const boxes = [...document.querySelectorAll('{0}')].flatMap(one => {{
    const range = document.createRange();
    range.selectNodeContents(one);
    return [...range.getClientRects()];
  }});
  return [...document.querySelectorAll('{1}')].map(other => other.getBoundingClientRect()).some(other =>
    boxes.some(one => one.left < other.right && other.left < one.right && one.top + one.height / 4 < other.bottom
      && other.top < one.bottom));
}})()
"""
# The questions to begin with that are not wholly in the window's width.
CUT = """
[...document.querySelectorAll('[data-testid=chip]')].filter(chip => {
  const {left, right} = chip.getBoundingClientRect();
  return left < 0 || right > innerWidth;
}).map(chip => chip.textContent)
"""
THEMES = ("light", "dark")


async def test_the_page_shows_what_an_agent_tells_and_says(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path) as page:
        await page.open(f"{scripted.url}?room={room}&autostart=1&camera=0")
        await agent.met()
        for state in ("thinking", "speaking", "silent", "listening"):
            await agent.tell(**{"aura.state": state})
            await page.until(f"{element('state')}?.dataset.state === '{state}'", PAGE_S, state)
        asked = await agent.says("user", "Where is", final=False)
        await page.until(captions("user", "Where is", final="false"), PAGE_S, "what was heard so far")
        await agent.says("user", "Where is Rome?", segment=asked)
        await page.until(captions("user", "Where is Rome?", final="true"), PAGE_S, "the question")
        await agent.says("agent", "In Italy.")
        await page.until(captions("agent", "In Italy.", final="true"), PAGE_S, "the answer")
        assert page.errors == []


@pytest.mark.parametrize("states", [before_a_call, in_a_call])
async def test_everybody_can_use_the_page_in_each_state(
    states: Callable[[ScriptedPage, Page, str], AsyncGenerator[str]],
    scripted: ScriptedPage,
    a_room: Callable[[], str],
    tmp_path: Path,
    out: Path,
    pytestconfig: pytest.Config,
) -> None:
    wrong: list[str] = []
    looks: list[Look] = []
    film = y4m(tmp_path / "camera.y4m", empty_room())  # what stays can be compared
    async with chromium(tmp_path, camera=film) as page, aclosing(states(scripted, page, a_room())) as shown:
        async for state in shown:
            wrong += [f"{state}, {each}" for each in await looked_at(page, state, out)]
            looks += filter(None, map(compared, sorted(out.glob(f"state-{state}-*.png"))))
        assert page.errors == []
    tell(pytestconfig, [look for look in looks if look.changed > TOLD])
    assert wrong == []
    assert [str(look) for look in looks if look.changed > GROSS] == []


async def test_nothing_lies_on_anything_at_the_door_of_a_small_window(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    async with chromium(tmp_path) as page:
        await page.open(f"{scripted.url}?room={a_room()}")
        await page.until(element("chip"), PAGE_S, "the door")
        for screen in (ZOOMED, SMALL_PHONE):
            await page.look(screen)
            await page.run(SETTLED)
            await page.picture(out / f"door-{screen.name}.png")
            assert await page.run(MEET.format("h1", ".door-corner button")) is False, screen.name
            assert await page.run(MEET.format(".choice > button > span", ".choice .picker .icon")) is False, screen.name
            assert await page.run(CUT) == [], screen.name
        assert page.errors == []


async def test_after_a_call_the_corner_is_the_windows_and_the_thumbs_come_before_the_words(
    scripted: ScriptedPage, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    async with scripted.agent(room) as agent, chromium(tmp_path) as page:
        await page.open(f"{scripted.url}?room={room}&autostart=1&camera=0")
        await agent.met()
        await agent.says("agent", "In Italy.")
        await page.until(captions("agent", "In Italy."), PAGE_S, "a line")
        await page.click(element("leave"))
        await page.until(f"{element('after')} && {element('thumb-up')}", PAGE_S, "what remains of the call")
        corner = "document.querySelector('.door-corner').getBoundingClientRect()"
        assert await page.run(f"innerWidth - {corner}.right") < 40
        order = f"{element('thumb-up')}.compareDocumentPosition({element('copy')})"
        assert await page.run(order) == 4, "it follows"
        assert await page.run(f"{element('download-text')}.querySelector('.icon') !== null")
        assert page.errors == []


def tell(config: pytest.Config, changed: list[Look]) -> None:
    """Say among the results, for people, what looks otherwise than when somebody last looked."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    capture = config.pluginmanager.get_plugin("capturemanager")
    if not (changed and reporter and capture):
        return
    with capture.global_and_fixture_disabled():  # what a test writes itself is not shown when it passes
        reporter.write_line("")
        for look in changed:
            reporter.write_line(f"tests/e2e/out: {look}")


async def looked_at(page: Page, state: str, out: Path) -> list[str]:
    """Take pictures of a state on a desk and on a phone, by day and by night, and return what axe-core finds at 100 and
    at 400 %."""
    wrong: list[str] = []
    for theme in THEMES:
        await page.prefer(color_scheme=theme, reduced_motion="reduce")
        for screen in (PHONE, ZOOMED, DESK):
            await page.look(screen)
            await page.run(SETTLED)
            if screen is not ZOOMED:
                await page.picture(out / f"state-{state}-{screen.name}-{theme}.png")
            if screen is not PHONE:
                wrong += [f"{theme}, {screen.name}: {each}" for each in await violations(page)]
    return wrong
