"""The manifest of the weights: strict, and true to what set-up promises."""

from pathlib import Path

import pytest

from infra.launcher.base.errors import LauncherError
from infra.models.manifest import read_manifest
from pipeline.engines.embedded_models import CLASSIFIER_FILES, DETECTOR_FILES, TEXT_READER_FILES
from pipeline.engines.smart_turn import model as smart_turn

GOOD = """
[tiny]
about = "x"
licence = "MIT"
default = true
hub = { repo = "a/b", revision = "main" }
wheels = [{ package = "p", version = "1", sha256 = "00" }]
[[tiny.files]]
name = "model.bin"
size = 1
sha256 = "00"
parts = [{ package = "p", member = "m" }]
"""


def test_the_default_models_are_what_the_embedded_pipeline_opens_and_falls_back_on() -> None:
    default = {model.name: [file.name for file in model.files] for model in read_manifest().values() if model.default}
    whisper = ["model.bin", "config.json", "tokenizer.json", "vocabulary.txt"]
    assert default == {
        "whisper-base": whisper,
        "whisper-tiny.en": whisper,
        "qwen2.5-coder-1.5b-instruct": ["model.gguf"],
        "smollm2-135m-instruct": ["model.gguf"],
        "yolox-nano": list(DETECTOR_FILES),
        "efficientnet-lite3": list(CLASSIFIER_FILES),
        "pp-ocrv6-small": list(TEXT_READER_FILES),
        smart_turn.NAME: [smart_turn.FILE],
    }


def test_without_eyes_aura_starts_and_says_so() -> None:
    without = {model.name: model.without for model in read_manifest().values() if model.stage == "vision"}
    assert without == dict.fromkeys(["yolox-nano", "efficientnet-lite3", "pp-ocrv6-small"], "it cannot see")


def test_without_smart_turn_aura_starts_and_says_so() -> None:
    assert read_manifest()[smart_turn.NAME].without == "ends of turns are told by silence and words alone"


def test_every_byte_is_pinned() -> None:
    for model in read_manifest().values():
        assert all(len(file.sha256) == 64 for file in model.files)
        assert all(len(wheel.sha256) == 64 for wheel in model.wheels)
        assert model.hub is None or len(model.hub.revision) == 40


def test_a_good_manifest_is_read(tmp_path: Path) -> None:
    (tmp_path / "manifest.toml").write_text(GOOD)
    assert read_manifest(tmp_path / "manifest.toml")["tiny"].files[0].parts[0].member == "m"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("about =", "abuot ="), "tiny: Object contains unknown field `abuot`"),
        ((', sha256 = "00" }]', "}]"), r"tiny: Object missing required field `sha256` - at `\$.wheels\[0\]`"),
        (("size = 1", 'size = "1"'), r"tiny: Expected `int`, got `str` - at `\$.files\[0\].size`"),
        (('{ package = "p", member', '{ package = "q", member'), "tiny: no wheel `q`"),
        (("default = true", 'default = true\nfallback = "tinier"'), "tiny: fallback `tinier` is no model"),
    ],
)
def test_a_fault_is_named(tmp_path: Path, change: tuple[str, str], fault: str) -> None:
    (tmp_path / "manifest.toml").write_text(GOOD.replace(*change))
    with pytest.raises(LauncherError, match=fault):
        read_manifest(tmp_path / "manifest.toml")
