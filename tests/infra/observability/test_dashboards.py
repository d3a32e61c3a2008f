"""Dashboards and alerts ask only for what the code exports, and a real Prometheus answers each of their queries."""

import asyncio
import json
import re
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
import yaml
from aiohttp import web

from agent.status.worker_figures import WorkerFigures
from infra.free_ports import free_ports
from pipeline.runtime.metrics import Metrics
from pipeline.types.chunks import DraftOutcome
from pipeline.types.events.input_events import EarlyAnswersEnded, TranscriptionCompleted
from pipeline.types.events.response_events import EnginesReleased, ResponseDone, Status
from pipeline.types.turn_request import ResponseOptions
from tests.docs.tables import DOCS, tables

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "infra" / "observability"
RULES = FOLDER / "prometheus" / "rules" / "aura.yml"
NAME = re.compile(r"\baura_[a-z_]+")
COUNTED = re.compile(r'\baura_[a-z_]+_total\{\w+="\w+"\}')
SERIES = ("", "_total", "_bucket", "_count", "_sum")
ANSWERS_S = 60.0  # on a busy machine; a second or two else
RANGE = "$__rate_interval"

promtool = pytest.mark.skipif(not shutil.which("promtool"), reason="Debian's package prometheus is not installed")


def test_only_metrics_are_asked_for_that_the_code_exports() -> None:
    families = {family.name for each in (Metrics(), WorkerFigures()) for family in each.registry.collect()}
    exported = {f"{family}{suffix}" for family in families for suffix in SERIES}
    asked = {name for query in [*alerts().values(), *panels()] for name in NAME.findall(query)}
    assert asked - exported == set()
    assert len(asked) > 15


def test_what_an_alert_counts_is_zero_before_it_happens_first() -> None:
    page = Metrics().page().decode()
    counted = {found for query in alerts().values() for found in COUNTED.findall(query)}
    assert len(counted) >= 3
    assert {each for each in counted if f"{each} 0.0\n" not in page} == set()


def test_every_alert_is_explained_to_operators_and_no_other() -> None:
    written = {row[0].strip("`") for row in tables(DOCS / "operations.md")["Incidents"]}
    assert written == set(alerts())


@promtool
async def test_alerts_come_when_they_should_and_are_silent_when_they_should() -> None:
    for arguments in (
        ("check", "config", str(FOLDER / "prometheus" / "prometheus.yml")),
        ("test", "rules", str(Path(__file__).with_name("rules_test.yml"))),
    ):
        process = await asyncio.create_subprocess_exec(
            "promtool", *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        said, _ = await process.communicate()
        assert process.returncode == 0, said.decode()


def test_every_alert_is_tried_both_ways() -> None:
    told = yaml.safe_load(Path(__file__).with_name("rules_test.yml").read_text())
    tried = [each for test in told["tests"] for each in test["alert_rule_test"]]
    for fires in (True, False):
        assert {each["alertname"] for each in tried if ("exp_alerts" in each) is fires} == set(alerts())


@promtool
async def test_a_real_prometheus_has_an_answer_to_every_query(tmp_path: Path) -> None:
    queries = [re.sub(r"\[[^\]]*\]", "[20s]", query) for query in panels()]
    queries += [re.sub(r"\[[^\]]*\]", "[20s]", re.sub(r"(==|>=|[<>]).*", "", query)) for query in alerts().values()]
    async with prometheus(tmp_path) as url, aiohttp.ClientSession() as http:
        for query in queries:
            async with asyncio.timeout(ANSWERS_S):
                while not (found := await answer(http, url, query.replace(RANGE, "20s"))):
                    await asyncio.sleep(0.3)
            assert all(each["value"][1] != "NaN" for each in found), query


async def answer(http: aiohttp.ClientSession, url: str, query: str) -> list[dict[str, list[str]]]:
    async with http.get(f"{url}/api/v1/query", params={"query": query}) as told:
        body = await told.json()
        assert body["status"] == "success", (query, body)
        found: list[dict[str, list[str]]] = body["data"]["result"]
        return [] if any(each["value"][1] == "NaN" for each in found) else found


@asynccontextmanager
async def prometheus(folder: Path) -> AsyncGenerator[str, None]:
    """A Prometheus that scrapes both pages each second, and whose figures grow."""
    pipeline, worker = Metrics(), WorkerFigures()

    async def page(request: web.Request) -> web.Response:
        live_through(pipeline)
        worker.replaced.inc()
        return web.Response(body=pipeline.page() + worker.page(), content_type="text/plain")

    app = web.Application()
    app.router.add_get("/metrics", page)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    target, own = free_ports(1)[0], free_ports(1)[0]
    await web.TCPSite(runner, "127.0.0.1", target).start()
    config = {
        "global": {"scrape_interval": "1s"},
        "scrape_configs": [{"job_name": "aura-pipeline", "static_configs": [{"targets": [f"127.0.0.1:{target}"]}]}],
    }
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    process = await asyncio.create_subprocess_exec(
        "prometheus",
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'tsdb'}",
        f"--web.listen-address=127.0.0.1:{own}",
        stderr=asyncio.subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{own}"
    try:
        async with asyncio.timeout(ANSWERS_S), aiohttp.ClientSession() as http:
            while not await is_ready(http, url):
                await asyncio.sleep(0.2)
        yield url
    finally:
        process.terminate()
        await process.wait()
        await runner.cleanup()


async def is_ready(http: aiohttp.ClientSession, url: str) -> bool:
    try:
        async with http.get(f"{url}/-/ready") as told:
            return told.status == 200
    except aiohttp.ClientError:
        return False


def live_through(metrics: Metrics) -> None:
    """A moment in which everything happens once."""
    statuses: tuple[Status, ...] = ("completed", "failed")
    for status in statuses:
        timings = {"speech_end": 1.0, "created": 1.2, "first_sent": 1.5}
        metrics.happened(ResponseDone("r", ResponseOptions(), {}, status, timings=timings, gaps=1))
    metrics.happened(EnginesReleased("r", {"tts": 0.02}))
    metrics.happened(TranscriptionCompleted("i", "", 1.0, (DraftOutcome(4, 4), DraftOutcome(4, 2))))
    metrics.happened(EarlyAnswersEnded("i", 1, 1))
    metrics.refused("full")
    metrics.turned_away("full")
    metrics.max_sessions.set(4)
    metrics.busy.labels("tts").set(1)
    metrics.restarts.labels("tts").set(1)


def alerts() -> dict[str, str]:
    groups = yaml.safe_load(RULES.read_text())["groups"]
    return {rule["alert"]: rule["expr"] for group in groups for rule in group["rules"]}


def panels() -> list[str]:
    files = sorted((FOLDER / "grafana" / "dashboards").glob("*.json"))
    told = [json.loads(path.read_text()) for path in files]
    return [target["expr"] for each in told for panel in each["panels"] for target in panel["targets"]]
