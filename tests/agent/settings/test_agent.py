"""The environment, read once."""

from pathlib import Path

import pytest

from agent.settings.agent import (
    PipelineSettings,
    console_settings,
    console_tools,
    web_settings,
    with_running,
    worker_settings,
)
from agent.settings.environment import SettingsError
from agent.settings.tools import BUILT_IN

ENVIRON = {
    "LIVEKIT_URL": "ws://127.0.0.1:7880",
    "LIVEKIT_API_KEY": "key",
    "LIVEKIT_API_SECRET": "secret",
    "AURA_PIPELINE_URL": "http://127.0.0.1:8000/",
    "AURA_PIPELINE_KEY": "pipeline-key",
    "AURA_AGENT_NAME": "aura",
}


def test_a_full_environment_is_read() -> None:
    settings = worker_settings({**ENVIRON, "AURA_AGENT_PORT": "8081", "AURA_AGENT_HOST": "0.0.0.0"})
    assert settings.host == "0.0.0.0"
    assert settings.pipeline == PipelineSettings("http://127.0.0.1:8000", "pipeline-key")
    assert (settings.livekit.agent_name, settings.port, settings.idle_processes) == ("aura", 8081, 2)


def test_how_often_the_agent_may_speak_up_is_set_or_that_it_may_not() -> None:
    assert worker_settings(ENVIRON).remarks_per_minute == 4
    assert worker_settings({**ENVIRON, "AURA_AGENT_REMARKS_PER_MINUTE": "0"}).remarks_per_minute == 0
    with pytest.raises(SettingsError, match="AURA_AGENT_REMARKS_PER_MINUTE must be a number from 0 to 60"):
        worker_settings({**ENVIRON, "AURA_AGENT_REMARKS_PER_MINUTE": "61"})


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("LIVEKIT_URL", "ws://[::1", "LIVEKIT_URL is no URL (Invalid IPv6 URL)"),
        ("AURA_PIPELINE_URL", "http://host:80a", "AURA_PIPELINE_URL is no URL (Port could not be cast"),
        ("AURA_CELLS", "http://host:99999", "AURA_CELLS: `http://host:99999` is no URL (Port out of range"),
        ("AURA_WEB_HOSTS", "[::1", "AURA_WEB_HOSTS: `[::1` is no host name (without scheme and port)"),
        ("AURA_WEB_PROXIES", "10.0.0.0/8, proxy", "AURA_WEB_PROXIES: `proxy` is no address and no network, such as"),
        ("AURA_WEB_HOSTS", "[]", "AURA_WEB_HOSTS: `[]` is no host name (without scheme and port)"),
        ("AURA_OIDC_ISSUER", "https://[::1", "AURA_OIDC_ISSUER is no URL (Invalid IPv6 URL)"),
        ("AURA_OIDC_ISSUER", "https://host:x", "AURA_OIDC_ISSUER is no URL (Port could not be cast"),
    ],
)
def test_what_is_no_url_is_refused_by_its_name(name: str, value: str, fault: str) -> None:
    oidc = {"AURA_OIDC_CLIENT_ID": "i", "AURA_OIDC_CLIENT_SECRET": "s", "AURA_OIDC_ALLOWED": "*"}
    known = ENVIRON | (oidc if name == "AURA_OIDC_ISSUER" else {})
    with pytest.raises(SettingsError) as refused:
        web_settings({**known, name: value}, "127.0.0.1")
    assert len(refused.value.faults) == 1
    assert refused.value.faults[0].startswith(fault)


def test_five_variables_are_enough() -> None:
    settings = worker_settings({name: value for name, value in ENVIRON.items() if name != "AURA_AGENT_NAME"})
    assert (settings.livekit.agent_name, settings.drain_s, settings.host) == ("", 600, "127.0.0.1")


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ({}, "aura"),
        ({"LIVEKIT_AGENT_NAME": "theirs"}, "aura"),
        ({"AURA_AGENT_NAME": " ", "LIVEKIT_AGENT_NAME": "theirs"}, "theirs"),
        ({"LIVEKIT_AGENT_NAME_OVERRIDE": "forced", "LIVEKIT_AGENT_NAME": "theirs"}, "forced"),
    ],
)
def test_our_name_goes_before_the_one_that_all_agents_of_livekit_read(said: dict[str, str], name: str) -> None:
    assert worker_settings({**ENVIRON, **said}).livekit.agent_name == name


def test_every_fault_is_named_at_once() -> None:
    wrong = {**ENVIRON, "LIVEKIT_URL": "http://x", "LIVEKIT_API_SECRET": " ", "AURA_AGENT_PORT": "-1"}
    with pytest.raises(SettingsError) as raised:
        worker_settings(wrong)
    assert raised.value.faults == [
        "LIVEKIT_URL must begin with ws:// or wss://",
        "LIVEKIT_API_SECRET is not set",
        "AURA_AGENT_PORT must be a number from 0 to 65535",
    ]


def test_secrets_do_not_show_when_settings_are_printed() -> None:
    assert "secret" not in repr(worker_settings(ENVIRON)).replace("api_secret", "")
    assert "pipeline-key" not in repr(worker_settings(ENVIRON))


def test_the_web_server_needs_no_pipeline_key() -> None:
    environ = {name: value for name, value in ENVIRON.items() if name != "AURA_PIPELINE_KEY"}
    assert web_settings(environ, "127.0.0.1").pipeline_url == "http://127.0.0.1:8000"


ASKED = {"AURA_WEB_PASSWORD": "a-long-password"}


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "aura.lan", "::"])
def test_the_web_server_lets_nobody_in_from_elsewhere_unasked(host: str) -> None:
    with pytest.raises(SettingsError) as raised:
        web_settings(ENVIRON, host)
    assert raised.value.faults == [
        f"--host {host} lets others in: set AURA_WEB_PASSWORD, or AURA_OIDC_ISSUER, so that they are "
        "asked who they are (by https, whose end is in front of it); --anybody if whoever reaches it may call"
    ]
    assert web_settings({**ENVIRON, **ASKED}, host).access is not None
    assert web_settings(ENVIRON, host, anybody=True).access is None
    assert web_settings(ENVIRON, "localhost").access is None


def test_the_page_for_this_machine_is_not_served_to_others_beside_theirs() -> None:
    outside = {"AURA_WEB_HOST": "aura.lan", "AURA_WEB_CERT": "a.pem", "AURA_WEB_KEY": "a.key"}
    environ = {**ENVIRON, **outside, "AURA_WEB_PASSWORD": "x" * 10}
    assert web_settings(environ, "127.0.0.1").outside
    with pytest.raises(SettingsError, match=r"--host 0\.0\.0\.0 would ask nobody who they are"):
        web_settings(environ, "0.0.0.0")


def test_the_web_server_goes_by_the_names_that_it_is_given() -> None:
    settings = web_settings({**ENVIRON, **ASKED, "AURA_WEB_HOSTS": "Aura.example.org, [2001:db8::1],"}, "aura.lan")
    assert (settings.listens_on, settings.hosts) == ("aura.lan", frozenset({"aura.example.org", "2001:db8::1"}))
    with pytest.raises(SettingsError) as raised:
        web_settings({**ENVIRON, "AURA_WEB_HOSTS": "https://aura.example.org,ok,a:80"}, "127.0.0.1")
    assert raised.value.faults == [
        "AURA_WEB_HOSTS: `https://aura.example.org` is no host name (without scheme and port)",
        "AURA_WEB_HOSTS: `a:80` is no host name (without scheme and port)",
    ]


def test_the_console_finds_what_runs_here(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"pipeline_url": "http://127.0.0.1:4000", "parts": {}}')
    (tmp_path / "env").write_text("# made by infra/up\nAURA_PIPELINE_KEY=made=here\nLIVEKIT_API_KEY=other\n")
    settings = console_settings({"AURA_HOME": str(tmp_path)})
    assert settings == PipelineSettings("http://127.0.0.1:4000", "made=here")
    assert console_settings({"AURA_HOME": "/elsewhere", "AURA_RUN_DIR": str(tmp_path)}) == settings


def test_the_console_prefers_what_the_environment_names(tmp_path: Path) -> None:
    assert console_settings({**ENVIRON, "AURA_HOME": str(tmp_path)}).url == "http://127.0.0.1:8000"


def test_the_console_finds_what_runs_here_by_a_key_that_the_environment_names(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"pipeline_url": "http://127.0.0.1:4000"}')
    (tmp_path / "env").write_text("AURA_PIPELINE_KEY=made-here\n")
    settings = console_settings({"AURA_HOME": str(tmp_path), "AURA_PIPELINE_KEY": "exported"})
    assert settings == PipelineSettings("http://127.0.0.1:4000", "exported")


def test_the_console_shows_another_pipeline_no_key_of_this_installation(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"pipeline_url": "http://127.0.0.1:4000"}')
    (tmp_path / "env").write_text("AURA_PIPELINE_KEY=made-here\n")
    with pytest.raises(SettingsError, match="AURA_PIPELINE_KEY is not set"):
        console_settings({"AURA_HOME": str(tmp_path), "AURA_PIPELINE_URL": "http://elsewhere"})


def test_the_console_says_how_to_start_when_nothing_runs(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="nothing runs here: start it with infra/up"):
        console_settings({"AURA_HOME": str(tmp_path)})


def test_a_command_for_phones_finds_what_runs_here_and_goes_by_the_environment_first(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"pipeline_url": "http://127.0.0.1:4000", "livekit_url": "ws://127.0.0.1:5"}')
    (tmp_path / "env").write_text("LIVEKIT_API_KEY=key\nAURA_SIP_USER=aura\n")
    found = with_running({"AURA_HOME": str(tmp_path), "AURA_SIP_USER": "mine"})
    assert (found["LIVEKIT_URL"], found["LIVEKIT_API_KEY"]) == ("ws://127.0.0.1:5", "key")
    assert found["AURA_SIP_USER"] == "mine"
    assert with_running(ENVIRON) == ENVIRON


def test_a_command_for_phones_goes_by_what_the_stack_was_started_with(tmp_path: Path) -> None:
    run = '{"livekit_url": "ws://127.0.0.1:5", "options": {"--phone": "", "AURA_SIP_NUMBERS": "200", "AURA_PORT": "1"}}'
    (tmp_path / "run.json").write_text(run)
    (tmp_path / "env").write_text("AURA_SIP_USER=aura\n")
    found = with_running({"AURA_HOME": str(tmp_path)})
    assert {name: found[name] for name in found if name.startswith("AURA_SIP")} == {
        "AURA_SIP_NUMBERS": "200",
        "AURA_SIP_USER": "aura",
    }
    assert with_running({"AURA_HOME": str(tmp_path), "AURA_SIP_NUMBERS": "300"})["AURA_SIP_NUMBERS"] == "300"


@pytest.mark.parametrize(("options", "tools"), [('{"--profile": "embedded"}', ()), ('{"--profile": "vllm"}', BUILT_IN)])
def test_the_console_offers_tools_as_the_agent_of_the_stack_does(
    tmp_path: Path, options: str, tools: tuple[str, ...]
) -> None:
    (tmp_path / "run.json").write_text(f'{{"pipeline_url": "http://127.0.0.1:4000", "options": {options}}}')
    (tmp_path / "env").write_text("")
    assert console_tools({"AURA_HOME": str(tmp_path)}).built_in == tools
    asked = {"AURA_HOME": str(tmp_path), "AURA_BUILTIN_TOOLS": "current_time"}
    assert console_tools(asked).built_in == ("current_time",)
    elsewhere = {"AURA_HOME": str(tmp_path), "AURA_PIPELINE_URL": "http://elsewhere"}
    assert console_tools(elsewhere).built_in == BUILT_IN


def test_the_web_server_lets_pages_of_these_origins_hold_its_own() -> None:
    listed = "https://Example.org/, http://127.0.0.1:8081,https://*.example.com, https://example.org"
    settings = web_settings({**ENVIRON, "AURA_WEB_EMBED": listed}, "127.0.0.1")
    assert settings.embed == ("https://example.org", "http://127.0.0.1:8081", "https://*.example.com")
    assert web_settings(ENVIRON, "127.0.0.1").embed == ()


@pytest.mark.parametrize(
    "origin",
    ["example.org", "https://a.example/page", "*", "https://*", "https://a;script-src *", "https://a b", "'self'"],
)
def test_what_is_no_origin_holds_nothing(origin: str) -> None:
    with pytest.raises(SettingsError) as raised:
        web_settings({**ENVIRON, "AURA_WEB_EMBED": origin}, "127.0.0.1")
    assert raised.value.faults == [f"AURA_WEB_EMBED: `{origin}` is no origin, such as https://example.org"]


def test_a_brand_file_is_read_and_its_faults_are_told_with_the_variable(tmp_path: Path) -> None:
    file = tmp_path / "brand.toml"
    file.write_text('name = "Nova"')
    brand = web_settings({**ENVIRON, "AURA_WEB_BRAND": str(file)}, "127.0.0.1").brand
    assert brand and brand.name == "Nova"
    file.write_text("name = 7")
    with pytest.raises(SettingsError, match=r"AURA_WEB_BRAND: .*brand.toml: Expected `str`, got `int` - at `\$.name`"):
        web_settings({**ENVIRON, "AURA_WEB_BRAND": str(file)}, "127.0.0.1")
    assert web_settings(ENVIRON, "127.0.0.1").brand is None


def test_cells_are_named_by_their_pipelines() -> None:
    told = {**ENVIRON, "AURA_CELLS": "http://a:8000/, https://b,http://a:8000"}
    assert worker_settings(told).cells == web_settings(told, "127.0.0.1").cells == ("http://a:8000", "https://b")
    with pytest.raises(SettingsError, match="AURA_CELLS: `b:8000` must begin with http:// or https://"):
        worker_settings({**ENVIRON, "AURA_CELLS": "http://a:8000,b:8000"})
