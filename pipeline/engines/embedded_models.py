"""What may be called by name in a deployment of the embedded pipeline: its models, and languages."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

# Radford et al., Robust Speech Recognition via Large-Scale Weak Supervision; yue came with its third version.
_CODES = (
    "af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr "
    "ht hu hy id is it ja jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc "
    "pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo zh "
    "yue "
)
LANGUAGES = frozenset(_CODES.split())
WHISPER_FILES = ("model.bin", "config.json", "tokenizer.json", "vocabulary.txt")
LLAMA_FILES = ("model.gguf",)
SMALL_MODELS = ("smollm2-135m-instruct",)  # which make up what they are told of pictures
DETECTOR_FILES = ("model.onnx",)
CLASSIFIER_FILES = ("model.tflite",)
TEXT_READER_FILES = ("det.onnx", "rec.onnx")
NO_MODEL = "none"  # in place of a model that can be done without
FETCHED = " (infra/up fetches it)"
REPLACED = " (infra/up fetches it again if it is one of AURA's; else put a whole one there)"


def whisper_names(models_dir: Path) -> Mapping[str, Collection[str]]:
    models = _models(("whisper-base", "whisper-tiny.en"), models_dir, ("model.bin", "tokenizer.json"))
    return {"model": models, "fallback": models, "language": ("auto", *sorted(LANGUAGES))}


def llama_names(models_dir: Path) -> Mapping[str, Collection[str]]:
    models = _models(("qwen2.5-coder-1.5b-instruct", "smollm2-135m-instruct"), models_dir, ("model.gguf",))
    return {"model": models, "fallback": models}


def recognition_names(models_dir: Path) -> Mapping[str, Collection[str]]:
    return {
        "detector": ("yolox-nano",),
        "classifier": _models(("efficientnet-lite3",), models_dir, CLASSIFIER_FILES),
        "reader": (*_models(("pp-ocrv6-small",), models_dir, TEXT_READER_FILES), NO_MODEL),
    }


def _models(ours: Sequence[str], models_dir: Path, files: Sequence[str]) -> tuple[str, ...]:
    """Ours, and those that somebody has put there."""
    folders = models_dir.iterdir() if models_dir.is_dir() else ()
    found = sorted(folder.name for folder in folders if all((folder / file).is_file() for file in files))
    return tuple(dict.fromkeys((*ours, *found)))
