"""Measures the four stages on one GPU as a deployment has them and with some keys changed, one after the other.

`python -m tests.gpu.variants --mps --variants before,fp8 --only one,many,open --open 24 --caches DIR`. Each variant
(`VARIANTS`) is a start of the product's own server, and is measured as `tests.gpu.chain` does. The shipped deployment
gets room for `--room` callers, and batches as much larger. At the end each load of a variant is one line, under
`SUMMARY`; the same stands as JSON in the file of `-o`, and whole tables lie beside it, one file a variant. `--limit`
is for all of it: a variant for which less than `LEAST_S` are left is not begun. `--tiny` is a dry run on a CPU.
"""

import argparse
import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from tests.gpu.chain_measures import TINY, Extent
from tests.gpu.chain_run import SECTIONS, run
from tests.gpu.made_up import add_server_arguments, made_up_from, numbers
from tests.gpu.sections import Report, Row

LEAST_S = 100.0  # a warm start, and a load
FP8: dict[str, Any] = {"quantization": "fp8_per_channel"}
# What is changed of the `engine_args` of stages, by the name of a variant.
VARIANTS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "before": {},
    "fp8": {"asr": FP8, "aura": FP8},
    "fp8_aura": {"aura": FP8},
    "tf32": {"code2wav": {"dtype": "float32"}},
}
FIRST = ("first_ms_p50", "first_ms_p95", "worded", "worded_ms_p50", "worded_ms_p95", "share_200_ms")
TOLD = ("n", *FIRST, "gaps", "gap_ms_most", "gpu_busy_pct", "unanswered")
WAITS = ("wait_ms_p50", "wait_ms_p95", "step_ms_p50", "step_ms_p95")
STARTED = ("total_s", "cached", "asr_s", "aura_s", "qwen3_tts_s", "code2wav_s", "warm_up_s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path("variants.json"))
    parser.add_argument("--variants", default="before,fp8", help=f"of {', '.join(VARIANTS)} (%(default)s)")
    parser.add_argument("--only", default="many,open", help="sections of tests.gpu.chain (%(default)s)")
    add_server_arguments(parser)
    parser.add_argument("--room", type=int, default=32, help="callers for whom there is room (%(default)s)")
    parser.add_argument("--calls", type=numbers, default=(10,))
    parser.add_argument("--callers", type=numbers, default=(16,))
    parser.add_argument("--open", type=numbers, default=(24,))
    parser.add_argument("--seconds", type=float, default=45.0)
    parser.set_defaults(limit=530.0)
    args = parser.parse_args()
    names, sections = args.variants.split(","), args.only.split(",")
    for option, said, known in (("variants", names, VARIANTS), ("only", sections, SECTIONS)):
        if unknown := set(said) - {*known}:
            parser.error(f"--{option}: {', '.join(sorted(unknown))}: there are {', '.join(known)}")
    extent = Extent(calls=args.calls, callers=args.callers, open=args.open, measured_s=args.seconds)
    extent = replace(TINY, callers=(2,), open=(2,)) if args.tiny else extent
    rows = asyncio.run(measure(args, names, extent, sections))
    print("== SUMMARY")
    for row in rows:
        print("   ".join(f"{key} {value}" for key, value in row.items()), flush=True)


async def measure(args: argparse.Namespace, names: Sequence[str], extent: Extent, sections: Sequence[str]) -> list[Row]:
    """Returns the summary of all variants, which is written anew after each."""
    clock, out, rows = asyncio.get_running_loop().time, args.out.absolute(), list[Row]()
    ends = clock() + args.limit
    for name in names:
        if (left := ends - clock()) < LEAST_S:
            rows.append({"variant": name, "load": "left out, no time"})
            continue
        report = Report(out.with_suffix(f".{name}.json"))
        report.path.unlink(missing_ok=True)
        with TemporaryDirectory() as folder:
            deployment = Path(folder) / f"{name}.yaml"
            deployment.write_text(varied(args.deployment.read_text(), VARIANTS[name], args.room))
            with made_up_from(args, deployment) as place:
                await run(report, place, extent, sections, left)
        rows += summary_rows(name, json.loads(report.path.read_text()))
        out.write_text(json.dumps(rows, indent=1) + "\n")
    return rows


def varied(shipped: str, changes: Mapping[str, Mapping[str, Any]], room: int) -> str:
    """Returns a deployment's YAML with more room, and some `engine_args` changed.

    Args:
        changes: By the name of a stage.
        room: Callers for whom there is room; each stage's batch grows as they do.
    """
    told = yaml.safe_load(shipped)
    times = max(1, -(-room // told["max_sessions"]))
    told["max_sessions"] *= times
    for stage in told["stage_args"]:
        stage["runtime"]["max_batch_size"] *= times
        stage["engine_args"] |= changes.get(stage["engine_args"]["model_stage"], {})
    return yaml.safe_dump(told, sort_keys=False)


def summary_rows(variant: str, report: Mapping[str, Sequence[Row]]) -> Iterator[Row]:
    """Yields what a variant's report says in one row each: its start, the memory of its engines, and its loads."""
    for start in report.get("start", ()):
        yield {"variant": variant, "load": "start"} | _some(start, STARTED)
    for engine in report.get("start: engines", ()):
        yield {"variant": variant, "load": "engine"} | _some(engine, ("stage", "weights_gib", "kv_tokens", "graphs_s"))
    for name, rows in report.items():
        if "failed" in name:
            yield {"variant": variant, "load": name}
        elif rows and "first_ms_p50" in rows[-1]:
            steps = {row["step"]: f"{row['p50']}/{row['p95']}" for row in report.get(f"{name}: steps", ())}
            yield {"variant": variant, "load": name} | _some(rows[-1], TOLD) | steps
            yield from _waits(variant, name, report.get(f"{name}: waits in the engines", ()))


def _waits(variant: str, load: str, rows: Sequence[Row]) -> Iterator[Row]:
    for row in rows:
        place = f"{load}, {row['model']} {row['requests']}"
        yield {"variant": variant, "load": place, "n": row["n"]} | _some(row, WAITS)


def _some(row: Row, names: Sequence[str]) -> Row:
    return {name: row[name] for name in names if name in row}


if __name__ == "__main__":
    main()
