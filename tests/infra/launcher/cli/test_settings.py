"""What a person may ask for, and how what makes no sense is refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.launcher.base.errors import BadUsage
from infra.launcher.base.settings import OnGpus
from infra.launcher.cli.arguments import read_settings

ROOT = Path("/checkout")
CHECKOUT = Path(__file__).parents[4]


def test_state_lies_in_the_checkout_unless_moved() -> None:
    layout = read_settings(ROOT, ["up"], {}).layout
    assert layout.home == layout.run == ROOT / ".aura"


def test_a_second_stack_shares_what_set_up_made() -> None:
    layout = read_settings(ROOT, ["up", "--run-dir", "/other"], {"AURA_HOME": "/home"}).layout
    assert (layout.venv, layout.run_file) == (Path("/home/venv"), Path("/other/run.json"))


def test_a_file_or_folder_is_found_from_the_folder_in_which_it_was_named() -> None:
    """The parts run in another folder."""
    told = {"AURA_PERSONA": "nova.toml", "AURA_WEB_BRAND": "look/brand.toml", "OTHER": "x"}
    told |= {"AURA_PERSONAS": "chef.toml, guide.toml", "AURA_MCP": "mcp.yaml"}
    told |= {"AURA_NOTES": "notes", "AURA_RECORDS": "calls, all"}
    assert read_settings(ROOT, ["up"], told).environ == {
        "AURA_PERSONA": os.path.abspath("nova.toml"),
        "AURA_PERSONAS": f"{os.path.abspath('chef.toml')},{os.path.abspath('guide.toml')}",
        "AURA_WEB_BRAND": os.path.abspath("look/brand.toml"),
        "AURA_MCP": os.path.abspath("mcp.yaml"),
        "AURA_NOTES": os.path.abspath("notes"),
        "AURA_RECORDS": os.path.abspath("calls, all"),
        "OTHER": "x",
    }
    assert read_settings(ROOT, ["up"], {"OTHER": "x", "AURA_NOTES": ""}).environ == {"OTHER": "x", "AURA_NOTES": ""}


def test_an_unknown_profile_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadUsage, match="unknown profile `aura`; there is: embedded, vllm"):
        read_settings(ROOT, ["up", "--profile", "aura"], {})
    with pytest.raises(BadUsage, match="qwen3_omni; set AURA_LLM_URL, and `embedded` asks that server"):
        read_settings(ROOT, ["up", "--profile", "embedded-chat"], {})


def test_a_profile_of_an_installed_package_is_known_without_being_imported(tmp_path: Path) -> None:
    """Of the venv that set-up has made, or of a folder on the path; a package cannot take a name that comes with us."""
    homes = (tmp_path / "home" / "venv" / "lib" / "python3.11" / "site-packages", tmp_path / "beside")
    for folder, name in zip(homes, ("parrot", "vllm"), strict=True):
        info = folder / f"{name}-1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (info / "entry_points.txt").write_text(f"[aura.pipelines]\n{name} = missing:IT\n{name}2 = missing:IT\n")
    told = {"AURA_HOME": str(tmp_path / "home"), "PYTHONPATH": f":{homes[1]}"}
    assert read_settings(ROOT, ["up", "--profile", "parrot"], told).profile == "parrot"
    assert read_settings(ROOT, ["up", "--profile", "parrot"], told).on_gpus is None
    on_vllm = read_settings(ROOT, ["up", "--profile", "parrot", "--model-dir", str(tmp_path)], told).on_gpus
    assert on_vllm == OnGpus(tmp_path), "its own deployment, in the venv that has vLLM"
    file = tmp_path / "other.yaml"
    with pytest.raises(BadUsage, match=r"other\.yaml is no file"):
        read_settings(ROOT, ["up", "--profile", "parrot", "--stage-configs-path", str(file)], told)
    file.touch()
    elsewhere = read_settings(ROOT, ["up", "--profile", "parrot", "--stage-configs-path", str(file)], told)
    assert (elsewhere.on_gpus, elsewhere.deployment) == (None, file), "another deployment does not ask for vLLM"
    with pytest.raises(
        BadUsage, match="unknown profile `x`; there is: embedded, vllm, qwen3_omni, parrot, parrot2, vllm2"
    ):
        read_settings(ROOT, ["up", "--profile", "x"], told)


def test_no_sessions_at_all_are_refused() -> None:
    with pytest.raises(BadUsage, match="--max-sessions is 0"):
        read_settings(ROOT, ["up", "--max-sessions", "0"], {})


@pytest.mark.parametrize("host", ["0.0.0.0", "my-machine", "::1"])
def test_an_address_that_phones_cannot_be_told_is_refused(host: str) -> None:
    with pytest.raises(BadUsage, match=f"AURA_SIP_HOST is `{host}`"):
        read_settings(ROOT, ["up", "--phone"], {"AURA_SIP_HOST": host})
    assert not read_settings(ROOT, ["up"], {"AURA_SIP_HOST": host}).phone


def test_arguments_of_the_tests_go_to_pytest_untouched() -> None:
    settings = read_settings(ROOT, ["test", "unit", "-k", "name", "--run-dir", "x"], {"CI": "true"})
    assert settings.rest == ("unit", "-k", "name", "--run-dir", "x")
    assert settings.ci


def test_an_unknown_argument_is_refused() -> None:
    with pytest.raises(BadUsage, match="unrecognized arguments: --detatch"):
        read_settings(ROOT, ["up", "--detatch"], {})


@pytest.mark.parametrize(
    ("command", "environ", "said"),
    [
        (("up", "--bogus"), {}, "infra/up: unrecognized arguments: --bogus; see `infra/up --help`\n"),
        (("down", "now"), {}, "infra/down: unrecognized arguments: now; see `infra/down --help`\n"),
        (
            ("up", "--max-sessions", "x"),
            {},
            "infra/up: argument --max-sessions: invalid int value: 'x'; see `infra/up --help`\n",
        ),
        (
            ("up",),
            {"AURA_PORT": "http"},
            "infra/up: AURA_PORT is `http`, which is no port number (1 to 65535); see `infra/up --help`\n",
        ),
    ],
)
def test_bad_usage_is_one_line_and_has_a_code_of_its_own(
    command: tuple[str, ...], environ: dict[str, str], said: str
) -> None:
    argv = [sys.executable, "infra/launcher", *command]
    ended = subprocess.run(
        argv, cwd=CHECKOUT, env={**os.environ, **environ}, capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", said)


def test_the_profile_for_gpus_wants_its_checkpoints(tmp_path: Path) -> None:
    on_gpus = read_settings(ROOT, ["up", "--profile", "vllm", "--model-dir", str(tmp_path)], {}).on_gpus
    assert on_gpus == OnGpus(tmp_path.resolve())
    for arguments, said in (
        (["--profile", "vllm"], "--profile vllm needs --model-dir DIR"),
        (["--profile", "vllm", "--model-dir", str(tmp_path / "x")], "x is no folder"),
        (["--profile", "vllm", "--hub", "--model-dir", __file__], "test_settings.py is no folder"),
        (["--profile", "vllm", "--model-dir", str(tmp_path), "--stage-configs-path", "y"], "y is no file"),
        (["--profile", "vllm", "--model-dir", str(tmp_path), "--vllm-venv", str(tmp_path)], "no bin/aura-pipeline"),
        (["--model-dir", str(tmp_path)], "are for --profile vllm"),
        (["--vllm-venv", str(tmp_path)], "are for --profile vllm"),
    ):
        with pytest.raises(BadUsage, match=said):
            read_settings(ROOT, ["up", *arguments], {})


@pytest.mark.parametrize("verb", ["down", "test"])
def test_what_runs_can_be_stopped_and_tested_whatever_would_be_wrong_for_a_start(verb: str) -> None:
    wrong = {"AURA_PORT": "x", "AURA_AGENT_DRAIN_S": "10m", "AURA_PIPELINE_HOST": "0.0.0.0", "AURA_LIVEKIT_REDIS": "r"}
    assert read_settings(ROOT, [verb], wrong).verb == verb
    for name, value in wrong.items():
        with pytest.raises(BadUsage, match=name):
            read_settings(ROOT, ["up"], {name: value})


@pytest.mark.parametrize("how", [[], ["--detach"], ["--hub"]])
def test_a_machine_without_a_gpu_is_told_so_before_anything_is_set_up(tmp_path: Path, how: list[str]) -> None:
    up = [sys.executable, "-m", "infra.launcher", "up", "--profile", "vllm", "--model-dir", str(tmp_path), *how]
    environ = {"AURA_HOME": str(tmp_path / "home"), "PATH": ""}
    ended = subprocess.run(up, cwd=CHECKOUT, env=environ, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert "the profile `vllm` needs one GPU of 24 GB at least, and this machine has no NVIDIA GPU" in ended.stderr


@pytest.mark.parametrize(("visible", "file"), [("1", "aura_24gb.yaml"), ("0,1", "aura_2gpu.yaml")])
def test_the_deployment_is_for_the_gpus_that_may_be_seen(tmp_path: Path, visible: str, file: str) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 0, GPU-1b4a, 40960; echo 1, GPU-7c02, 40960\n")
    tool.chmod(0o755)
    up = [sys.executable, "-m", "infra.launcher", "up", "--profile", "vllm", "--model-dir", str(tmp_path)]
    environ = {"AURA_HOME": str(tmp_path / "home"), "PATH": str(tmp_path), "CUDA_VISIBLE_DEVICES": visible}
    ended = subprocess.run(up, cwd=CHECKOUT, env=environ, capture_output=True, text=True, timeout=60)
    assert f"--model-dir: {file} needs the folders" in ended.stderr
