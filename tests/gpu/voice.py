"""Measures the Talker through vLLM's engine on one H100, at full size with dummy weights, then Code2Wav behind it.

`python -m tests.gpu.voice [-o voice.json] [--only talker,plain,sound]`. Each section is a process of its own with a
limit, and each of its tables is written when it is there; logs of the engines lie beside the report. All caches are
new ones, so that the first start is a cold one. `--tiny` is a dry run on a CPU.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.contract.vllm.speaking import ENVIRONMENT
from tests.gpu.sections import Report, run_section
from tests.gpu.voice_model import write_plugin, write_voice

LIMITS_S = {"talker": 220.0, "plain": 100.0, "sound": 150.0}
TINY_TIMES = 5  # slower
REGISTER = "pipeline.models.registry:register"
REGISTERS = {"plain": "tests.gpu.voice_plain:register"}
ON_A_GPU = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_USE_FLASHINFER_SAMPLER": "0",  # it would be compiled
    "VLLM_USE_V2_MODEL_RUNNER": "1",
}
ON_STDERR = {"VLLM_LOGGING_STREAM": "ext://sys.stderr"}
CACHES = ("VLLM_CACHE_ROOT", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path("voice.json"))
    parser.add_argument("--only", default=",".join(LIMITS_S))
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    report = Report(args.out.absolute())
    report.path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        write_voice(Path(folder), tiny=args.tiny)
        for name in args.only.split(","):
            _run(name, report, Path(folder), args.tiny)


def _run(name: str, report: Report, folder: Path, tiny: bool) -> None:
    plugin = folder / f"plugin_{name}"
    env = (ENVIRONMENT if tiny else ON_A_GPU) | {cache: str(folder / cache.lower()) for cache in CACHES}
    env |= ON_STDERR | write_plugin(plugin, REGISTERS.get(name, REGISTER))
    env["PYTHONPATH"] = os.pathsep.join([str(plugin), os.getcwd(), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "tests.gpu.voice_section", name, str(report.path), str(folder)]
    command += ["--tiny"] if tiny else []
    run_section(name, command, report, LIMITS_S[name] * (TINY_TIMES if tiny else 1), env)


if __name__ == "__main__":
    main()
