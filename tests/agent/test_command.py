"""What `aura-agent` says of a command line or a place that cannot be: one line, and at once."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from time import sleep

import pytest

from agent.console.audio import write_wav
from agent.console.console import in_words
from agent.web.outside.certificates import local_certificate
from tests.agent.conftest import AuraAgent

ROOT = Path(__file__).parents[2]
LIVEKIT = {"LIVEKIT_URL": "ws://x", "LIVEKIT_API_KEY": "k", "LIVEKIT_API_SECRET": "s", "AURA_AGENT_NAME": "n"}


def test_it_is_a_module_that_can_be_run() -> None:
    argv = [sys.executable, "-m", "agent.main", "web", "--bogus"]
    ended = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "aura-agent: unrecognized arguments: --bogus; see `aura-agent --help`\n"


def test_a_log_level_that_does_not_exist_is_refused_with_those_that_do(aura_agent: AuraAgent) -> None:
    code, _, said = aura_agent("web", "--log-level", "FOO")
    assert code == 2
    assert "argument --log-level: invalid choice: 'FOO' (choose from 'DEBUG', 'INFO'," in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("console", "--text", "--list-devices"),
            "aura-agent console: argument --list-devices: not allowed with argument --text; "
            "see `aura-agent console --help`\n",
        ),
        (("web", "--bogus"), "aura-agent: unrecognized arguments: --bogus; see `aura-agent --help`\n"),
        (("call",), "aura-agent call: the following arguments are required: NUMBER; see `aura-agent call --help`\n"),
        (
            ("call", "abc"),
            "aura-agent call: argument NUMBER: 'abc' is not a telephone number (digits, `*`, `#`, a `+` in front); "
            "see `aura-agent call --help`\n",
        ),
        (
            ("call", "sip:100@192.0.2.1"),
            "aura-agent call: argument NUMBER: 'sip:100@192.0.2.1' is not a telephone number (digits, `*`, `#`, a `+` "
            "in front); see `aura-agent call --help`\n",
        ),
        (
            ("web", "--port", "70000"),
            "aura-agent web: argument --port: '70000' is not a port number (0 to 65535); see `aura-agent web --help`\n",
        ),
    ],
)
def test_bad_usage_is_one_line(aura_agent: AuraAgent, arguments: tuple[str, ...], said: str) -> None:
    assert aura_agent(*arguments) == (2, "", said)


def test_a_setting_that_is_missing_is_named_in_a_line_of_its_own(aura_agent: AuraAgent) -> None:
    code, _, said = aura_agent("web", url="x")
    assert code == 2
    assert said.splitlines()[:2] == [
        "aura-agent: AURA_PIPELINE_URL must begin with http:// or https://",
        "aura-agent: LIVEKIT_URL is not set",
    ]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_server_that_is_asked_to_stop_says_who_asked(number: signal.Signals, code: int) -> None:
    argv = [sys.executable, "-m", "agent.main", "web", "--port", "0"]
    environ = {**os.environ, **LIVEKIT, "AURA_PIPELINE_URL": "http://127.0.0.1:9"}
    with subprocess.Popen(argv, cwd=ROOT, env=environ, stderr=subprocess.PIPE) as process:
        while not listens(process.pid):
            assert process.poll() is None
            sleep(0.05)
        process.send_signal(number)
        assert process.wait(20) == code
        assert process.stderr and process.stderr.read() == b""


def listens(pid: int) -> bool:
    """Whether a process listens on a TCP port."""
    inodes = {row.split()[9] for row in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:] if " 0A " in row}
    held = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            held.add(os.readlink(link))
    return any(f"socket:[{inode}]" in held for inode in inodes)


@pytest.mark.parametrize("arguments", [(), ("--list-devices",), ("--connect", "room")])
def test_a_machine_without_a_sound_card_is_told_how_to_talk_all_the_same(
    aura_agent: AuraAgent, arguments: tuple[str, ...]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PULSE_SERVER", "unix:/nowhere")
        patch.setenv("ALSA_CONFIG_PATH", os.devnull)
        code, shown, said = aura_agent("console", *arguments)
    assert (code, shown) == (2, "")
    first, *ways = said.splitlines()
    assert first == "aura-agent: there is no sound card here that can be used. Other ways to talk:"
    assert ["--wav" in ways[0], "--text" in ways[1], "page" in ways[2]] == [True] * 3


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("--camera", "nothing.png"), "nothing.png: No such file or directory"),
        (("--camera", "pyproject.toml"), "pyproject.toml: neither a picture nor a film"),
        (("--wav", "pyproject.toml", "out.wav"), "pyproject.toml: not a WAV file"),
    ],
)
def test_a_file_that_is_not_what_it_should_be_is_named(
    aura_agent: AuraAgent, arguments: tuple[str, ...], fault: str
) -> None:
    way = () if "--wav" in arguments else ("--text",)
    assert aura_agent("console", *way, *arguments) == (2, "", f"aura-agent: {fault}\n")


def test_a_room_whose_server_is_not_there_is_said_in_one_line(aura_agent: AuraAgent) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**LIVEKIT, "LIVEKIT_URL": "ws://127.0.0.1:9", "LIVEKIT_API_SECRET": "s" * 32}.items():
            patch.setenv(name, value)
        code, _, said = aura_agent("console", "--connect", "room", "--text")
    assert (code, len(said.splitlines())) == (1, 1)
    assert said.startswith("aura-agent: no LiveKit server lets anybody in at ws://127.0.0.1:9: ")


def test_a_pipeline_that_is_not_there_is_said_once(aura_agent: AuraAgent) -> None:
    code, shown, said = aura_agent("console", "--text", typed="Hello?\n")
    assert (code, shown, said) == (1, "", "aura-agent: no pipeline answers at http://127.0.0.1:9\n")


def test_a_recording_that_cannot_be_written_is_said_before_anything_is_asked(
    aura_agent: AuraAgent, tmp_path: Path
) -> None:
    question, answer = tmp_path / "in.wav", tmp_path / "nowhere" / "out.wav"
    write_wav(question, bytes(48_000))
    code, _, said = aura_agent("console", "--wav", question, answer)
    assert (code, said) == (2, f"aura-agent: {answer} cannot be written: No such file or directory\n")


def test_decisions_that_cannot_be_saved_are_said_before_anything_is_asked(
    aura_agent: AuraAgent, tmp_path: Path
) -> None:
    place = tmp_path / "nowhere" / "call.json"
    code, _, said = aura_agent("console", "--text", "--decisions", place)
    assert (code, said) == (2, f"aura-agent: {place} cannot be written: No such file or directory\n")


def test_decisions_are_saved_though_the_conversation_came_to_nothing(aura_agent: AuraAgent, tmp_path: Path) -> None:
    place = tmp_path / "call.json"
    assert aura_agent("console", "--text", "--decisions", place, typed="Hello?\n")[0] == 1
    assert json.loads(place.read_text()) == {"version": 1, "decisions": [], "timings": []}


def test_a_port_that_is_taken_is_said_in_one_line(aura_agent: AuraAgent) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.MonkeyPatch.context() as patch:
        for name, value in LIVEKIT.items():
            patch.setenv(name, value)
        port = server.getsockname()[1]
        code, _, said = aura_agent("web", "--port", str(port))
    assert (code, len(said.splitlines())) == (2, 1)
    assert said.startswith(f"aura-agent: cannot listen on port {port} of 127.0.0.1: ")


@pytest.mark.parametrize("taken", ["--port", "AURA_TLS_PORT", "AURA_TRUST_PORT", "AURA_WEB_ROOT"])
def test_what_the_page_for_other_devices_cannot_have_is_said_in_one_line(
    aura_agent: AuraAgent, tmp_path: Path, taken: str
) -> None:
    made = local_certificate(tmp_path, ["127.0.0.2"], datetime.now(UTC))  # noqa: TID251 - of a certificate
    with socket.create_server(("127.0.0.1", 0)) as here, socket.create_server(("127.0.0.2", 0)) as there:
        held = {"--port": here, "AURA_WEB_ROOT": None}.get(taken, there)
        port = held.getsockname()[1] if held else 0
        environ = LIVEKIT | {"AURA_WEB_HOST": "127.0.0.2", "AURA_WEB_PASSWORD": "correct horse battery"}
        environ |= {"AURA_WEB_CERT": str(made.certificate), "AURA_WEB_KEY": str(made.key)}
        environ |= {"AURA_WEB_ROOT": str(made.root), "AURA_TLS_PORT": "0", "AURA_TRUST_PORT": "0"}
        environ |= {taken: str(port)} if held else {taken: str(tmp_path / "nowhere.pem")}
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environ.items():
                patch.setenv(name, value)
            code, _, said = aura_agent("web", "--port", environ.get("--port", "0"))
    assert (code, len(said.splitlines())) == (2, 1), said
    begins = {
        "--port": f"cannot listen on port {port} of 127.0.0.1: ",
        "AURA_WEB_ROOT": f"AURA_WEB_ROOT: {tmp_path / 'nowhere.pem'} cannot be read: No such file or directory",
    }
    assert said.startswith(f"aura-agent: {begins.get(taken, f'{taken}: cannot listen on port {port} of 127.0.0.2: ')}")


def test_a_health_port_that_is_taken_is_said_in_one_line(aura_agent: AuraAgent, tmp_path: Path) -> None:
    """And what is said is read: a file says where LiveKit is, the command line which server it is."""
    (tmp_path / "mine.env").write_text("LIVEKIT_API_KEY=k\nLIVEKIT_API_SECRET=s\nAURA_PIPELINE_URL=wrong\n")
    where = ("--env-file", tmp_path / "mine.env", "--url", "ws://127.0.0.1:9")
    with socket.create_server(("127.0.0.2", 0)) as server:
        port = server.getsockname()[1]
        health = ("--health-host", "127.0.0.2", "--health-port", str(port))
        code, _, said = aura_agent("start", *where, *health, "--log-level", "ERROR")
    assert (code, len(said.splitlines())) == (2, 1), said
    assert said.startswith(f"aura-agent: cannot listen on port {port} of 127.0.0.2: ")


def test_a_worker_names_all_that_it_lacks_and_a_name_is_not_among_it(aura_agent: AuraAgent, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    code, _, said = aura_agent("start", "--env-file", tmp_path / "empty")
    assert code == 2
    lacks = ("LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET")
    assert said.splitlines() == [f"aura-agent: {name} is not set" for name in lacks]


@pytest.mark.parametrize("arguments", [("trunks",), ("call", "123"), ("call", "+1 (555) 010-0800")])
def test_a_livekit_server_that_is_not_there_is_said_in_one_line(
    aura_agent: AuraAgent, arguments: tuple[str, ...]
) -> None:
    environ = {"LIVEKIT_URL": "ws://127.0.0.1:9", "LIVEKIT_API_KEY": "k", "LIVEKIT_API_SECRET": "s" * 32}
    environ |= {"AURA_AGENT_NAME": "n", "AURA_SIP_USER": "u", "AURA_SIP_PASSWORD": "p"}
    environ |= {"AURA_SIP_CARRIER": "127.0.0.1:9", "AURA_SIP_CALLER_ID": "1"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environ.items():
            patch.setenv(name, value)
        code, _, said = aura_agent(*arguments)
    assert (code, said) == (1, "aura-agent: no LiveKit server answers at ws://127.0.0.1:9\n")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("aura.state", "thinking", ""),
        ("aura.error", "", ""),
        ("aura.error", "I keep trying.", "I keep trying."),
        ("aura.decision", '{"at_ms":1,"what":"error","text":"I keep trying."}', ""),
        ("aura.decision", '{"at_ms":1,"what":"resumed","text":"it was noise"}', "resumed: it was noise"),
        (
            "aura.timings",
            '{"response_id":"r","speech_end_to_first_audio_ms":null,"create_to_first_audio_ms":412}',
            "first sound after 412 ms",
        ),
        (
            "aura.timings",
            '{"response_id":"r","speech_end_to_first_audio_ms":900,"create_to_first_audio_ms":412}',
            "first sound after 900 ms",
        ),
    ],
)  # fmt: skip
def test_the_console_shows_words_and_not_json(name: str, value: str, words: str) -> None:
    assert in_words(name, value) == words
