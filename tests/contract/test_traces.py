"""A served pipeline sends its spans by OTLP to whom the environment names, and the last ones when it ends."""

import asyncio
import sys

import pytest

from pipeline.realtime.client import connect
from tests.collector import collector
from tests.contract.test_serve import ROOT, serving
from tests.contract.wire_wait import PATIENCE_S
from tests.served import KEY

pytestmark = pytest.mark.contract

TRACE = "0af7651916cd43dd8448eb211c80319c"


async def test_a_collector_is_sent_the_spans_of_a_turn() -> None:
    async with collector() as (url, sent):
        told = {"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_EXPORTER_OTLP_COMPRESSION": "none"}
        async with serving(told) as pipeline, asyncio.timeout(PATIENCE_S):
            async with connect(pipeline.url, KEY) as client:
                events = aiter(client)
                await anext(events)
                metadata = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01", "say": "Hello there."}
                await client.send({"type": "response.create", "response": {"metadata": metadata}})
                async for event in events:
                    if event["type"] == "response.done":
                        break
            pipeline.running.terminate()
            await pipeline.running.wait()
    spans = [span for request in sent for each in request.resource_spans for s in each.scope_spans for span in s.spans]
    assert {span.trace_id.hex() for span in spans} == {TRACE}
    assert {"generate_content tts"} < {span.name for span in spans}
    services = {
        a.value.string_value
        for r in sent
        for e in r.resource_spans
        for a in e.resource.attributes
        if a.key == "service.name"
    }
    assert services == {"aura-pipeline"}
    assert b"Hello there" not in b"".join(request.SerializeToString() for request in sent)


async def test_without_a_collector_nothing_of_it_is_loaded() -> None:
    script = "import sys, pipeline.cli.main; print('opentelemetry.sdk' in sys.modules, 'requests' in sys.modules)"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await process.communicate()
    assert said.decode().split() == ["False", "False"]
