"""Reads YAML as PyYAML's safe loader does, but for a key that is there twice, of which that would keep the last."""

from typing import Any

import yaml


def read_yaml(text: str) -> Any:
    """
    Raises:
        yaml.YAMLError: Says where, and what is wrong.
    """
    return yaml.load(text, _Loader)


class _Loader(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            if isinstance(key_node, yaml.ScalarNode):
                if key_node.value in seen:
                    said = f"`{key_node.value}` is there twice"
                    raise yaml.constructor.ConstructorError(None, None, said, key_node.start_mark)
                seen.add(key_node.value)
        return super().construct_mapping(node, deep)
