"""Makes the keys of this installation, once, and keeps them where only its owner can read."""

import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

from infra.launcher.base.errors import LauncherError

MINIMUM_SECRET = 32  # characters; livekit-server refuses shorter ones
FRESH: Mapping[str, Callable[[], str]] = {
    "LIVEKIT_API_KEY": lambda: f"API{secrets.token_hex(8)}",
    "LIVEKIT_API_SECRET": lambda: secrets.token_hex(32),
    "AURA_PIPELINE_KEY": lambda: secrets.token_hex(32),
    "AURA_AGENT_NAME": lambda: "aura",
}
PHONE: Mapping[str, Callable[[], str]] = {
    "AURA_SIP_USER": lambda: "aura",
    "AURA_SIP_PASSWORD": lambda: secrets.token_hex(16),
    "AURA_REDIS_PASSWORD": lambda: secrets.token_hex(32),
}

OF_OTHERS: Mapping[str, Callable[[], str]] = {
    "AURA_WEB_PASSWORD": lambda: "-".join(secrets.token_hex(2) for _ in range(4)),  # to be typed on a phone
}


def installation_keys(path: Path, *, sip_uri: str = "", password: bool = False) -> dict[str, str]:
    """The keys in a file of `NAME=value` lines; what is missing there is made and added.

    Args:
        sip_uri: Where the phone bridge of this run answers; empty if there is none.
        password: Whoever calls from another device must know one.

    Raises:
        LauncherError: The file cannot be understood, or its secret is too short.
    """
    found = _read(path) if path.exists() else {}
    wanted = {**FRESH, **(PHONE if sip_uri else {}), **(OF_OTHERS if password else {})}
    keys = found | {name: make() for name, make in wanted.items() if name not in found}
    if sip_uri:
        keys["AURA_SIP_URI"] = sip_uri
    if len(keys["LIVEKIT_API_SECRET"]) < MINIMUM_SECRET:
        raise LauncherError(f"{path}: LIVEKIT_API_SECRET needs {MINIMUM_SECRET} characters; delete it to get a new one")
    if keys != found:
        _write(path, keys)
    path.chmod(0o600)
    return keys


def _read(path: Path) -> dict[str, str]:
    keys: dict[str, str] = {}
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if not equals or not name.strip().isidentifier():
            raise LauncherError(f"{path}:{number}: not a `NAME=value` line")
        keys[name.strip()] = value.strip()
    return keys


def _write(path: Path, keys: Mapping[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.writelines(f"{name}={value}\n" for name, value in keys.items())
    partial.replace(path)
