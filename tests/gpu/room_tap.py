"""Stands between an agent and its pipeline as a process of its own, and writes down when what went by.

`python -m tests.gpu.room_tap --port PORT --pipeline URL --log FILE`. What is said is handed on as it came. A line of
the log is one JSON object: `session`, `at` (seconds on the machine's monotonic clock, which is asyncio's, too), `type`
and what the event says of itself that a measurement needs: no words, and no sound. Recognisers whose weights are made
up end no sentence, and trained ones do: with `--full-stops` one is put behind what is settled.
"""

import argparse
import asyncio
import json
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import aiohttp
import numpy as np
from aiohttp import WSMsgType, web

from tests.gpu.sections import Row

HOST = "127.0.0.1"
MOST_BYTES = 16 << 20
LOUD = 250  # least peak of a piece with speech, in 16-bit samples; the same as of an ear's frame
SOUND, PICTURE = '{"type":"input_audio_buffer.append"', '{"type":"input_video_buffer.append"'
PARTIAL = "input_audio_buffer.partial"
TOLD = ("input_audio_buffer.activity", "input_audio_buffer.commit", "input_audio_buffer.clear")
SPEAKS = "response.output_audio.delta"


class SessionTap:
    """Makes rows of what goes by in one session. Pure: the caller says when it was."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._loud_at: float | None = None
        self._sounding: set[str] = set()

    def up(self, text: str, at: float) -> Iterator[Row]:
        """What the agent says to the pipeline."""
        if text.startswith(PICTURE):
            return
        event = json.loads(text)
        kind = event["type"]
        if kind == "input_audio_buffer.append":
            self._hear(event["audio"], at)
        elif kind in TOLD:
            yield self._row(at, kind, speaking=event.get("speaking"), loud_at=self._loud_at)
        elif kind == "response.create":
            said = "say" in ((event.get("response") or {}).get("metadata") or {})
            yield self._row(at, kind, event_id=event.get("event_id"), said=said)
        elif kind == "response.cancel":
            yield self._row(at, kind)

    def down(self, text: str, at: float) -> Iterator[Row]:
        """What the pipeline says to the agent."""
        event = json.loads(text)
        kind = event["type"]
        if kind == "session.created":
            yield self._row(at, kind, token=((event["session"].get("aura") or {}).get("resume_token")))
        elif kind == PARTIAL:
            yield self._row(at, kind, settled=event.get("settled"), kind=event.get("kind"))
        elif kind == "response.created":
            metadata = event["response"].get("metadata") or {}
            yield self._row(at, kind, response=event["response"]["id"], event_id=metadata.get("client_event_id"))
        elif kind == SPEAKS and event["response_id"] not in self._sounding:
            self._sounding.add(event["response_id"])
            yield self._row(at, kind, response=event["response_id"])
        elif kind == "response.done":
            response = event["response"]
            metadata = response.get("metadata") or {}
            told = {"status": response["status"], "decision": metadata.get("decision")}
            timings = json.loads(metadata.get("timings") or "{}")
            yield self._row(at, kind, response=response["id"], timings=timings, **told)

    def _hear(self, audio: str, at: float) -> None:
        samples = np.frombuffer(b64decode(audio), "<i2")
        if len(samples) and int(np.abs(samples.astype(np.int32)).max()) >= LOUD:
            self._loud_at = at

    def _row(self, at: float, type_: str, **fields: Any) -> Row:
        told = {name: value for name, value in fields.items() if value is not None}
        return {"session": self._number, "at": at, "type": type_, **told}


def with_full_stop(text: str) -> str:
    """What the pipeline says, with a full stop behind the words of a hypothesis that is settled."""
    if PARTIAL not in text or (event := json.loads(text))["type"] != PARTIAL:
        return text
    words = event["text"].rstrip()
    if not event["settled"] or not words or words.endswith((".", "?", "!")):
        return text
    return json.dumps(event | {"text": f"{words}."}, separators=(",", ":"))


class Tap:
    """A WebSocket server in front of the pipeline's."""

    def __init__(self, pipeline: str, log: TextIO, *, full_stops: bool) -> None:
        self._pipeline, self._log = pipeline, log
        self._full_stops = full_stops
        self._sessions = 0

    def application(self) -> web.Application:
        app = web.Application()
        app.add_routes([web.get("/health", self._health), web.get("/v1/realtime", self._converse)])
        return app

    async def _health(self, _: web.Request) -> web.Response:
        return web.json_response({"sessions": self._sessions})

    async def _converse(self, request: web.Request) -> web.StreamResponse:
        headers = {"Authorization": request.headers.get("Authorization", "")}
        address = f"{self._pipeline}{request.path_qs}"
        async with aiohttp.ClientSession() as http:
            try:
                pipeline = await http.ws_connect(address, headers=headers, max_msg_size=MOST_BYTES, compress=0)
            except aiohttp.WSServerHandshakeError as refused:
                again = refused.headers.get("Retry-After", "5") if refused.headers else "5"
                return web.Response(status=refused.status, headers={"Retry-After": again})
            agent = web.WebSocketResponse(max_msg_size=MOST_BYTES, compress=False)
            await agent.prepare(request)
            self._sessions += 1
            session = SessionTap(self._sessions)
            async with asyncio.TaskGroup() as tasks:
                down = tasks.create_task(
                    self._hand_on(pipeline, agent, session.down, full_stops=self._full_stops), name="tap:down"
                )
                await self._hand_on(agent, pipeline, session.up)
                down.cancel()
            await pipeline.close()
            return agent

    async def _hand_on(self, source: Any, sink: Any, rows: Any, *, full_stops: bool = False) -> None:
        """First to whom it is for, then into the log."""
        clock = asyncio.get_running_loop().time
        async for message in source:
            if message.type is WSMsgType.TEXT:
                at = clock()
                try:
                    await sink.send_str(with_full_stop(message.data) if full_stops else message.data)
                except (ConnectionError, aiohttp.ClientError):
                    return
                for row in rows(message.data, at):
                    self._log.write(json.dumps(row) + "\n")
        await sink.close(code=source.close_code or 1000)


async def serve(port: int, pipeline: str, log: Path, *, full_stops: bool) -> None:
    """Until it is ended."""
    with log.open("w", buffering=1) as told:
        runner = web.AppRunner(Tap(pipeline, told, full_stops=full_stops).application(), access_log=None)
        await runner.setup()
        await web.TCPSite(runner, HOST, port).start()
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--pipeline", required=True)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--full-stops", action="store_true")
    asked = parser.parse_args()
    asyncio.run(serve(asked.port, asked.pipeline, asked.log, full_stops=asked.full_stops))


if __name__ == "__main__":
    main()
