"""Measures how long somebody on a slow network with a slow phone waits for the button of the first screen.

    python -m tests.e2e.first_screen [--times 5] [--fast]

Chromium's own emulation puts "slow 4G" (1.6 Mbit/s, 150 ms round trip) and a processor that is four times slower under
the page; the page is the one in `frontend/dist`, behind its own web server. Each time the browser is a new one.
"""

import argparse
import asyncio
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.e2e.chromium import Page, chromium, element
from tests.e2e.door import door_server

ROUND_TRIP_MS, BYTES_PER_S, SLOWER = 150.0, 1.6e6 / 8, 4.0
WAIT_S = 60.0
# When the button was first drawn, and what had been loaded by then. Milliseconds since the page was asked for.
WATCH = """
new MutationObserver((_, watch) => {
  if (!document.querySelector('[data-testid=start]')) return;
  watch.disconnect();
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const parts = performance.getEntriesByType('resource').filter(({responseEnd}) => responseEnd > 0);
    const [page] = performance.getEntriesByType('navigation');
    const sizes = [page, ...parts].map(({name, transferSize}) => [name.split('/').pop() || 'the page', transferSize]);
    window.firstScreen = {ms: performance.now(), sizes};
  }));
}).observe(document, {childList: true, subtree: true});
"""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """One visit.

    Attributes:
        painted_ms: Until something was drawn.
        button_ms: Until the button was.
        loaded: What had been loaded by then, in bytes on the wire with their headers.
    """

    painted_ms: float
    button_ms: float
    loaded: dict[str, int]


async def visit(page: Page, url: str, *, slow: bool) -> FirstScreen:
    if slow:
        await page.slow_down(latency_ms=ROUND_TRIP_MS, bytes_per_s=BYTES_PER_S, processor=SLOWER)
    await page.first_run(WATCH)
    await page.open(url)
    await page.until(f"{element('start')} && window.firstScreen", WAIT_S, "the button")
    seen = await page.run("window.firstScreen")
    return FirstScreen(float(await page.run(PAINTED)), float(seen["ms"]), dict(seen["sizes"]))


async def measure(times: int, *, slow: bool) -> list[FirstScreen]:
    visits = []
    async with door_server() as door:
        for _ in range(times):
            with TemporaryDirectory() as folder:
                async with chromium(Path(folder)) as page:
                    visits.append(await visit(page, door.url, slow=slow))
    return visits


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--fast", action="store_true", help="as fast as this machine is")
    arguments = parser.parse_args()
    visits = asyncio.run(measure(arguments.times, slow=not arguments.fast))
    for what, figures in (
        ("something drawn", [each.painted_ms for each in visits]),
        ("the button", [each.button_ms for each in visits]),
    ):
        print(f"{what}: median {median(figures):,.0f} ms (", ", ".join(f"{ms:,.0f}" for ms in figures), ")", sep="")
    for name, size in visits[-1].loaded.items():
        print(f"  {size:>8,} bytes  {name}")
    print(f"  {sum(visits[-1].loaded.values()):>8,} bytes in all before the button")


if __name__ == "__main__":
    main()
