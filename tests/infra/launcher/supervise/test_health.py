"""Parts are asked whether they are healthy, each in its language."""

import asyncio

import pytest

from infra.launcher.supervise.health import until_healthy

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """Real time: these are sockets."""
    return "asyncio"


@pytest.mark.parametrize("answer", [b"+PONG\r\n", b"-NOAUTH Authentication required.\r\n"])
async def test_a_redis_server_is_healthy_when_it_answers(answer: bytes) -> None:
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        writer.write(b"-LOADING\r\n" if len(asked) == 1 else answer)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with asyncio.timeout(5):
            await until_healthy(f"redis://127.0.0.1:{port}")
    assert asked == [b"PING\r\n"] * 2
