"""A collector of OpenTelemetry's: takes spans by OTLP over HTTP, and keeps them."""

import gzip
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@asynccontextmanager
async def collector() -> AsyncGenerator[tuple[str, list[ExportTraceServiceRequest]], None]:
    """Its address, and what it has been sent so far."""
    sent: list[ExportTraceServiceRequest] = []

    async def take(request: web.Request) -> web.Response:
        body = await request.read()
        packed = body.startswith(b"\x1f\x8b")
        sent.append(ExportTraceServiceRequest.FromString(gzip.decompress(body) if packed else body))
        return web.Response()

    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_post("/v1/traces", take)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}", sent
    finally:
        await runner.cleanup()
