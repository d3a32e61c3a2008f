"""Somebody on another device: opens the page, says the password, types a question, and waits for the answer.

    python -m tests.e2e.caller_outside FOLDER URL PASSWORD

Prints what they met, as JSON. It runs in a network of its own, where the test cannot reach its browser.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from tests.e2e.chromium import Page, chromium, element

FOUND_S, ANSWER_S = 40.0, 60.0
QUESTION = "Good morning from outside"
KEEP_CONNECTIONS = """
const Real = RTCPeerConnection;
window.connections = [];
window.RTCPeerConnection = class extends Real {
  constructor(...given) { super(...given); window.connections.push(this); }
};
"""
CONNECTED = "window.connections.some(({connectionState}) => connectionState === 'connected')"
WAYS = """
Promise.all(window.connections.map(async connection => {
  const stats = await connection.getStats(), all = [...stats.values()];
  const transport = all.find(({type}) => type === 'transport');
  const pair = transport && stats.get(transport.selectedCandidatePairId);
  const local = pair && stats.get(pair.localCandidateId);
  const sound = all.find(({type, kind}) => type === 'inbound-rtp' && kind === 'audio');
  return local && {kind: local.candidateType, relay: local.relayProtocol ?? '', port: local.port,
    received: pair.bytesReceived, sent: pair.bytesSent, heard: sound?.totalAudioEnergy ?? 0};
}))
"""


async def call(folder: Path, url: str, password: str) -> dict[str, Any]:
    async with chromium(folder) as page:
        await page.first_run(KEEP_CONNECTIONS)
        await page.open(f"{url}?autostart=1&camera=0&lang=en")
        await _say(page, "not the password")
        await page.until(f"{element('access-problem')}?.textContent", FOUND_S, "being told that it is wrong")
        told = await page.run(f"{element('access-problem')}.textContent")
        await _say(page, password)
        await page.until(element("chat-input"), FOUND_S, "the call")
        await page.until(
            "window.connections.some(({connectionState}) => connectionState === 'connected')", FOUND_S, "media"
        )
        await page.run(f"{element('chat-input')}.focus()")
        await page.type(QUESTION)
        await page.click(element("chat-send"))
        answered = f"document.body.textContent.split({json.dumps(QUESTION)}).length > 2"  # the parrot says it back
        await page.until(answered, ANSWER_S, "the answer")
        ways = await _heard(page)
        return {"told": told, "ways": [way for way in ways if way], "secure": await page.run("isSecureContext")}


async def _say(page: Page, password: str) -> None:
    await page.until(element("password"), FOUND_S, "being asked for the password")
    await page.run(f"{element('password')}.focus(); {element('password')}.select()")
    await page.type(password)
    await page.click(element("enter"))


async def _heard(page: Page) -> list[dict[str, Any]]:
    """The ways that media go, once the answer is heard."""
    async with asyncio.timeout(ANSWER_S):
        while True:
            ways: list[dict[str, Any]] = await page.run(WAYS)
            if any(way and way["heard"] > 0 for way in ways):
                return ways
            await asyncio.sleep(0.2)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(call(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))))
