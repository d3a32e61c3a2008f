"""A compiler that compiles nothing: with TRITON_INTERPRET=1 no kernel ever reaches it."""

from typing import Any

from triton.backends.compiler import BaseBackend, GPUTarget


class NoCompiler(BaseBackend):  # type: ignore[misc]
    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return bool(target.backend == "cpu")

    def hash(self) -> str:
        return "cpu"

    def parse_options(self, options: dict[str, Any]) -> object:
        raise NotImplementedError("set TRITON_INTERPRET=1")

    def add_stages(self, stages: dict[str, Any], options: object, language: Any = None) -> None:
        raise NotImplementedError("set TRITON_INTERPRET=1")

    def load_dialects(self, context: Any) -> None:
        raise NotImplementedError("set TRITON_INTERPRET=1")

    def get_module_map(self) -> dict[str, Any]:
        return {}
