"""What commands have in common that print results or write files."""

from collections.abc import MutableMapping
from pathlib import Path

from pipeline.errors import ConfigError

VLLM_SAYS = {"VLLM_LOGGING_LEVEL": "ERROR", "VLLM_LOGGING_STREAM": "ext://sys.stderr"}


def keep_stdout_for_results(environ: MutableMapping[str, str]) -> None:
    """Has vLLM, which asks only the environment, say errors only, and on stderr, unless that says otherwise."""
    for name, value in VLLM_SAYS.items():
        environ.setdefault(name, value)


def check_out(out: Path) -> None:
    """Finds out whether a file can be written, before minutes of work.

    Raises:
        ConfigError: It cannot.
    """
    existed = out.exists()
    try:
        out.open("ab").close()
    except OSError as error:
        raise ConfigError("--out", [f"{out} cannot be written: {error.strerror}"]) from error
    if not existed:
        out.unlink()
