"""A call that is recorded, in a real browser: that it is told, and the record fetched, heard once more and deleted.

The agent is scripted, and the record of the call is written here, as the recorder writes it.
"""

import os
from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path

import pytest

from agent.records.record_folder import RecordFolder
from tests.e2e.chromium import DESK, SMALL_PHONE, chromium, element, find
from tests.e2e.look import GROSS, compared
from tests.e2e.page_states import PAGE_S
from tests.e2e.scripted_agent import ScriptedPage, scripted_page
from tests.e2e.test_page import captions
from tests.e2e.test_page_states import looked_at
from tests.e2e.test_replay import LINES, write_record

pytestmark = pytest.mark.anyio

# The size of the file that a click on a test id gives, and its first four letters.
SAVED = """
new Promise(done => {
  const make = URL.createObjectURL;
  URL.createObjectURL = file => {
    URL.createObjectURL = make;
    file.slice(0, 4).text().then(begins => done([file.size, begins]));
    return make.call(URL, file);
  };
  document.querySelector('[data-testid=%s]').click();
})
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


@pytest.fixture(scope="module")
async def recorded(
    folder: Path, environ: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[ScriptedPage]:
    home, logs = Path(environ["AURA_HOME"]), tmp_path_factory.mktemp("scripted")
    async with scripted_page(home, logs, AURA_RECORDS=str(folder)) as running:
        yield running


async def test_a_record_is_told_fetched_heard_once_more_and_deleted(
    recorded: ScriptedPage, folder: Path, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    room = a_room()
    async with recorded.agent(room, **{"aura.record": "on"}) as agent, chromium(tmp_path, still=True) as page:
        await page.open(f"{recorded.url}?room={room}&camera=0")
        await page.until(element("records"), PAGE_S, "at the door that calls are recorded")
        wrong = await looked_at(page, "recorded", out)
        await page.click(element("start"))
        identity = await agent.met()
        record = write_record(folder, room, identity)
        await agent.says("agent", "It is noon.")
        await page.until(captions("agent", "noon"), PAGE_S, "a line")
        assert "recorded" in await page.run(f"{element('recorded')}.textContent")
        await page.look(SMALL_PHONE)
        reach = f"[{element('settings')}, {element('details')}].map(each => each.getBoundingClientRect().right)"
        assert await page.run(f"Math.max(...{reach}) <= innerWidth"), "a button lies beside the screen"
        await page.look(DESK)
        await page.click(find("[aria-controls=details]"))
        await page.until(element("download-sound"), PAGE_S, "the sound of the record")
        assert await page.run(SAVED % "download-sound") == [os.path.getsize(record / "sound.ogg"), "OggS"]

        await page.click(element("leave"))
        await page.until(element("replay"), PAGE_S, "a way to hear it once more")
        await page.click(element("replay"))
        async with page.tab("/replay.html") as tab:
            await tab.until(find(".replay-wave path[d^=M]"), PAGE_S, "the waveform")
            shown = await tab.run("document.body.innerText")
            assert all(line in shown for line in LINES)
            wrong += await looked_at(tab, "replay", out)
            assert tab.errors == []

        await page.click(element("forget"))
        await page.until(f"!{element('replay')} && !{find('.after-said')}", PAGE_S, "that all is forgotten")
        assert RecordFolder(folder).of_room(room) == [] and not record.exists()
        assert wrong == page.errors == []
    pictures = [picture for state in ("recorded", "replay") for picture in out.glob(f"state-{state}-*.png")]
    assert [str(look) for look in map(compared, pictures) if look and look.changed > GROSS] == []


async def test_a_record_that_cannot_be_deleted_stays_in_sight(
    recorded: ScriptedPage, folder: Path, a_room: Callable[[], str], tmp_path: Path
) -> None:
    room = a_room()
    async with recorded.agent(room, **{"aura.record": "on"}) as agent, chromium(tmp_path, still=True) as page:
        await page.open(f"{recorded.url}?room={room}&camera=0")
        await page.until(element("start"), PAGE_S, "the door")
        await page.click(element("start"))
        record = write_record(folder, room, await agent.met())
        await agent.says("agent", "It is noon.")
        await page.until(captions("agent", "noon"), PAGE_S, "a line")
        await page.click(element("leave"))
        await page.until(element("replay"), PAGE_S, "a way to hear it once more")
        await page.run("window.fetch = () => Promise.reject(new TypeError('away')); true")
        await page.click(element("forget"))
        await page.until(f"{element('toast')}?.dataset.code === 'not-deleted'", PAGE_S, "that it is still there")
        assert record.exists() and "noon" in await page.run(f"{find('.after-said')}.innerText")
        assert page.errors == []
