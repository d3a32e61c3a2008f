"""Pipelines of packages: what `check` and `--profile` make of sound ones and of such as cannot be."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.runtime.profiles import DEPLOY
from tests.forked import ForkedProgram
from tests.pipeline.registry.packages import install

SOUND = """\
from dataclasses import replace
from pathlib import Path
from pipeline.runtime.engine_registry import EngineKind, engines_of
from pipeline.runtime.profiles import Profile
from pipeline.topology.embedded import EMBEDDED_PIPELINE as SHIPPED

HEARS, SEES, WRITES, SPEAKS = SHIPPED.stages
def pipeline(*stages, name="mine"):
    topology = replace(SHIPPED, model_type=name, stages=stages)
    return Profile(topology, Path(__file__).with_name(name + ".yaml"), engines_of(topology))
"""


Check = Callable[..., tuple[int, str]]


@pytest.fixture
def check(aura_pipeline: ForkedProgram, tmp_path: Path) -> Check:
    """Runs `aura-pipeline check` where the test's packages are installed; returns its exit code, and what is said."""

    def check(*arguments: str | Path) -> tuple[int, str]:
        environ = {"PYTHONPATH": str(tmp_path), "PATH": "/nowhere", "AURA_HOME": "/nowhere"}
        ended = aura_pipeline.run(["check", *map(str, arguments)], environ, cwd=tmp_path)
        return ended.code, ended.stdout + ended.stderr

    return check


def test_a_sound_one_beside_a_broken_one_and_two_of_one_name(check: Check, tmp_path: Path) -> None:
    made = f"{SOUND}IT = pipeline(HEARS, SEES, WRITES, SPEAKS)\n"
    install(tmp_path, "mine", made, aura_pipelines="mine = mine:IT")
    (tmp_path / "mine.yaml").write_text("{model_type: mine, max_sessions: 3}")
    install(tmp_path, "broken", "raise RuntimeError('no such GPU')\n", aura_pipelines="broken = broken:IT")
    for package in ("one", "two"):
        install(tmp_path, package, "raise RuntimeError('imported')\n", aura_pipelines=f"both = {package}:IT")

    for arguments in (["--profile", "mine"], [tmp_path / "mine.yaml"]):
        code, said = check(*arguments)
        assert (code, said.splitlines()[0]) == (0, "mine: fine, 3 sessions")
    code, said = check(DEPLOY / "embedded.yaml")
    assert (code, said.splitlines()[0]) == (0, "aura_embedded: fine, 4 sessions")
    why = "entry point aura.pipelines broken = broken:IT of broken 1.0: it cannot be loaded: RuntimeError: no such GPU"
    code, said = check("--profile", "broken")
    warned, refused = said.splitlines()
    assert (code, refused) == (2, f"aura-pipeline: {why}") and "WARNING" in warned and "`both` is given twice" in warned
    code, said = check("--profile", "both")
    assert code == 2 and "`both` is given twice: by " in said and "RuntimeError" not in said, "neither is imported"
    code, said = check("--profile", "bth")
    assert code == 2 and "mine" in said and "invalid choice: 'bth'" in said
    (tmp_path / "other.yaml").write_text("{model_type: minne, max_sessions: 3}")
    code, said = check(tmp_path / "other.yaml")
    assert code == 2 and "did you mean `mine`?" in said and why in said


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (
            "pipeline(HEARS, replace(SEES, input_sources=(2,)), replace(WRITES, input_sources=(1,)), SPEAKS)",
            "topology mine: stage 1 (vision): input source 2 is not an earlier stage",
        ),
        (
            "pipeline(HEARS, SEES, replace(WRITES, engine_output_type='hidden_states'), SPEAKS)",
            "topology mine: stage 2 (aura): engine_output_type is 'hidden_states': stages hand on observation, text, ",
        ),
        (
            "pipeline(HEARS, SEES, WRITES, replace(SPEAKS, model_arch='Chimes'))",
            "topology mine: stage 3 (tts): no engine serves `Chimes` (known: WhisperForConditionalGeneration, ",
        ),
        (
            "pipeline(HEARS, SEES, replace(WRITES, model_arch='HibariTTS'), SPEAKS)",
            "profile of mine: stage 2 (aura): the engine of HibariTTS makes AudioChunk, not TextChunk",
        ),
        (
            "pipeline(HEARS, SEES, WRITES, replace(SPEAKS, custom_process_input_func=pipeline))",
            "profile of mine: stage 3 (tts): pipeline of mine is a plain function, not an async generator",
        ),
    ],
)
def test_one_that_could_not_run_is_refused_by_field(check: Check, tmp_path: Path, made: str, reason: str) -> None:
    install(tmp_path, "mine", f"{SOUND}IT = {made}\n", aura_pipelines="mine = mine:IT")
    code, said = check("--profile", "mine")
    assert code == 2 and "Traceback" not in said
    assert f"entry point aura.pipelines mine = mine:IT of mine 1.0: {reason}" in said


def test_an_engine_of_another_package_serves_a_stage(check: Check, tmp_path: Path) -> None:
    kind = "from pipeline.runtime.engine_registry import HIBARI_KIND as IT\n"
    install(tmp_path, "chimes", kind, aura_engines="Chimes = chimes:IT")
    made = f"{SOUND}IT = pipeline(HEARS, SEES, WRITES, replace(SPEAKS, model_arch='Chimes'))\n"
    install(tmp_path, "mine", made, aura_pipelines="mine = mine:IT")
    (tmp_path / "mine.yaml").write_text(
        "{model_type: mine, max_sessions: 3, stage_args: [{stage_id: 3, engine_args: {voice: x}}]}"
    )
    code, said = check("--profile", "mine")
    assert code == 2 and "stage 3: engine_args: unknown key `voice`" in said


def test_keys_of_an_engine_that_are_a_dict_are_refused_by_name(check: Check, tmp_path: Path) -> None:
    kind = "from pipeline.deployment.schema import Key\nfrom pipeline.runtime.engine_registry import *\n"
    install(
        tmp_path,
        "chimes",
        f"{kind}IT = EngineKind(open_hibari, {{'ms': Key(int)}})\n",
        aura_engines="Chimes = chimes:IT",
    )
    made = f"{SOUND}IT = pipeline(HEARS, SEES, WRITES, replace(SPEAKS, model_arch='Chimes'))\n"
    install(tmp_path, "mine", made, aura_pipelines="mine = mine:IT")
    code, said = check("--profile", "mine")
    why = "Chimes = chimes:IT of chimes 1.0: EngineKind: `keys` must be EngineKeys, such as EngineKeys({…}), not dict"
    assert code == 2 and f"stage 3 (tts): entry point aura.engines {why}" in said and "Traceback" not in said


def test_a_model_type_of_two_profiles_is_no_answer(check: Check, tmp_path: Path) -> None:
    made = f"{SOUND}IT = pipeline(HEARS, SEES, WRITES, SPEAKS)\n"
    install(tmp_path, "mine", made, aura_pipelines="mine = mine:IT\nother = mine:IT")
    file = tmp_path / "mine.yaml"
    file.write_text("{model_type: mine, max_sessions: 3}")
    said = f"aura-pipeline: {file}: `model_type` is 'mine': that of the profiles mine, other\n"
    code, told = check(file)
    assert (code, "".join(sorted(told))) == (2, "".join(sorted(said))), "in whichever order"
    assert check("--profile", "other", file)[0] == 0
