"""The HTTP interface of llama.cpp's server, over loopback."""

import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import aiohttp

from pipeline.engines.llamacpp.server.prompt_refused import PromptRefused

CONNECT_S = 5.0
EVENT = b"data: "
IDLE_S = 4.0  # for which a connection is kept: the server closes its own after 5 (cpp-httplib's keep-alive timeout)


@dataclass(frozen=True, slots=True)
class ServerApi:
    """Asks the server. Every method raises `aiohttp.ClientError` once the server is gone."""

    http: aiohttp.ClientSession

    @classmethod
    def at(cls, address: str, key: str) -> Self:
        timeout = aiohttp.ClientTimeout(total=None, connect=CONNECT_S)
        connector = aiohttp.TCPConnector(keepalive_timeout=IDLE_S)
        headers = {"Authorization": f"Bearer {key}"}
        return cls(aiohttp.ClientSession(address, headers=headers, timeout=timeout, connector=connector))

    async def aclose(self) -> None:
        await self.http.close()

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Returns the answer.

        Raises:
            PromptRefused: The server does not serve it.
        """
        async with self.http.post(path, json=body) as response:
            if response.status != 200:
                raise PromptRefused.of(await response.text())
            return await response.json()

    async def events(self, path: str, body: Mapping[str, Any]) -> AsyncGenerator[Mapping[str, Any], None]:
        """Yields the server-sent events of an answer. Closing it early closes the connection.

        Raises:
            PromptRefused: The server does not serve it.
        """
        async with self.http.post(path, json=body, headers={"Connection": "close"}) as response:
            if response.status != 200:
                raise PromptRefused.of(await response.text())
            async for line in response.content:
                if line.startswith(EVENT):
                    yield json.loads(line.removeprefix(EVENT))

    async def processing(self) -> list[bool]:
        """Asks for each slot whether it computes now."""
        async with self.http.get("/slots") as response:
            return [slot["is_processing"] for slot in await response.json()]

    async def slot_action(self, slot: int, action: str, file: str = "") -> bool:
        """`save` a slot's state to a file, `restore` it from there, or `erase` it; False if that failed."""
        body = {"filename": file} if file else {}
        async with self.http.post(f"/slots/{slot}", params={"action": action}, json=body) as response:
            return response.status == 200
