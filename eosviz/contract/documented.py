"""Reads the docstrings of fields from the source, because Python keeps none for a field. A class gets its own
fields and those of its base classes."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from functools import cache
from types import ModuleType

Texts = dict[str, str]


def texts_of_fields(modules: Iterable[ModuleType]) -> dict[str, Texts]:
    """Dict of class name → the docstrings of its fields, for all classes of these modules. The names of the
    classes must be unique."""
    found: dict[str, tuple[list[str], Texts]] = {}
    for module in modules:
        found |= _classes(module)

    def inherited(name: str) -> Texts:
        bases, own = found.get(name, ([], {}))
        texts: Texts = {}
        for base in bases:
            texts |= inherited(base)
        return texts | own

    return {name: inherited(name) for name in found}


@cache
def _classes(module: ModuleType) -> dict[str, tuple[list[str], Texts]]:
    tree = ast.parse(inspect.getsource(module))
    return {
        node.name: ([base.id for base in node.bases if isinstance(base, ast.Name)], _texts(node))
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }


def _texts(node: ast.ClassDef) -> Texts:
    texts: Texts = {}
    for field, below in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        ):
            texts[field.target.id] = " ".join(below.value.value.split())
    return texts
