"""What the commands that need no server print on stdout is their result: what vLLM says stands on stderr."""

import os
import subprocess
import sys

import pytest

from tests.contract.vllm.chain import ROOT

pytestmark = pytest.mark.vllm

IMPORTED_S = 300  # until vLLM has been imported, on a machine that is busy

FAILS = """
from contextlib import suppress
from pipeline.cli.main import main
with suppress(SystemExit):
    main()
from vllm.config.logging import LoggingConfig
from vllm.logger import configure_logging, init_logger
configure_logging(LoggingConfig())  # as the first engine does
logger = init_logger("vllm.engine")
logger.error("an engine has died")
logger.warning("that is nothing")
"""


def test_of_vllm_only_errors_are_said_and_not_on_stdout(vllm_on_a_cpu: None) -> None:
    argv = (sys.executable, "-c", FAILS, "ask", "--text", "Hi?", "--model", "nowhere")
    environ = {name: value for name, value in os.environ.items() if not name.startswith("VLLM_LOGGING")}
    ended = subprocess.run(argv, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=IMPORTED_S)
    assert ended.stdout == ""
    assert "nowhere is no folder" in ended.stderr and "an engine has died" in ended.stderr
    assert "that is nothing" not in ended.stderr
