"""Takes pictures of the page on each screen, for people to look at."""

from pathlib import Path

from tests.e2e.chromium import DESK, PHONE, Page

SETTLED = """
new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => Promise.allSettled(
  document.getAnimations().filter(running => running instanceof CSSTransition).map(running => running.finished)))
  .then(() => true)
"""


async def take_pictures(page: Page, out: Path, name: str) -> None:
    """`NAME-desk.png` and `NAME-phone.png`; the page is on the desk's screen again afterwards."""
    for screen in (PHONE, DESK):
        await page.look(screen)
        await page.run(SETTLED)
        await page.picture(out / f"{name}-{screen.name}.png")
