"""Runs the launcher in a venv of its own, which it makes at the first start: rich, uv, and what they need.

Stands alone: any Python that is new enough runs it, before anything is installed.
"""

import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

LAUNCHER = Path(__file__).resolve().parent
ROOT = LAUNCHER.parents[1]
REQUIREMENTS = ROOT / "infra" / "requirements" / "launcher.txt"
PIP_INSTALL = (
    *("-m", "pip", "install", "--retries", "2", "--no-input", "--disable-pip-version-check", "--no-compile"),
    *("--only-binary", ":all:", "--no-deps", "--require-hashes"),
)
NEVER, WHERE = "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"
UNREACHABLE = (
    "NewConnectionError",
    "NameResolutionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "Temporary failure in name resolution",
    "Name or service not known",
    "Network is unreachable",
    "Connection refused",
)


def main(arguments: list[str], environ: Mapping[str, str]) -> None:
    """Become the launcher.

    Raises:
        SystemExit: Its venv cannot be made; says why in a line.
    """
    verb = arguments[0]
    home = Path(os.path.abspath(environ.get("AURA_HOME") or ROOT / ".aura"))
    python = home / "boot" / "bin" / "python"
    whole = python.exists() and _stamp(home).exists()
    if not (whole and (verb == "down" or is_fresh(home))):  # what runs must be stopped, without a network too
        try:
            make_venv(home, environ)
        except BootstrapError as error:
            sys.exit(f"infra/{verb}: {error}")
        except OSError as error:
            sys.exit(f"infra/{verb}: AURA_HOME is {home}, and cannot be written to: {error.strerror}")
    os.execve(python, [str(python), str(LAUNCHER), *arguments], with_bytecode(environ, home))


class BootstrapError(Exception):
    """The venv cannot be made; the message says why, with the way out."""


def is_fresh(home: Path) -> bool:
    """Whether the venv was made by this Python from these requirements."""
    stamp = _stamp(home)
    return stamp.exists() and stamp.read_text() == digest_of(home)


def make_venv(home: Path, environ: Mapping[str, str]) -> None:
    """Make the launcher's venv at `home/boot`; of several launchers that begin at once, one does.

    It is made beside an older one, which stops what runs until the new one is whole.

    Raises:
        BootstrapError: This Python makes none, or what is to be installed cannot be had.
    """
    log = home / "logs" / "setup" / "launcher.log"
    venv, new, old = home / "boot", home / "boot.new", home / "boot.old"
    log.parent.mkdir(parents=True, exist_ok=True)
    with (home / "boot.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_fresh(home):
            return
        if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            raise BootstrapError(f"this Python has no venv module; on Debian: apt-get install python{version}-venv")
        print("  launcher             installing what it runs with (25 MB)", flush=True)
        _run([sys.executable, "-m", "venv", "--clear", str(new)], environ, log)
        _run([str(new / "bin" / "python"), *PIP_INSTALL, "--requirement", str(REQUIREMENTS)], environ, log)
        _stamp(home).parent.mkdir(parents=True, exist_ok=True)
        _stamp(home).unlink(missing_ok=True)
        shutil.rmtree(old, ignore_errors=True)
        if venv.exists():
            venv.rename(old)
        new.rename(venv)
        _stamp(home).write_text(digest_of(home))
        shutil.rmtree(old, ignore_errors=True)


def with_bytecode(environ: Mapping[str, str], home: Path) -> dict[str, str]:
    """An environment in which each module is compiled once, beside nobody's sources; all that runs here inherits it.

    Who wants no bytecode there (images often say so) would have every process compile all that it imports: 9,000
    modules, and 20 seconds, where it is vLLM.
    """
    kept = {name: value for name, value in environ.items() if name != NEVER}
    return {WHERE: str(home / "pycache"), **kept}


def _stamp(home: Path) -> Path:
    return home / "stamps" / "boot"


def digest_of(home: Path) -> str:
    """Digests all that goes into the venv."""
    facts = f"{sys.version}\n{home}\n{REQUIREMENTS.read_text()}"
    return hashlib.sha256(facts.encode()).hexdigest()


def _run(argv: list[str], environ: Mapping[str, str], log: Path) -> None:
    ended = subprocess.run(argv, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    output = ended.stdout + ended.stderr
    log.write_text(f"$ {' '.join(argv)}\n{output}")
    if ended.returncode and any(sign in output for sign in UNREACHABLE):
        raise BootstrapError(
            f"the launcher's venv needs the network, and nothing could be reached; connect and try again (see {log})"
        )
    if ended.returncode:
        end = "\n".join(f"    {line}" for line in output.splitlines()[-15:])
        raise BootstrapError(f"the launcher's venv could not be made; the end of {log}:\n{end}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:], os.environ)
    except KeyboardInterrupt:
        sys.exit(130)
