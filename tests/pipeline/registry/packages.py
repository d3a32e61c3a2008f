"""Packages of somebody else's, as an installer leaves them: a module, and what tells of its entry points."""

from pathlib import Path


def install(folder: Path, package: str, source: str, **entries: str) -> None:
    """Puts a package of one module into a folder.

    Args:
        entries: By group with `_` for its dot, what the entry points of that group are, one in a line.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{package}.py").write_text(source)
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    told = (f"[{group.replace('_', '.')}]\n{lines}\n" for group, lines in entries.items())
    (info / "entry_points.txt").write_text("".join(told))
