"""A call in a real browser, whose microphone is a recording."""

from pathlib import Path

import numpy as np
import pytest

from tests.e2e.chromium import chromium, element
from tests.e2e.loudspeaker import Loudspeaker
from tests.e2e.screens import take_pictures
from tests.e2e.speech import Voice, silence, write_wav
from tests.e2e.stack import Stack

pytestmark = pytest.mark.anyio

# The recording begins with the call: seconds of silence before each thing that is said.
AFTER_GREETING_S, AFTER_ANSWER_S, INTO_COUNT_S = 9, 9, 8


def captions(side: str, words: str, **data: str) -> str:
    """JavaScript: whether a caption of that side has these words, and these data attributes."""
    having = "".join(f'[data-{name}="{value}"]' for name, value in data.items())
    selector = f"[data-testid=caption-{side}]{having}"
    return f"[...document.querySelectorAll('{selector}')].some(said => said.textContent.includes('{words}'))"


async def test_a_browser_hears_an_answer_shows_both_sides_and_interrupts(
    stack: Stack, voice: Voice, tmp_path: Path, out: Path
) -> None:
    said = [
        *(silence(AFTER_GREETING_S), voice.say("What is the capital of France?")),
        *(silence(AFTER_ANSWER_S), voice.say("Please count to forty.")),
        *(silence(INTO_COUNT_S), voice.say("Wait a moment. What is the capital of Italy?")),
    ]
    microphone = write_wav(tmp_path / "microphone.wav", np.concatenate(said))
    async with chromium(tmp_path, microphone) as page:
        loudspeaker = Loudspeaker(page)
        await page.open(f"{stack.running.url}?camera=1")
        await page.until(element("start"), 20, "the start button")
        await take_pictures(page, out, "start")
        await page.click("start")
        await loudspeaker.listen(30)
        await page.until(captions("agent", "Aura"), 20, "the greeting")

        await page.until(captions("user", "France", final="true"), 30, "the question")
        asked = await loudspeaker.now_ms()
        await page.until(captions("agent", "Paris"), 20, "the answer")
        await loudspeaker.plays(10, since_ms=asked)
        await take_pictures(page, out, "call")
        assert await page.run(f"Number({element('latency')}.dataset.ms)") > 0

        await page.until(captions("user", "count to"), 30, "the second question")
        await page.until(captions("agent", "", mark="interrupted"), 40, "the count broken off")
        await page.until(captions("agent", "Rome"), 30, "the third answer")
        await take_pictures(page, out, "interrupted")

        await page.click("leave")
        await page.until(element("start"), 10, "the door")
        assert page.errors == []
