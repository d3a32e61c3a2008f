"""Remembers what a set-up step was made from, so that the step is skipped until that changes."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Stamp:
    """The digest of everything that goes into a step, and the file that remembers it."""

    path: Path
    digest: str

    @classmethod
    def of(cls, path: Path, facts: Iterable[str], sources: Iterable[Path] = ()) -> "Stamp":
        """A stamp over some facts (versions, flags, places) and the contents of some files."""
        digest = hashlib.sha256()
        for fact in facts:
            digest.update(f"{len(fact)}:{fact}".encode())
        for source in sorted(sources):
            content = source.read_bytes()
            digest.update(f"{source}:{len(content)}:".encode())
            digest.update(content)
        return cls(path, digest.hexdigest())

    def holds(self, *outputs: Path) -> bool:
        """Whether the step was made from just this, and its outputs are still there."""
        return (
            all(output.exists() for output in outputs)
            and self.path.exists()
            and self.path.read_text().strip() == self.digest
        )

    def forget(self) -> "Stamp | None":
        """Hold for nothing until `write`: what an interrupted step leaves half made is not what it had made before.

        Returns:
            The stamp that was there.
        """
        before = replace(self, digest=self.path.read_text().strip()) if self.path.exists() else None
        self.path.unlink(missing_ok=True)
        return before

    def write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(f"{self.digest}\n")
