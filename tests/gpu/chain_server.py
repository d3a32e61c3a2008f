"""What a served chain tells of itself: how it started, what its processes hold, how late its event loop is."""

import re
from importlib.metadata import version
from urllib.request import urlopen

from aiohttp import web

from pipeline.runtime.profiles import silero
from tests.contract.vllm.chain import Chain
from tests.gpu.memory import gpu_mib, mib_by_process
from tests.gpu.sections import Row

PACKAGES = (
    "aiohttp",
    "msgspec",
    "numpy",
    "onnxruntime",
    "pillow",
    "prometheus-client",
    "soxr",
    "threadpoolctl",
    "torch",
    "transformers",
)
STARTED = re.compile(r'aura_engine_start_seconds\{stage="(\w+)"\} (\S+)')
LATE = re.compile(r"^aura_loop_lag_seconds (\S+)", re.MULTILINE)
PASSES = re.compile(r'^aura_asr_passes_total\{draft="(\w+)"\} (\S+)', re.MULTILINE)
EARLY = re.compile(r'^aura_early_answers_total\{outcome="(\w+)"\} (\S+)', re.MULTILINE)
DRAFTED = re.compile(r"^aura_spec_decode_(draft|accepted)_tokens_total (\S+)", re.MULTILINE)
OPENED = re.compile(r" (\w+) started in \S+ s")
WARM = re.compile(r"warm after (\S+) s")
TOLD = re.compile(r"\(EngineCore pid=(\d+)\)[^\n]*\] ([^\n]*)")
ENGINE = {  # what vLLM's engines say, and what to call it
    "weights_gib": re.compile(r"Model loading took (\S+) GiB"),
    "load_s": re.compile(r"Model loading took \S+ GiB memory and (\S+) seconds"),
    "compile_s": re.compile(r"torch.compile took (\S+) s in total"),
    "kv_gib": re.compile(r"(?:reserved|Available KV cache memory:) (\S+) GiB"),
    "kv_tokens": re.compile(r"GPU KV cache size: (\S+) tokens"),
    "graphs_gib": re.compile(r"Graph capturing finished in \S+ secs, took (\S+) GiB"),
    "graphs_s": re.compile(r"Graph capturing finished in (\S+) secs"),
    "init_s": re.compile(r"init engine .* took (\S+) s"),
}


def versions() -> Row:
    """Of what the server is made of; it fails here and not after minutes if something is missing."""
    silero()
    there = {name: version(name) for name in PACKAGES}
    assert hasattr(web.WebSocketResponse, "send_frame"), f"aiohttp {there['aiohttp']} is too old"
    return there


def metrics(chain: Chain) -> str:
    with urlopen(f"{chain.url}/metrics", timeout=10) as answer:
        page: bytes = answer.read()
    return page.decode()


def start_row(chain: Chain, total_s: float) -> Row:
    """Seconds until it was ready, and of each stage, some of which start side by side."""
    stages = {f"{stage}_s": float(seconds) for stage, seconds in STARTED.findall(metrics(chain))}
    warm = WARM.search(chain.log.read_text(errors="replace"))
    return {"total_s": total_s, **stages, "warm_up_s": float(warm[1]) if warm else 0.0}


def started_stages(chain: Chain) -> list[str]:
    """So far, in order."""
    return OPENED.findall(chain.log.read_text(errors="replace"))


def engine_rows(chain: Chain) -> list[Row]:
    """What vLLM's engines have said of their own starts, in the order of the stages."""
    names, rows = chain.stages(), dict[int, Row]()
    for number, said in TOLD.findall(chain.log.read_text(errors="replace")):
        row = rows.setdefault(int(number), {"stage": names.get(int(number), f"pid {number}")})
        for what, pattern in ENGINE.items():
            if found := pattern.search(said):
                row[what] = found[1]
    return list(rows.values())


def memory_rows(chain: Chain, gpu: int = 0) -> list[Row]:
    """MiB of GPUs by process, and of all on that GPU."""
    names = {**chain.stages(), chain.process.pid: "server"}
    rows: list[Row] = [{"stage": names.get(pid, f"pid {pid}"), "gpu_mib": mib} for pid, mib in mib_by_process()]
    return [*rows, {"stage": "all", "gpu_mib": gpu_mib(gpu)}]


def drafts(before: str, after: str) -> Row:
    """What became of the recogniser's drafts between two pages of metrics, the share of those wholly right, and what
    became of the answers that were begun early."""
    row: Row = {}
    for what, pattern in (("passes", PASSES), ("tokens", DRAFTED), ("early", EARLY)):
        earlier = {name: float(count) for name, count in pattern.findall(before)}
        for name, count in pattern.findall(after):
            row[f"{name}_{what}"] = round(float(count) - earlier.get(name, 0.0))
    tried = row.get("right_passes", 0) + row.get("wrong_passes", 0)
    return row | {"right_share": row.get("right_passes", 0) / tried if tried else None}


def loop_lag_s(page: str) -> float:
    found = LATE.search(page)
    return float(found[1]) if found else 0.0
