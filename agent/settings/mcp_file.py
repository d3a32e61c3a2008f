"""The file of MCP servers, in YAML: which there are, which of their tools may be used. Every fault is told at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import msgspec
import yaml

from agent.settings.environment import url_fault

MOST_BYTES = 64 * 1024
ALL = "all"

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


@dataclass(frozen=True, slots=True)
class McpServerSettings:
    """A server, and what of it may be used.

    Attributes:
        url: Of one that is reached by Streamable HTTP; empty: it is a command.
        command: A program with its arguments, spoken to by its standard input and output.
        headers: Of each HTTP request, with the key.
        environ: Of the command, beside what every program needs.
        tools: The names of those that may be used; None: all.
        ask_first: The names of those that ask before they act.
    """

    name: str
    url: str = ""
    command: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    tools: frozenset[str] | None = None
    ask_first: frozenset[str] = frozenset()


class _Server(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tools: list[str] | str
    url: str = ""
    command: list[str] = []
    key_env: str = ""
    env: list[str] = []
    ask_first: list[str] = []


class _McpFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    servers: dict[Name, object]


def read_mcp_file(path: Path, environ: Mapping[str, str]) -> tuple[tuple[McpServerSettings, ...], list[str]]:
    """Reads the file; what is wrong with it is told, with the field's name.

    Args:
        environ: Where keys are, and the variables that commands are given.
    """
    try:
        data = path.read_bytes()
        if len(data) > MOST_BYTES:
            return (), [f"{path}: it has more than {MOST_BYTES:,} bytes"]
        file = msgspec.convert(yaml.safe_load(data.decode()), _McpFile)
    except OSError as error:
        return (), [f"{path}: it cannot be read ({error.strerror})"]
    except msgspec.ValidationError as error:
        return (), [f"{path}: {_told(error)}"]
    except (ValueError, yaml.YAMLError, RecursionError) as error:  # no UTF-8, or a date that is none
        return (), [f"{path}: it is no YAML: {' '.join(str(error).split())}"]
    servers, faults = list[McpServerSettings](), list[str]()
    for name, written in file.servers.items():
        try:
            server = msgspec.convert(written, _Server)
        except msgspec.ValidationError as error:
            faults.append(f"{path}: servers.{name}: {_told(error)}")
            continue
        faults += [f"{path}: servers.{name}{fault}" for fault in _faults(server, environ)]
        servers.append(_settings(name, server, environ))
    return tuple(servers), faults


def _told(error: msgspec.ValidationError) -> str:
    return str(error).replace("`$.", "`").replace("[...]", " (one of them)")


def _faults(server: _Server, environ: Mapping[str, str]) -> list[str]:
    faults = []
    if bool(server.url) == bool(server.command):
        faults.append(": it must have either `url` or `command`")
    if server.url and (fault := url_fault(server.url, ("http", "https"))):
        faults.append(f".url: it {fault}")
    if isinstance(server.tools, str) and server.tools != ALL:
        faults.append(f".tools: it must be a list of names, or `{ALL}`")
    if server.key_env and not server.url:
        faults.append(".key_env: only a `url` has a key; a command finds it in its `env`")
    if server.key_env:
        key = _key(server.key_env, environ)
        if not key:
            faults.append(f".key_env: the environment has no {server.key_env}")
        elif not (key.isascii() and key.isprintable()):  # who tries it would be told all of it
            faults.append(f".key_env: the value of {server.key_env} cannot stand in a header")
    faults += [f".env: the environment has no {name}" for name in server.env if name not in environ]
    if isinstance(server.tools, list):
        strange = [name for name in server.ask_first if name not in server.tools]
        faults += [f".ask_first: `{name}` is not among its tools" for name in strange]
    return faults


def _settings(name: str, server: _Server, environ: Mapping[str, str]) -> McpServerSettings:
    key = _key(server.key_env, environ)
    return McpServerSettings(
        name,
        server.url,
        tuple(server.command),
        {"Authorization": f"Bearer {key}"} if key else {},
        {variable: environ[variable] for variable in server.env if variable in environ},
        frozenset(server.tools) if isinstance(server.tools, list) else None,
        frozenset(server.ask_first),
    )


def _key(name: str, environ: Mapping[str, str]) -> str:
    """The key in that variable, without the line break with which files end; empty: there is none."""
    return environ.get(name, "").strip()
