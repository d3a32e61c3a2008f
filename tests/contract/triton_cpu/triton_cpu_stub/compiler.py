"""A compiler that compiles nothing: Triton's front-end checks a kernel, and the launcher runs its source."""

import hashlib
from dataclasses import dataclass
from typing import Any

from triton.backends.compiler import BaseBackend, GPUTarget


@dataclass(frozen=True)
class Options:
    """What the front-end and the runtime ask of any backend; none of it changes how a kernel runs here."""

    num_warps: int = 1
    num_ctas: int = 1
    num_stages: int = 1
    warp_size: int = 1
    ir_override: None = None
    supported_fp8_dtypes: tuple[str, ...] = ()
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple[str, ...] = ("ieee",)
    max_num_imprecise_acc_default: int = 0
    debug: bool = False
    backend_name: str = "cpu"
    sanitize_overflow: bool = False
    arch: str = "cpu"
    instrumentation_mode: str = ""

    def hash(self) -> str:
        return hashlib.sha256(repr(self).encode()).hexdigest()


class NoCompiler(BaseBackend):  # type: ignore[misc]
    binary_ext = "none"

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return bool(target.backend == "cpu")

    def hash(self) -> str:
        return "cpu"

    def parse_options(self, options: dict[str, Any]) -> Options:
        known = Options.__dataclass_fields__
        return Options(**{name: value for name, value in options.items() if name in known})

    def pack_metadata(self, metadata: Any) -> None:
        return None

    def get_codegen_implementation(self, options: Options) -> dict[str, Any]:
        return {"min_dot_size": lambda *types: (1, 1, 1)}

    def add_stages(self, stages: dict[str, Any], options: Options, language: Any = None) -> None:
        def checked(module: Any, metadata: dict[str, Any]) -> str:
            metadata["shared"] = 0
            metadata["name"] = module.get_entry_func_name()
            return str(module)

        stages["ttir"] = checked
        stages[self.binary_ext] = lambda text, metadata: b""

    def load_dialects(self, context: Any) -> None:
        return None

    def get_module_map(self) -> dict[str, Any]:
        return {}
