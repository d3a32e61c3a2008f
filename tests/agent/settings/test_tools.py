"""Tools by the environment: modules, what is built in, MCP servers; each fault is told by its field's name."""

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from agent.settings.environment import EnvironmentReader, SettingsError
from agent.settings.mcp_file import McpServerSettings
from agent.settings.tools import BUILT_IN, ToolSettings, tool_settings
from agent.tools.catalogue import load_tools

MODULE = '''
from livekit.agents import function_tool

@function_tool
async def greet(name: str) -> str:
    """Greets somebody."""
    return f"Hello {name}"
'''


def read(**environ: str) -> ToolSettings:
    reader = EnvironmentReader(environ)
    settings = tool_settings(reader)
    reader.check()
    return settings


def faults(**environ: str) -> list[str]:
    with pytest.raises(SettingsError) as refused:
        read(**environ)
    return refused.value.faults


def test_without_a_word_there_is_what_is_built_in_and_nothing_else() -> None:
    assert read() == ToolSettings() and ToolSettings().built_in == BUILT_IN
    assert ToolSettings().notes is None and ToolSettings().transfer_to == ()


def test_each_variable_counts(tmp_path: Path) -> None:
    settings = read(
        AURA_TOOLS="one.tools, two",
        AURA_BUILTIN_TOOLS="end_call,current_time",
        AURA_TOOL_TIMEOUT_S="5",
        AURA_TIMEZONE="Europe/Berlin",
        AURA_NOTES=str(tmp_path),
        AURA_TRANSFER_TO="tel:+4930123, sales=sip:sales@example.org",
    )
    assert settings == ToolSettings(
        ("one.tools", "two"),
        ("current_time", "end_call"),
        5,
        ZoneInfo("Europe/Berlin"),
        tmp_path,
        (("person", "tel:+4930123"), ("sales", "sip:sales@example.org")),
    )
    assert read(AURA_BUILTIN_TOOLS="none").built_in == ()


@pytest.mark.parametrize(
    ("variable", "value", "fault"),
    [
        ("AURA_TOOLS", "os; rm", "AURA_TOOLS: `os; rm` is no name of a module"),
        ("AURA_BUILTIN_TOOLS", "dance", f"AURA_BUILTIN_TOOLS: `dance` is none of {', '.join(BUILT_IN)}, none"),
        ("AURA_TOOL_TIMEOUT_S", "0", "AURA_TOOL_TIMEOUT_S must be a number from 1 to 600"),
        ("AURA_TIMEZONE", "Mars/Olympus", "AURA_TIMEZONE: `Mars/Olympus` is no time zone, such as Europe/Berlin"),
        ("AURA_TRANSFER_TO", "a=tel:1,a=tel:2", "AURA_TRANSFER_TO: `a` stands twice"),
        (
            "AURA_TRANSFER_TO",
            "mum",
            "AURA_TRANSFER_TO: `mum` is no tel: or sip: URI, nor one with a name, such as desk=tel:+4930",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(variable: str, value: str, fault: str) -> None:
    assert faults(**{variable: value}) == [fault]


def test_a_file_names_servers_their_tools_and_where_their_keys_are(tmp_path: Path) -> None:
    file = tmp_path / "mcp.yaml"
    file.write_text(
        "servers:\n"
        "  weather: {url: 'https://example.org/mcp', key_env: WEATHER_KEY, tools: [now, warn], ask_first: [warn]}\n"
        "  files: {command: [serve, --read-only], env: [HOME], tools: all}\n"
    )
    weather, files = read(AURA_MCP=str(file), WEATHER_KEY="secret\n", HOME="/home/me").mcp
    assert weather == McpServerSettings(
        "weather",
        "https://example.org/mcp",
        headers={"Authorization": "Bearer secret"},
        tools=frozenset(("now", "warn")),
        ask_first=frozenset(("warn",)),
    )
    assert files == McpServerSettings("files", command=("serve", "--read-only"), environ={"HOME": "/home/me"})
    assert "secret" not in repr(weather)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("servers: [", "it is no YAML"),
        ("servers: {a: {url: 2026-13-45, tools: all}}", "it is no YAML: month must be in 1..12"),
        (
            "servers: {a: {url: 'http://x', tools: all, colour: red}}",
            "servers.a: Object contains unknown field `colour`",
        ),
        ("servers: {a: {url: 'http://x'}}", "servers.a: Object missing required field `tools`"),
        ("servers: {a: {url: 1, tools: all}}", "servers.a: Expected `str`, got `int` - at `url`"),
        ("servers: {a: no}", "servers.a: Expected `object`, got `bool`"),
        ("servers: {a: {tools: all}}", "servers.a: it must have either `url` or `command`"),
        ("servers: {a: {url: 'ftp://x', tools: all}}", "servers.a.url: it must begin with http:// or https://"),
        ("servers: {a: {url: 'http://x', tools: some}}", "servers.a.tools: it must be a list of names, or `all`"),
        ("servers: {a: {url: 'http://x', tools: all, key_env: NO_KEY}}", "a.key_env: the environment has no NO_KEY"),
        ("servers: {a: {command: [x], tools: all, env: [NO_VAR]}}", "servers.a.env: the environment has no NO_VAR"),
        ("servers: {a: {command: [x], tools: [b], ask_first: [c]}}", "a.ask_first: `c` is not among its tools"),
        ("servers: {a: {command: [x], tools: all, key_env: K}}", "a.key_env: only a `url` has a key"),
        (
            "servers: {a: {url: 'http://x', tools: all, key_env: TWO_LINES}}",
            "a.key_env: the value of TWO_LINES cannot stand in a header",
        ),
        ("servers: {'a b': {command: [x], tools: all}}", "matching regex"),
    ],
)
def test_what_is_wrong_with_the_file_is_named(tmp_path: Path, text: str, fault: str) -> None:
    file = tmp_path / "mcp.yaml"
    file.write_text(text)
    told = faults(AURA_MCP=str(file), K="k", TWO_LINES="secret\nsecret")
    assert len(told) == 1 and told[0].startswith(f"AURA_MCP: {file}: ") and fault in told[0]


def test_the_faults_of_every_server_are_told(tmp_path: Path) -> None:
    file = tmp_path / "mcp.yaml"
    file.write_text("servers: {a: {tools: all, tols: x}, b: {command: [x]}, c: {tools: all}}")
    assert [fault.removeprefix(f"AURA_MCP: {file}: ") for fault in faults(AURA_MCP=str(file))] == [
        "servers.a: Object contains unknown field `tols`",
        "servers.b: Object missing required field `tools`",
        "servers.c: it must have either `url` or `command`",
    ]


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert faults(AURA_MCP=str(tmp_path / "none")) == [
        f"AURA_MCP: {tmp_path / 'none'}: it cannot be read (No such file or directory)"
    ]


ENDLESS = '''
from livekit.agents import function_tool
from pydantic import BaseModel

class Tree(BaseModel):
    branches: list["Tree"]

@function_tool
async def plant(tree: Tree) -> str:
    """Plants a tree."""
    return "planted"
'''


UNTYPED = '''
from livekit.agents import function_tool

@function_tool
async def add(amount) -> str:
    """Adds some."""
    return "added"
'''


def of(*modules: str) -> ToolSettings:
    return ToolSettings(modules=modules, built_in=("end_call",))


def test_a_tool_with_the_name_of_one_that_is_built_in_and_offered_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_ending_tools.py").write_text(MODULE.replace("def greet", "def end_call"))
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SettingsError) as refused:
        load_tools(of("my_ending_tools"))
    assert refused.value.faults == [
        "AURA_TOOLS: `my_ending_tools`: `end_call` is also the name of a built-in tool: rename it, or leave that one "
        "out of AURA_BUILTIN_TOOLS"
    ]
    (mine,) = load_tools(ToolSettings(modules=("my_ending_tools",), built_in=("look_again",)))
    assert mine.name == "end_call"


def test_functions_of_a_module_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_aura_tools.py").write_text(MODULE)
    (tmp_path / "my_other_tools.py").write_text(MODULE)
    (tmp_path / "my_empty_tools.py").write_text("")
    (tmp_path / "my_broken_tools.py").write_text("1 / 0")
    (tmp_path / "my_leaving_tools.py").write_text("raise SystemExit('no licence')")
    (tmp_path / "my_endless_tools.py").write_text(ENDLESS)
    (tmp_path / "my_untyped_tools.py").write_text(UNTYPED)
    monkeypatch.syspath_prepend(tmp_path)
    (greet,) = load_tools(of("my_aura_tools"))
    assert (greet.name, greet.description) == ("greet", "Greets somebody.")
    wrong = ["my_aura_tools", "my_other_tools", "my_empty_tools", "my_broken_tools", "my_missing_tools"]
    wrong += ["my_leaving_tools", "my_endless_tools", "my_untyped_tools"]
    with pytest.raises(SettingsError) as refused:
        load_tools(of(*wrong))
    assert refused.value.faults == [
        "AURA_TOOLS: `my_other_tools`: `greet` is also the name of a tool of AURA_TOOLS: `my_aura_tools`",
        "AURA_TOOLS: `my_empty_tools` has no function under @function_tool",
        "AURA_TOOLS: `my_broken_tools` cannot be loaded: ZeroDivisionError: division by zero",
        "AURA_TOOLS: `my_missing_tools` cannot be loaded: ModuleNotFoundError: No module named 'my_missing_tools'",
        "AURA_TOOLS: `my_leaving_tools` cannot be loaded: SystemExit: no licence",
        "AURA_TOOLS: `my_endless_tools`: `plant`: its schema is not served: `$ref` '#/$defs/Tree' refers to itself, "
        "which is not served",
        "AURA_TOOLS: `my_untyped_tools` cannot be loaded: TypeError: `add`: its parameter `amount` has no type",
    ]


def test_functions_of_an_entry_point_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "brought_tools.py").write_text(MODULE)
    info = tmp_path / "brought-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: brought\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[aura.tools]\nbrought = brought_tools:greet\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert [tool.name for tool in load_tools(of())] == ["greet"]
