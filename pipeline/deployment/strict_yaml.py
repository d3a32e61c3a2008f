"""Reads a YAML file strictly: plain values only, each key once; whatever is wrong is one line with its place."""

import math
from pathlib import Path
from typing import Any, NoReturn

import yaml

from pipeline.errors import ConfigError, quoted

DEEPEST = 32  # lists and mappings inside one another
LARGEST = 1 << 63  # of a whole number
PLAIN = (str, int, float, bool, type(None), list, dict)


def read_yaml(path: Path) -> Any:
    """Texts, numbers, true, false and null, in lists and mappings.

    Raises:
        ConfigError: Says in which line it is no such thing, or why it cannot be read at all.
    """
    try:
        return yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(str(path), [f"cannot be read: {_described(error)}"]) from error


class _Loader(yaml.SafeLoader):
    """As PyYAML's safe one, but for what it would guess, or raise without a place."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if self.depth > DEEPEST:
            _refuse(event.start_mark, f"lists and mappings stand more than {DEEPEST} deep in one another")
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """PyYAML's constructors raise whatever `int` or `date` raise, and some make what no key here takes."""
        said = quoted(node.value) if isinstance(node, yaml.ScalarNode) else "this"
        try:
            value = super().construct_object(node, deep)
            if isinstance(value, str):
                value.encode()  # half a character cannot be
        except yaml.YAMLError:
            raise
        except Exception as error:
            kind = node.tag.rpartition(":")[2]
            raise yaml.constructor.ConstructorError(None, None, f"{said} is no {kind}", node.start_mark) from error
        if not isinstance(value, PLAIN):
            kind = type(value).__name__
            _refuse(node.start_mark, f"{said} is a {kind}: if a text is meant, put it in quotation marks")
        if isinstance(value, int | float) and not (math.isfinite(value) and abs(value) < LARGEST):
            _refuse(node.start_mark, f"{said} is no number that anything here could use")
        return value

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    _refuse(key.start_mark, f"`{quoted(key.value)[1:-1]}` is there twice")
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def _refuse(mark: yaml.Mark, said: str) -> NoReturn:
    raise yaml.constructor.ConstructorError(None, None, said, mark)


def _described(error: Exception) -> str:
    """In one line; PyYAML's own words take several."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return " ".join(str(error).split())
    mark = error.problem_mark or error.context_mark
    said = ", ".join(part for part in (error.context, error.problem) if part)
    return f"line {mark.line + 1}, column {mark.column + 1}: {said}" if mark else said
