"""The page on which a record is played, in a real browser, with sound that the recorder has written; no stack."""

from pathlib import Path

import numpy as np
import pytest
from aiohttp.test_utils import TestServer

from agent.records.ogg_file import RATE, OggFile
from agent.records.record_folder import RecordFolder, utc_now
from agent.records.timeline import Joined, RecordedItem, RecordEnd, RecordHead, Shown, SoundOf, TimelineFile
from agent.settings.agent import LiveKitSettings, WebSettings
from agent.settings.records import RecordSettings
from agent.web.join_token import TokenRequest, join_token
from agent.web.server import application
from tests.e2e.chromium import chromium
from tests.e2e.stack import ROOT

pytestmark = pytest.mark.anyio
LIVEKIT = LiveKitSettings("ws://127.0.0.1:7880", "key", "0123456789abcdef0123456789abcdef", "aura")
PAGE_S = 20.0
ROOM = "aura-1"
LINES = ("What time is it?", "It is noon.")
# How much of a side's outline is not flat, 0 to 1, in each third of the call.
LOUD = """
(side => {{
  const points = document.querySelector(`.replay-wave path[data-side=${{side}}]`).getAttribute('d')
    .slice(1, -1).split('L').map(point => point.split(',').map(Number)).slice(0, 1200);
  const middle = side === 'user' ? 25 : 75;
  return [0, 1, 2].map(third => points.slice(third * 400, third * 400 + 400)
    .filter(([, y]) => middle - y > 1).length / 400);
}})('{0}')
"""


def write_record(folder: Path, room: str, identity: str) -> Path:
    """Three seconds of a call that has just ended: the person speaks in the first, the agent in the last."""
    record = RecordFolder(folder).make(room, utc_now())
    tone = (12_000 * np.sin(2 * np.pi * 440 * np.arange(RATE) / RATE)).astype(np.int16)
    quiet = np.zeros_like(tone)
    file = OggFile(record / SoundOf().file)
    file.write(np.stack([np.concatenate([tone, quiet, quiet]), np.concatenate([quiet, quiet, tone])]))
    file.close()
    lines = TimelineFile(record, RecordHead(record.name, room, "browser", utc_now().isoformat()))
    lines.add(Joined(0, identity))
    lines.add(RecordedItem(1_100, "person", LINES[0], 0, 1_000))
    lines.add(Shown("decision", {"at_ms": 1_500, "what": "turn", "reason": "", "text": "", "figures": {}}))
    lines.add(RecordedItem(3_000, "agent", LINES[1], 2_000, 3_000))
    lines.add(RecordEnd(utc_now().isoformat(), 3_000, 3 * RATE))
    lines.close()
    return record


async def test_a_record_is_drawn_and_followed_at_one_cursor(tmp_path: Path) -> None:
    token = join_token(LIVEKIT, TokenRequest(ROOM, participant_identity="ann"))
    write_record(tmp_path / "records", ROOM, "ann")
    settings = WebSettings("http://127.0.0.1:1", LIVEKIT, records=RecordSettings(tmp_path / "records"))
    async with (
        TestServer(application(settings, ROOT / "frontend" / "dist")) as server,
        chromium(tmp_path / "browser") as page,
    ):
        await page.first_run(f"sessionStorage.setItem('aura.replay', '{token}')")
        await page.open(str(server.make_url("/replay.html")))
        await page.until("document.querySelector('.replay-wave path[d^=M]')", PAGE_S, "the waveform")
        for side, loud in (("user", [1, 0, 0]), ("agent", [0, 0, 1])):
            assert await page.run(LOUD.format(side)) == pytest.approx(loud, abs=0.05)
        length_s = await page.run("document.querySelector('audio').duration")
        assert length_s == pytest.approx(3.0, abs=0.05)
        now = "document.querySelector('[data-now=true]')?.textContent.includes('{0}')"
        await page.until(now.format(LINES[0]), PAGE_S, "the question at the beginning")
        await page.run("document.querySelectorAll('.replay-lines > li > button')[1].click()")
        await page.until(now.format(LINES[1]), PAGE_S, "the answer, once it is chosen")
        assert await page.run("document.querySelector('audio').currentTime") == pytest.approx(2.0, abs=0.1)
        play = "document.querySelector('[data-testid=play]')"
        await page.click(play)
        await page.until(f"{play}.dataset.playing === 'true'", PAGE_S, "the sound")
        await page.until(f"{play}.dataset.playing === 'false'", PAGE_S, "its end")
        saved = (
            "(({href, download}) => [href.slice(0, 5), download])(document.querySelector('[data-testid=save-sound]'))"
        )
        assert await page.run(saved) == ["blob:", f"{ROOM}.ogg"]
        assert await page.run("document.querySelectorAll('.timeline [data-what=turn]').length") > 0
        assert page.errors == []
