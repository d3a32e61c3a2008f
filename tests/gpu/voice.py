"""Measures the Talker through vLLM's engine on one H100, at full size with dummy weights, then Code2Wav behind it.

`python -m tests.gpu.voice [-o voice.json] [--only talker,plain,sound] [--mps]`. Each section is a process of its own
with a limit, and each of its tables is written when it is there; logs of the engines lie beside the report. All caches
are new ones, so that the first start is a cold one. `--mps` lets the two processes of `sound` use the GPU at the same
time, under NVIDIA's Multi-Process Service, and not by turns. `--tiny` is a dry run on a CPU.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.gpu.environment import REGISTER, environment
from tests.gpu.sections import Report, run_section
from tests.gpu.voice_model import write_voice

LIMITS_S = {"talker": 220.0, "plain": 120.0, "sound": 180.0}
TINY_TIMES = 5  # slower
REGISTERS = {"plain": "tests.gpu.voice_plain:register"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path("voice.json"))
    parser.add_argument("--only", default=",".join(LIMITS_S))
    parser.add_argument("--mps", action="store_true")
    parser.add_argument("--talker", default="{}", help='more of the Talker, such as {"max_model_len": 1024}')
    parser.add_argument("--code2wav", default="{}", help='more of Code2Wav, such as {"dtype": "bfloat16"}')
    parser.add_argument("--callers", help="for example 1,8: fewer loads")
    parser.add_argument("--caches", type=Path, metavar="DIR", help="of an earlier start, in place of new ones")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    report = Report(args.out.absolute())
    report.path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        write_voice(Path(folder), tiny=args.tiny)
        with mps(Path(folder), args.mps) as service:
            for name in args.only.split(","):
                _run(name, report, Path(folder), args, service)


@contextmanager
def mps(folder: Path, wanted: bool) -> Iterator[dict[str, str]]:
    """What processes are told that are to share a GPU: nothing, or where the daemon is that is started for them.

    It sees all GPUs: one that sees some of them numbers these anew, and `CUDA_VISIBLE_DEVICES` of its clients would
    name others. See https://docs.nvidia.com/deploy/mps.
    """
    if not wanted:
        yield {}
        return
    told = {f"CUDA_MPS_{what}_DIRECTORY": str(folder / f"mps_{what.lower()}") for what in ("PIPE", "LOG")}
    for place in told.values():
        Path(place).mkdir()
    env = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"} | told
    subprocess.run(["nvidia-cuda-mps-control", "-d"], env=env, check=True)
    try:
        yield told
    finally:
        subprocess.run(["nvidia-cuda-mps-control"], input="quit\n", text=True, env=env, check=True)


def _run(name: str, report: Report, folder: Path, args: argparse.Namespace, service: dict[str, str]) -> None:
    tiny: bool = args.tiny
    register = REGISTERS.get(name, REGISTER)
    env = environment(folder / f"plugin_{name}", args.caches or folder, register, tiny=tiny) | service
    command = [sys.executable, "-m", "tests.gpu.voice_section", name, str(report.path), str(folder)]
    command += ["--talker", args.talker, "--code2wav", args.code2wav, *(["--tiny"] if tiny else [])]
    command += ["--callers", args.callers] if args.callers else []
    run_section(name, command, report, LIMITS_S[name] * (TINY_TIMES if tiny else 1), env)


if __name__ == "__main__":
    main()
