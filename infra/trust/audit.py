"""Asks whoever keeps lists of known faults about each pinned package."""

from collections.abc import Callable, Iterator

from infra.trust.finding import Finding, of_govulncheck, of_npm_audit, of_pip_audit
from infra.trust.toolbox import Toolbox, ToolRun

PYTHON = ("agent", "embedded", "vllm", "ray", "launcher", "dev")
GO = ("livekit-server", "livekit-sip")


def audit(tools: Toolbox) -> Iterator[Finding]:
    """One finding for each list of packages, as they come."""
    for name in PYTHON:
        pins = tools.root / "infra" / "requirements" / f"{name}.txt"
        arguments = ("--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json")
        run = tools.python_tool("pip-audit", *arguments, "-r", str(pins))
        yield _found(f"Python, {pins.name}", run, of_pip_audit)
    yield _found("JavaScript, package-lock.json", tools.npm("audit", "--package-lock-only", "--json"), of_npm_audit)
    for name in GO:
        program = tools.home / "bin" / name
        if not program.exists():
            yield Finding(f"Go, {name}", unasked="it is not built here")
            continue
        run = tools.go_tool("govulncheck", "-mode", "binary", "-format", "json", str(program))
        yield _found(f"Go, {name}", run, of_govulncheck)


def _found(what: str, run: ToolRun, read: Callable[[str, str, str], Finding]) -> Finding:
    if run.missing:
        return Finding(what, unasked=run.missing)
    return read(what, run.output, run.error.strip() or f"it ended with code {run.status}" if run.status else "")
