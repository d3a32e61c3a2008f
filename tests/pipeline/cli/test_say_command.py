"""What `aura-pipeline say` refuses before it looks at a model."""

import argparse
from pathlib import Path

import pytest

from pipeline.cli.say import add_say, run_say
from pipeline.errors import AuraError


def command(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_say(parser.add_subparsers())
    return parser.parse_args(["say", *arguments])


@pytest.mark.parametrize("text", ["", "  \n", "🎉🎊", "\x00\x07", "?!"])
def test_a_text_without_anything_to_speak(tmp_path: Path, text: str) -> None:
    with pytest.raises(AuraError, match="text: there is nothing in it that can be spoken"):
        run_say(command(text, "-o", str(tmp_path / "out.wav"), "--model", str(tmp_path)), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("out", ["nowhere/out.wav", "."])
def test_a_file_that_cannot_be_written(tmp_path: Path, out: str) -> None:
    with pytest.raises(AuraError, match=r"--out: .* cannot be written"):
        run_say(command("Hi.", "-o", str(tmp_path / out), "--model", str(tmp_path)), tmp_path)


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(AuraError, match=r"--model: .*nowhere is no folder"):
        run_say(command("Hi.", "-o", str(tmp_path / "out.wav"), "--model", str(tmp_path / "nowhere")), tmp_path)


def test_options_that_the_embedded_voice_has_no_use_for(tmp_path: Path) -> None:
    out = str(tmp_path / "out.wav")
    with pytest.raises(AuraError) as refused:
        run_say(command("Hi.", "-o", out, "--embedded", "--model-dir", ".", "--voice", "vivian"), tmp_path)
    assert str(refused.value).splitlines() == [
        "say: --model-dir says nothing beside --embedded",
        "say: --voice says nothing beside --embedded",
    ]
    assert list(tmp_path.iterdir()) == []


def test_without_a_model_it_looks_where_models_are(tmp_path: Path) -> None:
    with pytest.raises(AuraError, match=r"--model: .*/models/Qwen3-TTS-12Hz-1.7B-CustomVoice is no folder"):
        run_say(command("Hi.", "-o", str(tmp_path / "out.wav")), tmp_path)
    with pytest.raises(AuraError, match=r"--model-dir: here/Qwen3-TTS-12Hz-1.7B-CustomVoice is no folder"):
        run_say(command("Hi.", "-o", str(tmp_path / "out.wav"), "--model-dir", "here"), tmp_path)
