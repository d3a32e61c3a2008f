"""Builds the page with npm from its lock file."""

from pathlib import Path

from infra.launcher.base.progress import Board
from infra.launcher.setup.setup_context import Workshop
from infra.launcher.setup.stamps import Stamp
from infra.launcher.setup.toolchains import find_node

NOT_SOURCES = {"node_modules", "dist"}
QUIET = {"npm_config_audit": "false", "npm_config_fund": "false", "npm_config_update_notifier": "false"}


async def build_page(shop: Workshop, board: Board) -> None:
    """The page at `layout.page`."""
    layout = shop.layout
    packages = [layout.frontend / "package.json", layout.frontend / "package-lock.json"]
    installed = Stamp.of(layout.stamp("page-packages"), [str(layout.frontend)], packages)
    built = Stamp.of(layout.stamp("page"), [str(layout.frontend)], _sources(layout.frontend))
    async with board.step("page") as step:
        have_packages = installed.holds(layout.frontend / "node_modules")
        if have_packages and built.holds(layout.page / "index.html"):
            step.keep()
            return
        node = await find_node(shop, board)
        env = {**shop.path_with(node.folder), **QUIET}
        if not have_packages:
            step.note(f"npm ci, node {node.version}")
            await shop.run("page", ["npm", "ci"], cwd=layout.frontend, env=env)
            installed.write()
        step.note("npm run build")
        await shop.run("page", ["npm", "run", "build"], cwd=layout.frontend, env=env)
        built.write()


def _sources(frontend: Path) -> list[Path]:
    tops = [top for top in frontend.iterdir() if top.name not in NOT_SOURCES]
    files = [top for top in tops if top.is_file()]
    return files + [file for top in tops if top.is_dir() for file in top.rglob("*") if file.is_file()]
