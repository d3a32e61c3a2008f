"""Somebody on another device: opens the page, says the password, hears the greeting, types a question and is answered.

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
WAYS = """
Promise.all(window.connections.map(async connection => {
  const stats = await connection.getStats(), all = [...stats.values()];
  const transport = all.find(({type}) => type === 'transport');
  const pair = transport && stats.get(transport.selectedCandidatePairId);
  const local = pair && stats.get(pair.localCandidateId);
  const sound = all.find(({type, kind}) => type === 'inbound-rtp' && kind === 'audio');
  return local && {through: local.relayProtocol ? `turn/${local.relayProtocol}` : local.protocol,
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
        await _heard(page)
        await page.click(element("chat-input"))
        await page.type(QUESTION)
        await page.until(f"{element('chat-send')}.ariaDisabled === 'false'", FOUND_S, "a message that can be sent")
        await page.click(element("chat-send"))
        answered = f"document.body.textContent.split({json.dumps(QUESTION)}).length > 2"  # the parrot says it back
        await page.until(answered, ANSWER_S, "the answer")
        ways = [way for way in await page.run(WAYS) if way]  # by now the best of them is taken
        return {"told": told, "ways": ways, "secure": await page.run("isSecureContext")}


async def _say(page: Page, password: str) -> None:
    await page.until(element("password"), FOUND_S, "being asked for the password")
    await page.run(f"{element('password')}.focus(); {element('password')}.select()")
    await page.type(password)
    await page.click(element("enter"))


async def _heard(page: Page) -> None:
    """Return once sound has come."""
    async with asyncio.timeout(ANSWER_S):
        while not any(way and way["heard"] > 0 for way in await page.run(WAYS)):
            await asyncio.sleep(0.2)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(call(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))))
