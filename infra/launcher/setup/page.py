"""Builds the page with npm from its lock file."""

from pathlib import Path

from infra.launcher.base.errors import BadUsage
from infra.launcher.setup.setup_context import SetupContext
from infra.launcher.setup.stamps import Stamp
from infra.launcher.setup.toolchains import find_node

NOT_SOURCES = {"node_modules", "dist"}
QUIET = {"npm_config_audit": "false", "npm_config_fund": "false", "npm_config_update_notifier": "false"}


async def build_page(setup: SetupContext) -> None:
    """The page at `layout.page`.

    Raises:
        BadUsage: `node_modules` is a link: npm would empty the folder that it leads to.
    """
    layout, frontend = setup.layout, setup.layout.frontend
    packages = [frontend / "package.json", frontend / "package-lock.json"]
    installed = Stamp.of(layout.stamp("page-packages"), [str(frontend)], packages)
    built = Stamp.of(layout.stamp("page"), [str(frontend)], _sources(frontend))
    with setup.display.step("page") as step:
        have_packages = installed.holds(frontend / "node_modules")
        if have_packages and built.holds(layout.page / "index.html"):
            step.keep()
            return
        node = await find_node(setup)
        env = {**setup.path_with(node.folder), **QUIET}
        if not have_packages:
            refuse_link(frontend / "node_modules")
            step.note(f"npm ci, node {node.version}")
            installed.forget()
            await setup.run("page", ["npm", "ci"], cwd=frontend, env=env)
            installed.write()
        step.note("npm run build")
        built.forget()
        await setup.run("page", ["npm", "run", "build"], cwd=frontend, env=env)
        built.write()


def refuse_link(folder: Path) -> None:
    """Refuse a folder that is somebody else's.

    Raises:
        BadUsage: It is a link.
    """
    if folder.is_symlink():
        raise BadUsage(f"{folder} is a link to {folder.readlink()}, which npm would empty: remove the link")


def _sources(frontend: Path) -> list[Path]:
    tops = [top for top in frontend.iterdir() if top.name not in NOT_SOURCES]
    files = [top for top in tops if top.is_file()]
    return files + [file for top in tops if top.is_dir() for file in top.rglob("*") if file.is_file()]
