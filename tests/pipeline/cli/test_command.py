"""What `aura-pipeline` says of a command line or a file that cannot be: one line each, and how it goes on."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from pipeline.cli.main import main
from pipeline.engines.embedded_models import WHISPER_FILES, llama_names, whisper_names
from pipeline.runtime.profiles import DEPLOY, PROFILES
from tests.forked import ForkedProgram
from tests.pipeline.engines.model_file_bytes import write_files
from tests.pipeline.runtime.checkpoints import AURA, write_all

ROOT = Path(__file__).parents[3]
NOWHERE = Path("/nowhere")
KNOWN = "aura_embedded, aura_embedded_chat, aura_omni, qwen3_omni_moe"

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(aura_pipeline: ForkedProgram) -> Run:
    """Runs the program; returns its exit code, and what is said on stderr."""

    def run(*arguments: str | Path | int, path: Path = NOWHERE, **environ: str) -> tuple[int, str]:
        """`path`: where other programs are, such as the GPUs' own."""
        environ |= {"AURA_PIPELINE_KEY": "key", "PATH": str(path)}
        ended = aura_pipeline.run([*map(str, arguments)], environ)
        return ended.code, ended.stderr

    return run


def test_check_lists_every_name_that_does_not_exist(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    whisper = "{model: whisper-bas, fallback: mine, language: klingon}"
    file.write_text(
        f"model_type: aura_embedded\nmax_sessions: 2\nstage_args:\n  - {{stage_id: 0, engine_args: {whisper}}}\n"
        "  - {stage_id: 2, engine_args: {model: smollm2-135m}}\n"
    )
    (tmp_path / "mine").mkdir()
    code, said = run("check", file, "--models-dir", tmp_path)
    assert code == 2
    model, fallback, language, chat = said.splitlines()
    assert model.endswith("stage 0: engine_args: `model` is 'whisper-bas': did you mean `whisper-base`?")
    assert fallback.endswith("`fallback` is 'mine': one of whisper-base, whisper-tiny.en is needed")
    assert "`language` is 'klingon': one of auto, af, am, " in language
    assert "stage 2: " in chat and chat.endswith("did you mean `smollm2-135m-instruct`?")
    for name in ("model.bin", "tokenizer.json"):
        (tmp_path / "mine" / name).touch()
    _, said = run("check", file, "--models-dir", tmp_path)
    assert "'mine'" not in said, "a model that somebody has put there is known"


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("aura_omin", f"did you mean `aura_omni`? (known: {KNOWN})"),
        ("qwen2_5_omni", f"did you mean `qwen3_omni_moe`? (known: {KNOWN})"),
        ("voxtral", f"one of {KNOWN} is needed"),
    ],
)
def test_a_pipeline_that_does_not_exist_is_not_taken_for_another(
    run: Run, tmp_path: Path, told: str, reason: str
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"{{max_sessions: 1, model_type: {told}}}")
    assert run("check", file) == (2, f"aura-pipeline: {file}: `model_type` is {told!r}: {reason}\n")


@pytest.mark.parametrize("told", ["3", "null", "[aura_omni]", "true"])
def test_a_pipeline_without_a_name_is_not_taken_for_another(run: Run, tmp_path: Path, told: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"{{max_sessions: 1, model_type: {told}}}")
    code, said = run("check", file)
    assert (code, len(said.splitlines())) == (2, 1)
    assert said.startswith(f"aura-pipeline: {file}: `model_type` is ") and said.endswith(", not a text\n")


def test_it_is_a_module_that_can_be_run() -> None:
    argv, environ = [sys.executable, "-m", "pipeline.cli.main", "check", "/nowhere.yaml"], {"PATH": str(NOWHERE)}
    ended = subprocess.run(argv, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr[:30]) == (2, "aura-pipeline: /nowhere.yaml: ")


def test_bad_usage_is_one_line(run: Run) -> None:
    assert run("serve", "--bogus") == (
        2,
        "aura-pipeline: unrecognized arguments: --bogus; see `aura-pipeline --help`\n",
    )
    code, said = run("serve", "--port", "http")
    assert (code, said) == (
        2,
        "aura-pipeline serve: argument --port: 'http' is not a port number (0 to 65535); "
        "see `aura-pipeline serve --help`\n",
    )


def test_a_file_is_named_once(run: Run) -> None:
    file, other = DEPLOY / "aura_80gb.yaml", DEPLOY / "aura_2gpu.yaml"
    said = f"aura-pipeline: command line: {file} and --stage-configs-path {other}: one file is checked\n"
    assert run("check", file, "--stage-configs-path", other) == (2, said)


@pytest.mark.parametrize(("profile", "most"), [("embedded", 16), ("vllm", 512)])
def test_more_callers_than_a_profile_serves_are_refused_with_its_bound(
    run: Run, tmp_path: Path, profile: str, most: int, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = PROFILES[profile].deployment
    main(["check", str(shipped), "--max-sessions", str(most)])
    assert f": fine, {most} sessions\n" in capsys.readouterr().out
    file = tmp_path / "mine.yaml"
    for told in (most + 1, 1_000_000_000):
        fault = f"`max_sessions` is {told}: aura serves {most} at most\n"
        assert run("check", shipped, "--max-sessions", told) == (2, f"aura-pipeline: command line: {fault}")
        file.write_text(re.sub("max_sessions: .*", f"max_sessions: {told}", shipped.read_text()))
        assert run("check", file) == (2, f"aura-pipeline: {file}: {fault}")


@pytest.mark.parametrize("option", ["--max-sessions", "--port"])
def test_a_number_of_thousands_of_digits_is_refused_in_one_short_line(run: Run, option: str) -> None:
    code, said = run("serve", option, "9" * 5_000)
    assert code == 2 and said.startswith(f"aura-pipeline serve: argument {option}: '99")
    assert said.count("\n") == 1 and len(said) < 300


def test_the_shipped_files_pass(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", str(NOWHERE))
    for name, profile in PROFILES.items():
        main(["check", "--profile", name, str(profile.deployment)])
        assert capsys.readouterr().out.startswith(f"{profile.topology.model_type}: fine, ")
    for file in DEPLOY.iterdir():
        main(["check", str(file)])
        others = {"embedded": "aura_embedded", "embedded_chat": "aura_embedded_chat", "qwen3_omni": "qwen3_omni_moe"}
        model_type = others.get(file.stem, "aura_omni")
        assert capsys.readouterr().out.startswith(f"{model_type}: fine, "), "its pipeline is known by what it says"


def test_a_server_that_is_named_answers_in_the_embedded_profile(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AURA_LLM_URL", "http://127.0.0.1:9/v1")
    main(["check"])
    assert "stage 2 aura: OpenAIChatCompletions" in capsys.readouterr().out
    for arguments, profile in ((["--profile", "vllm"], "vllm"), ([str(DEPLOY / "embedded.yaml")], "embedded")):
        with pytest.raises(SystemExit, match="2"):
            main(["check", *arguments])
        assert f"AURA_LLM_URL is set, and no server is asked in the profile {profile}" in capsys.readouterr().err


def test_the_profile_that_asks_a_server_needs_its_address(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path / "whisper-base", WHISPER_FILES)
    code, said = run("serve", "--profile", "embedded-chat", "--port", "0", "--models-dir", tmp_path)
    assert (code, said.splitlines()[-1]) == (
        2,
        "aura-pipeline: environment: AURA_LLM_URL is not set: it says which server answers",
    )


def test_check_tells_what_serve_would_refuse_on_this_machine(run: Run, tmp_path: Path) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 0, GPU-1b4a, 81559; echo 1, GPU-7c02, 24564\n")
    tool.chmod(0o755)
    write_all(tmp_path)
    file, models = DEPLOY / "aura_2gpu.yaml", tmp_path / "models"
    assert run("check", DEPLOY / "aura_80gb.yaml", "--model-dir", tmp_path, path=tmp_path) == (0, "")
    code, said = run("check", file, "--model-dir", models, path=tmp_path, CUDA_VISIBLE_DEVICES="1")
    assert code == 2
    lines = said.splitlines()
    assert f"{file}: stage 1: {models}/{AURA}: there is no such folder" in lines
    assert f"{file}: stage 2: `devices` names GPU 1, and there is GPU 0 of 24 GiB" in lines


def test_serve_refuses_what_check_does_with_the_same_lines(run: Run, tmp_path: Path) -> None:
    write_all(tmp_path)
    (tmp_path / AURA / "model.safetensors").unlink()
    options = "--stage-configs-path", DEPLOY / "aura_80gb.yaml", "--model-dir", tmp_path
    refused = run("check", *options)
    assert refused[0] == 2 and f"stage 1: {tmp_path / AURA}: weights missing: " in refused[1]
    assert run("serve", *options, "--port", "0") == refused


def test_a_file_that_does_not_say_what_it_is_for_is_refused_unless_the_profile_is_told(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text((DEPLOY / "aura_80gb.yaml").read_text().replace("model_type:", "# model_type:"))
    refused = f"aura-pipeline: {file}: `model_type` is needed: it names the pipeline (known: {KNOWN})\n"
    assert run("check", file) == (2, refused)
    assert run("serve", "--stage-configs-path", file, "--port", "0") == (2, refused)
    assert run("check", file, "--profile", "vllm") == (0, "")
    file.write_text("# empty")
    assert run("check", file) == (2, refused)
    for text in ("- a list", "words"):
        file.write_text(text)
        assert run("check", file) == (2, f"aura-pipeline: {file}: the file is not a mapping of keys\n")


@pytest.mark.skipif(find_spec("vllm") is not None, reason="vLLM is installed")
def test_the_pipeline_for_gpus_says_what_it_needs(run: Run, tmp_path: Path) -> None:
    write_all(tmp_path)
    code, said = run("serve", "--profile", "vllm", "--port", "0", "--models-dir", tmp_path)
    assert code == 2
    assert said.splitlines()[-1].startswith("aura-pipeline: stages: they need the extra `vllm`: ")


def test_a_port_that_is_taken_is_named_with_its_holder(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code, said = run("serve", "--port", str(port))
    assert code == 2
    assert said.startswith(
        f"aura-pipeline: serve: cannot listen on port {port} of 127.0.0.1: it is held by pid {os.getpid()} "
    )
    assert len(said.splitlines()) == 1


def test_a_place_where_nothing_can_be_written_is_known_before_the_voice_is_loaded(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "nowhere" / "hello.wav"
    code, said = run("say", "Hello.", "-o", out, "--model", tmp_path)
    assert (code, said) == (2, f"aura-pipeline: --out: {out} cannot be written: No such file or directory\n")


def test_the_languages_are_those_of_whisper(tmp_path: Path) -> None:
    from faster_whisper.tokenizer import _LANGUAGE_CODES

    assert set(whisper_names(tmp_path)["language"]) == {"auto", *_LANGUAGE_CODES}


def test_a_language_model_that_somebody_has_put_there_is_known(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    assert "ours" not in llama_names(tmp_path)["model"]
    (tmp_path / "ours" / "model.gguf").touch()
    assert "ours" in llama_names(tmp_path)["model"]
