"""Debian's Chromium, headless, steered over its own DevTools protocol.

Protocol: https://chromedevtools.github.io/devtools-protocol/
"""

import asyncio
import itertools
import json
import os
import shutil
from base64 import b64decode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from infra.bench.person.diary import Diary
from infra.bench.person.task_scope import task_scope
from infra.launcher.base.processes import child
from tests.e2e.stack import ROOT, get

START_S = 30.0
REPLY_S = 30.0
POLL_S = 0.05
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # as root there is none
    "--disable-gpu",
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",  # pages that nobody sees, a third of a start
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--no-proxy-server",
    "--remote-debugging-port=0",
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
    "--autoplay-policy=no-user-gesture-required",
)

KEEPS_NOTHING = {"profile": {"default_content_setting_values": {"cookies": 2}}}  # its preferences: 2 is "block"

# The recorded microphone hears nothing of the loudspeaker, as with a headset. An echo canceller that finds no echo
# holds for one whatever is said over the agent.
HEADSET = """
if (navigator.mediaDevices) {
  const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = ({audio, ...others}) =>
    open({...others, audio: audio && {...(audio === true ? {} : audio), echoCancellation: false}});
}
"""


@dataclass(frozen=True, slots=True)
class Screen:
    """What a person looks at; sizes in CSS pixels."""

    name: str
    width: int
    height: int
    phone: bool


DESK = Screen("desk", 1440, 900, phone=False)
LAPTOP = Screen("laptop", 1280, 720, phone=False)
PHONE = Screen("phone", 390, 844, phone=True)
SMALL_PHONE = Screen("small-phone", 320, 568, phone=True)
NAMED_KEYS = {"Enter": 13, "Escape": 27}
TWO_CAMERAS = "--use-fake-device-for-media-stream=device-count=2"
ZOOMED = Screen("zoomed", 360, 225, phone=False)  # the desk's at 400 %

# The middle of an element that has not moved between two frames, and lies under no other and in no view that is zoomed;
# after a second the middle of whatever there is.
MIDDLE_AT_REST = """
async element => {
  let last = [];
  for (let frame = 0; frame < 60; frame++) {
    const {x, y, width, height} = element.getBoundingClientRect();
    const middle = [x + width / 2, y + height / 2];
    const free = element.contains(document.elementFromPoint(...middle)) && visualViewport.scale === 1;
    if (free && middle.every((at, i) => at === last[i])) return middle;
    last = middle;
    await new Promise(requestAnimationFrame);
  }
  return last;
}
"""


class Page:
    """The one page of a browser.

    Attributes:
        errors: What the page has thrown.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, browser: "Browser") -> None:
        self.diary = Diary("the page")
        self.errors: list[str] = []
        self._socket = socket
        self._browser = browser
        self._ids = itertools.count(1)
        self._replies: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._finger = (0.0, 0.0)

    async def begin(self) -> None:
        for domain in ("Page", "Runtime"):
            await self._send(f"{domain}.enable")
        await self._send("Page.addScriptToEvaluateOnNewDocument", source=HEADSET)
        await self.look(DESK)

    async def open(self, url: str) -> None:
        self.diary.note(f"opens {url}")
        await self._send("Page.navigate", url=url)

    @asynccontextmanager
    async def tab(self, address: str) -> "AsyncGenerator[Page]":
        """Another tab, which this one opens, as soon as it shows an address with this part; closed with the context.
        Meanwhile this one is hidden, and draws nothing."""
        async with self._browser.page(address) as page:
            yield page
            await page._send("Page.close")

    async def look(self, screen: Screen) -> None:
        """Be shown on a screen."""
        size = {"width": screen.width, "height": screen.height, "deviceScaleFactor": 1, "mobile": screen.phone}
        await self._send("Emulation.setDeviceMetricsOverride", **size)
        await self._send("Emulation.setTouchEmulationEnabled", enabled=screen.phone)

    async def first_run(self, script: str) -> None:
        """Run a script in each page that is opened from now on, before its own."""
        await self._send("Page.addScriptToEvaluateOnNewDocument", source=script)

    async def slow_down(self, *, latency_ms: float, bytes_per_s: float, processor: float) -> None:
        """Put a slow network and a slow processor under the page, and an empty cache."""
        await self._send("Network.enable")
        await self._send("Network.setCacheDisabled", cacheDisabled=True)
        speed = {"latency": latency_ms, "downloadThroughput": bytes_per_s, "uploadThroughput": bytes_per_s}
        await self._send("Network.emulateNetworkConditions", offline=False, **speed)
        await self._send("Emulation.setCPUThrottlingRate", rate=processor)

    async def prefer(self, **features: str) -> None:
        """Have the system prefer something from now on: `color_scheme="dark"`, `reduced_motion="reduce"`."""
        wanted = [{"name": f"prefers-{name.replace('_', '-')}", "value": value} for name, value in features.items()]
        await self._send("Emulation.setEmulatedMedia", features=wanted)

    async def be_the_one_that_is_used(self) -> None:
        """Have the system's focus: without it a page is told of no change of its own."""
        await self._send("Emulation.setFocusEmulationEnabled", enabled=True)

    async def claim(self, user_agent: str) -> None:
        """Say to pages that are opened from now on that it is another browser."""
        await self._send("Emulation.setUserAgentOverride", userAgent=user_agent)

    async def picture(self, path: Path) -> None:
        """Keep what the screen shows now, as PNG."""
        shot = await self._send("Page.captureScreenshot", format="png")
        path.write_bytes(b64decode(shot["data"]))

    async def run(self, script: str) -> Any:
        """The value of a JavaScript expression.

        Raises:
            AssertionError: It threw.
        """
        reply = await self._send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in reply, f"{script}\n{reply['exceptionDetails']}"
        return reply["result"].get("value")

    async def run_in_frame(self, script: str) -> Any:
        """The value of a JavaScript expression in the page's only frame, which may be another origin's; None while that
        loads something else.

        Raises:
            AssertionError: It threw, or the frame shows nothing of what it was to load.
        """
        frames = [each["frame"] for each in (await self._send("Page.getFrameTree"))["frameTree"].get("childFrames", [])]
        assert frames and "unreachableUrl" not in frames[0], f"the frame was refused: {frames}"
        world = await self._send("Page.createIsolatedWorld", frameId=frames[0]["id"])
        asked = {"expression": script, "returnByValue": True, "contextId": world["executionContextId"]}
        try:
            reply = await self._send("Runtime.evaluate", **asked)
        except AssertionError as error:
            if "Cannot find context" in str(error):
                return None
            raise
        assert "exceptionDetails" not in reply, f"{script}\n{reply['exceptionDetails']}"
        return reply["result"].get("value")

    async def manifest_errors(self) -> list[str]:
        """What the browser finds wrong with the page's manifest."""
        manifest = await self._send("Page.getAppManifest")
        assert manifest["url"].endswith(".webmanifest"), "the page has no manifest"
        return [error["message"] for error in manifest["errors"]]

    async def until(self, script: str, within_s: float, wanted: str) -> None:
        """Return as soon as a JavaScript expression is true.

        Raises:
            AssertionError: Says what was wanted, and what the page showed instead.
        """
        try:
            async with asyncio.timeout(within_s):
                while not await self.run(f"Boolean({script})"):
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            shown = await self.run("document.body.innerText")
            raise AssertionError(f"{wanted}: not within {within_s:g} s\n{self.diary}\nIt shows:\n{shown}") from None
        self.diary.note(wanted)

    async def busy(self, during_s: float) -> float:
        """The share of one core whose time the page's main thread takes, whatever else the machine does."""
        await self._send("Performance.enable", timeDomain="threadTicks")
        before, begun = await self._metrics(), asyncio.get_running_loop().time()
        await asyncio.sleep(during_s)
        after, ended = await self._metrics(), asyncio.get_running_loop().time()
        return (after["ThreadTime"] - before["ThreadTime"]) / (ended - begun)

    async def _metrics(self) -> dict[str, float]:
        metrics = (await self._send("Performance.getMetrics"))["metrics"]
        return {each["name"]: each["value"] for each in metrics}

    async def click(self, place: str) -> None:
        """Click the middle of an element, given as JavaScript, as soon as it stands still."""
        x, y = await self.run(f"({MIDDLE_AT_REST})({place})")
        for kind in ("mousePressed", "mouseReleased"):
            await self._send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def touch(self, place: str) -> None:
        """Lay a finger on the middle of an element, given as JavaScript, until `lift`."""
        box = "(e => (r => [r.x + r.width / 2, r.y + r.height / 2])(e.getBoundingClientRect()))"
        self._finger = tuple(await self.run(f"{box}({place})"))
        await self._touch("touchStart", self._finger)

    async def slide(self, right: float, down: float) -> None:
        """Move the finger on the screen, in CSS pixels."""
        self._finger = (self._finger[0] + right, self._finger[1] + down)
        await self._touch("touchMove", self._finger)

    async def lift(self, *, cancelled: bool = False) -> None:
        """Take the finger away; `cancelled`: the system has taken it for a gesture of its own."""
        await self._touch("touchCancel" if cancelled else "touchEnd")

    async def _touch(self, kind: str, *points: tuple[float, float]) -> None:
        await self._send("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y} for x, y in points])

    async def type(self, text: str) -> None:
        """Type into what has the focus."""
        await self._send("Input.insertText", text=text)

    async def press(self, key: str, *, held: bool = False) -> None:
        """Press a key with a character on it, Enter or Escape; `held`: it is not let go, which `release` does."""
        text = {"text": "\r"} if key == "Enter" else {} if len(key) > 1 else {"text": key}
        await self._send("Input.dispatchKeyEvent", type="keyDown", **_key(key), **text)
        if not held:
            await self.release(key)

    async def release(self, key: str) -> None:
        await self._send("Input.dispatchKeyEvent", type="keyUp", **_key(key))

    async def listen(self) -> None:
        """Take what the browser says, until it closes."""
        async for message in self._socket:
            said = message.json()
            match said:
                case {"id": reply_to}:
                    waiting = self._replies.pop(reply_to, None)
                    if waiting and not waiting.done():  # else whoever waited has given up
                        waiting.set_result(said)
                case {"method": "Runtime.exceptionThrown", "params": {"exceptionDetails": details}}:
                    self.errors.append(str(details.get("exception", {}).get("description") or details["text"]))
                    self.diary.note(f"throws {self.errors[-1]}")
                case {"method": "Runtime.consoleAPICalled", "params": {"type": kind, "args": args}}:
                    self.diary.note(f"console.{kind} {[arg.get('value', arg.get('description')) for arg in args]}")

    async def _send(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._ids)
        reply: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._replies[number] = reply
        await self._socket.send_json({"id": number, "method": method, "params": params})
        async with asyncio.timeout(REPLY_S):
            answer = await reply
        assert "error" not in answer, f"{method}: {answer['error']}"
        return dict(answer["result"])


def _key(key: str) -> dict[str, Any]:
    """A key as the protocol has it: what the browser itself does with one goes by its number."""
    return {"key": key, "windowsVirtualKeyCode": NAMED_KEYS.get(key) or ord(key.upper()[0])}


def element(testid: str) -> str:
    """JavaScript for the first element with a test id, or null."""
    return find(f"[data-testid={testid}]")


def find(selector: str) -> str:
    """JavaScript for the first element that a CSS selector finds, or null."""
    return f"document.querySelector('{selector}')"


@asynccontextmanager
async def chromium(
    folder: Path,
    microphone: Path | None = None,
    *flags: str,
    camera: Path | None = None,
    keeps_nothing: bool = False,
    still: bool = False,
) -> AsyncGenerator[Page]:
    """A browser of its own, for as long as the context lasts.

    Args:
        folder: For its profile and its log.
        microphone: A WAV that is played once into each microphone, from the moment it is opened.
        flags: Further ones of Chromium.
        camera: A film (Y4M) that each camera shows, again and again; without it, they show what Chromium draws.
        keeps_nothing: Its person has forbidden pages to keep anything: cookies and every storage are blocked.
        still: Its person wishes for less motion. Without a GPU a sun that moves takes more than half of what a call
            costs a browser, where others speak in real time.
    """
    program = shutil.which("chromium")
    assert program, "Chromium is missing; on Debian: apt-get install chromium"
    profile = folder / "profile"
    if keeps_nothing:
        (profile / "Default").mkdir(parents=True)
        (profile / "Default" / "Preferences").write_text(json.dumps(KEEPS_NOTHING))
    devices = [f"--use-file-for-fake-audio-capture={microphone}%noloop"] if microphone else []
    devices += [f"--use-file-for-fake-video-capture={camera}"] if camera else []
    devices += ["--force-prefers-reduced-motion"] * still
    argv = [program, *FLAGS, *flags, *devices, f"--user-data-dir={profile}", "about:blank"]
    async with (
        child(argv, cwd=ROOT, env=os.environ, log=folder / "chromium.log", stop_s=5),
        Browser(await _devtools_port(profile)).page("about:blank") as page,
    ):
        yield page


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser that runs, by the port of its DevTools."""

    port: int

    @asynccontextmanager
    async def page(self, address: str) -> AsyncGenerator[Page]:
        """The page that shows an address with this part, as soon as there is one."""
        async with asyncio.timeout(START_S):
            while not (found := await self._socket_of(address)):
                await asyncio.sleep(POLL_S)
        async with (
            aiohttp.ClientSession() as http,
            task_scope() as tasks,
            http.ws_connect(found, max_msg_size=0) as socket,
        ):
            page = Page(socket, self)
            tasks.start(page.listen(), "chromium")
            await page.begin()
            yield page

    async def _socket_of(self, address: str) -> str | None:
        targets = await get(f"http://127.0.0.1:{self.port}/json/list")
        pages = [target for target in targets if target["type"] == "page" and address in target["url"]]
        return str(pages[0]["webSocketDebuggerUrl"]) if pages else None


async def _devtools_port(profile: Path) -> int:
    path = profile / "DevToolsActivePort"
    async with asyncio.timeout(START_S):
        while not (path.exists() and path.read_text().strip()):
            await asyncio.sleep(POLL_S)
    return int(path.read_text().split()[0])
