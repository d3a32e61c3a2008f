"""Which weights the embedded profile fetches."""

from infra.launcher.setup.weights import wanted_models
from infra.models.manifest import read_manifest

HEARS = {"whisper-base", "whisper-tiny.en", "smart-turn-v3.2"}
SEES = {"yolox-nano", "efficientnet-lite3", "pp-ocrv6-small"}


def test_where_a_server_answers_no_language_model_is_fetched() -> None:
    known = read_manifest()
    assert {model.name for model in wanted_models(known, {})} > HEARS | SEES
    assert {model.name for model in wanted_models(known, {"AURA_LLM_URL": "http://host/v1"})} == HEARS | SEES
