"""Takes pictures of the page on each screen, for people to look at."""

from pathlib import Path

from tests.e2e.chromium import DESK, PHONE, Page

SETTLED = """
new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => Promise.allSettled(
  document.getAnimations().filter(moving => Number.isFinite(moving.effect.getComputedTiming().endTime))
    .map(moving => moving.finished))).then(() => true)
"""


PANEL = "document.querySelector('[aria-controls=details][aria-expanded={open}]')?.click()"


async def take_pictures(page: Page, out: Path, name: str, *, phone_details: bool = False) -> None:
    """`NAME-desk.png` and `NAME-phone.png`; the page is on the desk's screen again afterwards.

    On a phone the details cover the words, and are shut unless they are wanted.
    """
    for screen, details in ((PHONE, phone_details), (DESK, True)):
        await page.look(screen)
        await page.run(PANEL.format(open=str(not details).lower()))
        await page.run(SETTLED)
        await page.picture(out / f"{name}-{screen.name}.png")
