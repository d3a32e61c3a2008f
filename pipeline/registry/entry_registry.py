"""A registry of entry points: what comes with AURA, and what installed packages add. Nothing is imported until used."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from pipeline.errors import ConfigError

T = TypeVar("T")


class EntryRegistry(Mapping[str, T]):
    """Maps the names of a group of entry points to what they point to, which is imported when it is first asked for.

    What comes with AURA keeps its names. A name that two packages give belongs to neither.

    Args:
        group: Of the entry points, for example `aura.pipelines`.
        kind: What each of them must point to.
        shipped: Where that stands for the names that come with AURA, as `module:attribute`.
        brought: The entry points of packages; None: of all that are installed, looked up when first needed.
    """

    def __init__(
        self, group: str, kind: type[T], shipped: Mapping[str, str], brought: Sequence[EntryPoint] | None = None
    ) -> None:
        self._group, self._kind, self._given = group, kind, brought
        self._shipped = {name: EntryPoint(name, value, group) for name, value in shipped.items()}
        self._loaded: dict[str, T] = {}

    def __iter__(self) -> Iterator[str]:
        return iter((*self._shipped, *(name for name in self._brought if name not in self._shipped)))

    def __len__(self) -> int:
        return len(tuple(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in self._shipped or name in self._brought

    def __getitem__(self, name: str) -> T:
        """What that name points to.

        Raises:
            KeyError: There is no such name.
            ConfigError: Two packages give it, it cannot be imported, or is something else.
        """
        if name not in self._loaded:
            self._loaded[name] = self._load(self._entry(name))
        return self._loaded[name]

    def sound(self) -> tuple[dict[str, T], list[str]]:
        """All that can be imported, by name; and what is wrong with the others, one sentence a fault."""
        found, faults = dict[str, T](), self.clashes()
        for name in self:
            try:
                found[name] = self[name]
            except ConfigError as error:
                faults += [fault for fault in str(error).splitlines() if fault not in faults]
        return found, faults

    def clashes(self) -> list[str]:
        """The names that two have given, one sentence each; nothing is imported to find them."""
        for_nobody = [self._clash(name) for name, entries in self._brought.items() if len(entries) > 1]
        kept = [
            f"{_named(entry)}: `{name}` comes with AURA, and that one is used"
            for name, entries in self._brought.items()
            for entry in entries
            if name in self._shipped
        ]
        return [*for_nobody, *kept]

    @cached_property
    def _brought(self) -> dict[str, list[EntryPoint]]:
        found: dict[str, list[EntryPoint]] = {}
        for entry in entry_points(group=self._group) if self._given is None else self._given:
            found.setdefault(entry.name, []).append(entry)
        return found

    def _entry(self, name: str) -> EntryPoint:
        if name in self._shipped:
            return self._shipped[name]
        entry, *others = self._brought[name]
        if others:
            raise ConfigError("", [self._clash(name)])
        return entry

    def _clash(self, name: str) -> str:
        return f"{self._group}: `{name}` is given twice: by {' and by '.join(map(_named, self._brought[name]))}"

    def _load(self, entry: EntryPoint) -> T:
        try:
            made = entry.load()
        except ConfigError as error:
            raise ConfigError(_named(entry), str(error).splitlines()) from error
        except (Exception, SystemExit) as error:  # a module of somebody else's may fail in any way
            raise ConfigError(_named(entry), [f"it cannot be loaded: {type(error).__name__}: {error}"]) from error
        if not isinstance(made, self._kind):
            raise ConfigError(_named(entry), [f"it is of type {type(made).__name__}, not {self._kind.__name__}"])
        return made


def _named(entry: EntryPoint) -> str:
    """Which one it is: its place, and the package that has brought it."""
    package = f" of {entry.dist.name} {entry.dist.version}" if entry.dist else ""
    return f"entry point {entry.group} {entry.name} = {entry.value}{package}"
