"""Which tools the agent has, by the environment."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from agent.settings.environment import EnvironmentReader
from agent.settings.mcp_file import McpServerSettings, read_mcp_file

BuiltIn = Literal["current_time", "end_call", "transfer_call", "look_again", "remember", "recall"]
BUILT_IN: tuple[BuiltIn, ...] = get_args(BuiltIn)
NONE = "none"
TIMEOUT_S = 20
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_TARGET = re.compile(r"(?:(?P<name>[\w-]{1,32})=)?(?P<uri>(?:tel:\+?[0-9*#]+|sips?:[^\s,;<>\"]+))")


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """What the agent may do.

    Attributes:
        modules: Python modules whose functions under `@function_tool` are tools.
        built_in: The names of ours that there are, where they can be.
        timeout_s: Then a tool is stopped.
        timezone: In which it tells the time; None: the machine's.
        notes: The folder with a file of notes for each caller; None: none are kept.
        transfer_to: Whom a phone call may be put through to: SIP or tel URIs by name.
        mcp: Servers whose tools it has, too.
    """

    modules: tuple[str, ...] = ()
    built_in: tuple[BuiltIn, ...] = BUILT_IN
    timeout_s: int = TIMEOUT_S
    timezone: ZoneInfo | None = None
    notes: Path | None = None
    transfer_to: tuple[tuple[str, str], ...] = ()
    mcp: tuple[McpServerSettings, ...] = ()


def tool_settings(reader: EnvironmentReader) -> ToolSettings:
    """Reads variables, and the file of MCP servers; every fault is left with the reader."""
    notes = reader.optional("AURA_NOTES")
    return ToolSettings(
        modules=_modules(reader),
        built_in=_built_in(reader),
        timeout_s=reader.number("AURA_TOOL_TIMEOUT_S", TIMEOUT_S, low=1, high=600),
        timezone=_timezone(reader),
        notes=Path(notes).expanduser() if notes else None,
        transfer_to=_transfer_to(reader),
        mcp=_mcp(reader),
    )


def _several(reader: EnvironmentReader, variable: str) -> list[str]:
    return [value.strip() for value in reader.optional(variable).split(",") if value.strip()]


def _modules(reader: EnvironmentReader) -> tuple[str, ...]:
    names = _several(reader, "AURA_TOOLS")
    reader.refuse(*(f"AURA_TOOLS: `{name}` is no name of a module" for name in names if not _MODULE.fullmatch(name)))
    return tuple(dict.fromkeys(names))


def _built_in(reader: EnvironmentReader) -> tuple[BuiltIn, ...]:
    names = _several(reader, "AURA_BUILTIN_TOOLS")
    if not names:
        return BUILT_IN
    if names == [NONE]:
        return ()
    wrong = [name for name in names if name not in BUILT_IN]
    reader.refuse(*(f"AURA_BUILTIN_TOOLS: `{name}` is none of {', '.join((*BUILT_IN, NONE))}" for name in wrong))
    return tuple(name for name in BUILT_IN if name in names)


def _timezone(reader: EnvironmentReader) -> ZoneInfo | None:
    if not (name := reader.optional("AURA_TIMEZONE")):
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        reader.refuse(f"AURA_TIMEZONE: `{name}` is no time zone, such as Europe/Berlin")
        return None


def _transfer_to(reader: EnvironmentReader) -> tuple[tuple[str, str], ...]:
    targets: dict[str, str] = {}
    for text in _several(reader, "AURA_TRANSFER_TO"):
        if (target := _TARGET.fullmatch(text)) is None:
            reader.refuse(
                f"AURA_TRANSFER_TO: `{text}` is no tel: or sip: URI, nor one with a name, such as desk=tel:+4930"
            )
            continue
        name = target["name"] or ("person" if not targets else f"person_{len(targets) + 1}")
        if name in targets:
            reader.refuse(f"AURA_TRANSFER_TO: `{name}` stands twice")
        targets[name] = target["uri"]
    return tuple(targets.items())


def _mcp(reader: EnvironmentReader) -> tuple[McpServerSettings, ...]:
    if not (path := reader.optional("AURA_MCP")):
        return ()
    servers, faults = read_mcp_file(Path(path).expanduser(), reader.environ)
    reader.refuse(*(f"AURA_MCP: {fault}" for fault in faults))
    return servers
