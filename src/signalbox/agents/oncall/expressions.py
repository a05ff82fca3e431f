"""Conditions as a table of checks writes them: comparisons, and, or, not, in, sums, names of fields, a few functions.

What is missing (None) makes a comparison false, so that a device that does not tell something is not accused of it.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any

__all__ = ["check_condition", "evaluate", "parse"]

Functions = Mapping[str, Callable[..., Any]]
_COMPARES: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_SUMS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_ALLOWED = (
    ast.Expression,
    ast.BoolOp,
    ast.UnaryOp,
    ast.Compare,
    ast.BinOp,
    ast.Call,
    ast.Name,
    ast.Constant,
    ast.List,
    ast.Tuple,
    ast.Load,
    ast.And,
    ast.Or,
    ast.Not,
    ast.USub,
    *_COMPARES,
    *_SUMS,
)


@lru_cache(maxsize=512)
def parse(text: str) -> ast.expr:
    """The expression of a text. Raises ValueError for anything that a condition may not have."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise ValueError(f"'{text}' is no condition: {error.msg}") from None
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED) or (isinstance(node, ast.Call) and not isinstance(node.func, ast.Name)):
            raise ValueError(f"'{text}' is no condition: {type(node).__name__} is not allowed in one")
    return tree.body


def check_condition(text: str, functions: Collection[str], patterns: Mapping[str, int]) -> None:
    """Raises ValueError for a text that is no condition, or calls what is not among the functions; `patterns` says at
    which place a function takes a regular expression, which must be one."""
    for node in ast.walk(parse(text)):
        match node:
            case ast.Call(func=ast.Name(id=name), args=args):
                if name not in functions:
                    raise ValueError(f"'{text}' is no condition: there is no function '{name}'")
                at = patterns.get(name, len(args))
                pattern = args[at].value if at < len(args) and isinstance(args[at], ast.Constant) else ""  # type: ignore[attr-defined]
                try:
                    re.compile(str(pattern))
                except re.error as error:
                    raise ValueError(f"'{pattern}' in '{text}' is no regular expression: {error}") from None


def evaluate(text: str, names: Mapping[str, Any], functions: Functions) -> Any:
    """What an expression comes to; a name that is not there is None. Raises ValueError for a function that is not."""
    return _value(parse(text), names, functions)


def _value(node: ast.expr, names: Mapping[str, Any], functions: Functions) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return names.get(name)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_value(part, names, functions) for part in parts]
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_value(part, names, functions) for part in parts)
        case ast.BoolOp(values=parts):
            return any(_value(part, names, functions) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return not _value(inner, names, functions)
        case ast.UnaryOp(operand=inner):
            value = _value(inner, names, functions)
            return None if value is None else -value
        case ast.BinOp(left=left, op=how, right=right):
            return _summed(how, _value(left, names, functions), _value(right, names, functions))
        case ast.Compare():
            return _compared(node, names, functions)
        case ast.Call(func=ast.Name(id=name), args=args):
            if name not in functions:
                raise ValueError(f"there is no function '{name}'; there are: {', '.join(functions)}")
            return functions[name](*(_value(arg, names, functions) for arg in args))
    raise ValueError(f"{type(node).__name__} is not allowed in a condition")


def _summed(how: ast.operator, left: Any, right: Any) -> Any:
    try:
        return None if left is None or right is None else _SUMS[type(how)](left, right)
    except (TypeError, ZeroDivisionError):
        return None


def _compared(node: ast.Compare, names: Mapping[str, Any], functions: Functions) -> bool:
    left = _value(node.left, names, functions)
    for how, part in zip(node.ops, node.comparators, strict=True):
        right = _value(part, names, functions)
        told = isinstance(how, ast.Eq | ast.NotEq) and isinstance(part, ast.Constant) and part.value is None
        if not told and (left is None or right is None):
            return False
        try:
            if not _COMPARES[type(how)](left, right):
                return False
        except TypeError:
            return False
        left = right
    return True
