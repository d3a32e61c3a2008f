"""`aura-pipeline check` tells at once: it imports nothing that computes, where all of it is installed."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.vllm.chain import CONFIG, ROOT, write_models

pytestmark = pytest.mark.vllm

CHECK = (
    "import sys; sys.argv[0] = 'aura-pipeline'; from pipeline.cli.main import main; main(); "
    "print(sorted({'torch', 'transformers', 'vllm'} & set(sys.modules)))"
)


def test_check_looks_at_models_without_what_computes(vllm_on_a_cpu: None, tmp_path: Path) -> None:
    write_models(tmp_path)
    argv = (sys.executable, "-c", CHECK, "check", str(CONFIG), "--model-dir", str(tmp_path))
    ended = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[0] == "aura_omni: fine, 4 sessions"
    assert ended.stdout.splitlines()[-1] == "[]"
