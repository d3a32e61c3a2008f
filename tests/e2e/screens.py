"""Takes pictures of the page on each screen, for people to look at."""

from pathlib import Path

from tests.e2e.chromium import DESK, PHONE, Page

SETTLED = """
new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => Promise.allSettled(
  document.getAnimations().filter(moving => Number.isFinite(moving.effect.getComputedTiming().endTime))
    .map(moving => moving.finished))).then(() => true)
"""


PANEL = "document.querySelector('[aria-controls=details][aria-expanded={open}]')?.click()"  # covers much of a phone


async def take_pictures(page: Page, out: Path, name: str) -> None:
    """`NAME-desk.png` and `NAME-phone.png`; the page is on the desk's screen again afterwards."""
    for screen, panel_open in ((PHONE, True), (DESK, False)):
        await page.look(screen)
        await page.run(PANEL.format(open=str(panel_open).lower()))
        await page.run(SETTLED)
        await page.picture(out / f"{name}-{screen.name}.png")
