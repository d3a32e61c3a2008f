"""`infra/up --profile vllm` takes the deployment that fits, and names one where another was asked for."""

from pathlib import Path

import pytest

from infra.launcher.base.errors import Missing
from infra.launcher.base.layout import Layout
from infra.launcher.base.settings import LauncherSettings, OnGpus
from infra.launcher.cli.arguments import read_settings
from infra.launcher.cli.up import extras_of, on_these_gpus
from infra.launcher.setup.gpu_deployment import NEEDS, NEEDS_OF, HardwareNeed, check_folders, fitting
from infra.launcher.supervise.services import stack_services
from pipeline.deployment.loading import read_deployment
from pipeline.runtime.checks.gpus import GIB
from pipeline.runtime.profiles import DEPLOY, PROFILES
from tests.infra.launcher.supervise.test_phone_services import PORTS


def gpus(*gib: float) -> tuple[int, ...]:
    return tuple(round(each * GIB) for each in gib)


@pytest.mark.parametrize(
    ("there", "file"),
    [
        (gpus(79.6), "aura_80gb.yaml"),
        (gpus(79.6, 79.6), "aura_80gb.yaml"),
        (gpus(44.5, 44.5), "aura_2gpu.yaml"),
        (gpus(24, 24), "aura_24gb.yaml"),
        (gpus(47.5), "aura_24gb.yaml"),
    ],
)
def test_the_best_that_the_machine_can_run(there: tuple[int, ...], file: str) -> None:
    assert fitting(DEPLOY, None, there) == DEPLOY / file


def test_what_was_asked_for_if_it_fits_or_is_somebodys_own(tmp_path: Path) -> None:
    assert fitting(DEPLOY, DEPLOY / "aura_24gb.yaml", gpus(80)) == DEPLOY / "aura_24gb.yaml"
    assert fitting(DEPLOY, tmp_path / "mine.yaml", gpus(8)) == tmp_path / "mine.yaml"


def test_a_gpu_that_is_too_small_is_told_with_the_file_that_would_fit() -> None:
    with pytest.raises(
        Missing, match=r"aura_80gb.yaml needs one GPU of 80 GB; this machine has GPU 0 of 24 GiB: aura_24"
    ):
        fitting(DEPLOY, DEPLOY / "aura_80gb.yaml", gpus(24))
    with pytest.raises(
        Missing, match=r"needs one GPU of 24 GB at least \(aura_24gb.yaml\); this machine has GPU 0 of 16"
    ):
        fitting(DEPLOY, None, gpus(16))


def test_a_machine_without_a_gpu_is_told_so() -> None:
    with pytest.raises(Missing, match="needs one GPU of 24 GB at least, and this machine has no NVIDIA GPU"):
        fitting(DEPLOY, None, ())


def test_a_vllm_and_a_deployment_of_ones_own_run_without_a_gpu_and_neither_does_alone(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    assert fitting(DEPLOY, own, (), own_venv=True) == own
    for file, own_venv in ((own, False), (DEPLOY / "aura_24gb.yaml", True), (None, True)):
        with pytest.raises(Missing, match=r"no NVIDIA GPU; a vLLM and a deployment of your own \(--vllm-venv, --stage"):
            fitting(DEPLOY, file, (), own_venv=own_venv)
    assert on_these_gpus(asked_with_venv(tmp_path, own), ()).on_gpus == OnGpus(tmp_path, own, tmp_path)


def asked_with_venv(folder: Path, own: Path) -> LauncherSettings:
    own.touch()
    (folder / "bin").mkdir()
    (folder / "bin" / "aura-pipeline").touch()
    return asked_for("--model-dir", str(folder), "--stage-configs-path", str(own), "--vllm-venv", str(folder))


def test_the_pipeline_runs_in_a_venv_of_ones_own(tmp_path: Path) -> None:
    layout, keys = Layout(DEPLOY, tmp_path, tmp_path), dict.fromkeys(("LIVEKIT_API_KEY", "LIVEKIT_API_SECRET"), "x")
    on_gpus = OnGpus(tmp_path / "checkpoints", venv=tmp_path / "mine")
    parts = {
        part.name: part
        for part in stack_services(layout, PORTS, keys, None, phone=None, profile="vllm", on_gpus=on_gpus)
    }
    assert parts["pipeline"].argv[0] == str(tmp_path / "mine" / "bin" / "aura-pipeline")
    assert on_gpus.options() == {"--model-dir": str(on_gpus.models), "--vllm-venv": str(on_gpus.venv)}


def test_the_voice_for_callers_whom_nobody_can_serve_is_installed_where_phones_are(tmp_path: Path) -> None:
    asked = "--model-dir", str(tmp_path)
    assert extras_of(asked_for(*asked)) == ("agent",)
    assert "embedded" in extras_of(asked_for(*asked, "--phone"))


def test_checkpoints_that_are_not_there_are_all_named_before_anything_is_set_up(tmp_path: Path) -> None:
    (tmp_path / "AURA").mkdir()
    with pytest.raises(Missing) as refused:
        check_folders(DEPLOY, DEPLOY / "aura_80gb.yaml", tmp_path)
    assert str(refused.value) == (
        "--model-dir: aura_80gb.yaml needs the folders Qwen3-ASR-1.7B, Qwen3-TTS-12Hz-1.7B-CustomVoice, "
        f"which {tmp_path} lacks"
    )
    for need in NEEDS:
        for folder in need.folders:
            (tmp_path / folder).mkdir(exist_ok=True)
        check_folders(DEPLOY, DEPLOY / need.file, tmp_path)
    check_folders(DEPLOY, tmp_path / "aura_80gb.yaml", tmp_path / "nowhere")


def test_each_profile_has_its_own(tmp_path: Path) -> None:
    assert fitting(DEPLOY, None, gpus(140), profile="qwen3_omni") == DEPLOY / "qwen3_omni.yaml"
    with pytest.raises(Missing, match=r"the profile `qwen3_omni` needs one GPU of 141 GB at least \(qwen3_omni.yaml\)"):
        fitting(DEPLOY, None, gpus(79.6), profile="qwen3_omni")
    with pytest.raises(Missing, match=r"--model-dir: qwen3_omni.yaml needs the folders Qwen3-Omni-30B-A3B-Instruct, Q"):
        on_these_gpus(asked_for("--model-dir", str(tmp_path), profile="qwen3_omni"), gpus(140))


@pytest.mark.parametrize(("name", "need"), [(name, need) for name, needs in NEEDS_OF.items() for need in needs])
def test_a_need_names_the_folders_of_its_file(name: str, need: HardwareNeed) -> None:
    profile = PROFILES[name]
    deployment = read_deployment(DEPLOY / need.file, profile.topology, profile.engine_keys(DEPLOY))
    assert set(need.folders) == {stage.engine_args["model"] for stage in deployment.stages}


def test_every_shipped_file_for_gpus_has_its_need() -> None:
    known = {need.file for needs in NEEDS_OF.values() for need in needs}
    assert known == {path.name for path in DEPLOY.glob("*.yaml") if not path.name.startswith("embedded")}


def test_the_pipeline_runs_in_the_venv_that_has_vllm_and_has_time_to_start(tmp_path: Path) -> None:
    layout, keys = Layout(DEPLOY, tmp_path, tmp_path), dict.fromkeys(("LIVEKIT_API_KEY", "LIVEKIT_API_SECRET"), "x")
    on_gpus = OnGpus(tmp_path / "checkpoints", DEPLOY / "aura_24gb.yaml")
    parts = {
        part.name: part for part in stack_services(layout, PORTS, keys, 2, phone=None, profile="vllm", on_gpus=on_gpus)
    }
    program, *told = parts["pipeline"].argv
    assert program == str(tmp_path / "gpu" / "bin" / "aura-pipeline")
    assert told[:5] == ["serve", "--profile", "vllm", "--stage-configs-path", str(on_gpus.deployment)]
    assert told[5:7] == ["--models-dir", str(on_gpus.models)]
    assert told[-2:] == ["--max-sessions", "2"]
    assert parts["pipeline"].start_s >= 600
    assert parts["agent"].argv[0] == str(tmp_path / "venv" / "bin" / "aura-agent")
    assert "AURA_BUILTIN_TOOLS" not in parts["agent"].defaults, "a large model is offered them all"
    parts = {part.name: part for part in stack_services(layout, PORTS, keys, None, phone=None)}
    assert parts["agent"].defaults["AURA_BUILTIN_TOOLS"] == "none"
    small = parts["pipeline"]
    assert small.argv[:4] == (str(tmp_path / "venv" / "bin" / "aura-pipeline"), "serve", "--profile", "embedded")
    parts = {part.name: part for part in stack_services(layout, PORTS, keys, None, phone=None, profile="parrot")}
    assert parts["pipeline"].argv == tuple(word.replace("embedded", "parrot") for word in small.argv), "of a package"


def asked_for(*arguments: str, profile: str = "vllm") -> LauncherSettings:
    return read_settings(DEPLOY.parents[2], ["up", "--profile", profile, *arguments], {})


def test_what_is_published_nowhere_is_told_before_anything_is_fetched(tmp_path: Path) -> None:
    settings = asked_for("--hub", "--model-dir", str(tmp_path))
    with pytest.raises(Missing, match=r"--hub: AURA-AWQ, which aura_24gb.yaml needs, is published nowhere: quantise"):
        on_these_gpus(settings, gpus(24))
    (tmp_path / "AURA-AWQ").mkdir()
    fits = on_these_gpus(settings, gpus(24)).on_gpus
    assert fits == OnGpus(tmp_path, DEPLOY / "aura_24gb.yaml")
    assert on_these_gpus(settings, gpus(80)).on_gpus == OnGpus(tmp_path, DEPLOY / "aura_80gb.yaml")


def test_what_the_hub_gives_has_a_folder_without_being_told() -> None:
    settings = asked_for("--hub")
    assert settings.on_gpus == OnGpus(settings.layout.models)
