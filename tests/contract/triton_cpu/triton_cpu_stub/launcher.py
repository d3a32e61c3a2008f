"""Launches a kernel: its own source, with NumPy's arrays in place of Triton's blocks.

Triton's interpreter does the same at twenty times the cost. What a kernel means is kept but for two things that the
kernels of vLLM's runner do not depend on: integers are divided downwards, and a product of an integer block and a
floating one is of double precision until it is stored.
"""

import ast
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from triton.language import constexpr
from triton.runtime.jit import JITFunction

from triton_cpu_stub import language
from triton_cpu_stub.memory import pointer_to


class Launcher:
    """Made by Triton's runtime for each kernel and each set of its types; called for each launch."""

    def __init__(self, source: Any, metadata: Any) -> None:
        self._run = runnable(source.fn)

    def __call__(
        self, x: int, y: int, z: int, stream: int, function: int, packed: None, metadata: Any, enter: Any, leave: Any,
        *arguments: Any,
    ) -> None:  # fmt: skip
        given = [pointer_to(each) if hasattr(each, "data_ptr") else each for each in arguments]
        language.grid.size = (x, y, z)
        with np.errstate(all="ignore"):  # hashes overflow, and masked lanes hold anything
            for place in product(range(x), range(y), range(z)):
                language.grid.place = place
                self._run(*given)


_runnable: dict[JITFunction, Callable[..., Any]] = {}


def runnable(jitted: Any) -> Callable[..., Any]:
    """A function of Triton's as a Python function on `language`."""
    if jitted not in _runnable:
        tree = ast.fix_missing_locations(_Rewritten().visit(ast.parse(jitted.src)))
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        scope = {name: _own(value) for name, value in jitted.fn.__globals__.items() if name in names}
        scope["_to"] = language.cast
        exec(compile(tree, jitted.fn.__code__.co_filename, "exec"), scope)
        _runnable[jitted] = scope[jitted.fn.__name__]
    return _runnable[jitted]


def _own(value: Any) -> Any:
    if isinstance(value, JITFunction):
        return runnable(value)
    if isinstance(value, constexpr):
        return value.value
    return language if getattr(value, "__name__", "").startswith("triton.language") else value


class _Rewritten(ast.NodeTransformer):
    """Casts become calls, and `x += y` makes a new value: Triton's blocks never change."""

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        assert isinstance(node.target, ast.Name)
        old = ast.Name(node.target.id, ast.Load())
        return ast.Assign([node.target], ast.BinOp(old, node.op, self.visit(node.value)))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "to":
            node.args.insert(0, node.func.value)
            node.func = ast.Name("_to", ast.Load())
        return node
