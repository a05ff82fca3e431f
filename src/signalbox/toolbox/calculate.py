"""`calculate`: arithmetic on figures and moments, so that no model does it in its head.

An expression is parsed as Python and evaluated here: numbers, moments in quotes, + - * / // % **, and a few
functions. Nothing else of Python is reachable.
"""

from __future__ import annotations

import ast
import math
import operator
import statistics
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from signalbox.errors import ToolFailedError
from signalbox.toolbox.typed_tools import Result, Tool

__all__ = ["CALCULATE", "CONSTANTS", "evaluate", "operands"]

Value = float | datetime | timedelta
CONSTANTS = frozenset((0, 1, 2, 7, 8, 10, 12, 24, 30, 60, 100, 365, 1000, 1024, 3600, 86400, 1e6, 1048576, 1e9))
"""Numbers that an expression may contain although no result does, for converting and counting."""
_LONGEST, _HIGHEST_POWER, _LARGEST = 500, 64, 1e300
_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "count": lambda *given: len(given),
    "max": max,
    "mean": lambda *given: statistics.fmean(given),
    "median": lambda *given: statistics.median(given),
    "min": min,
    "round": round,
    "sqrt": math.sqrt,
    "sum": lambda *given: math.fsum(given),
}


def evaluate(expression: str) -> Value:
    """The value of an expression. Raises ToolFailedError that says what is wrong with it."""
    try:
        value: Any = _value(_parsed(expression))
    except (ZeroDivisionError, OverflowError, ValueError, TypeError, ArithmeticError, RecursionError) as error:
        raise ToolFailedError(f"'{expression}' cannot be calculated: {error}.") from None
    if isinstance(value, complex) or (isinstance(value, int | float) and not math.isfinite(value)):
        raise ToolFailedError(f"'{expression}' has no finite value.")
    found: Value = value
    return found


def operands(expression: str) -> list[float | str]:
    """The numbers and moments that an expression is made of. Raises like `evaluate`."""
    found = [one.value for one in ast.walk(_parsed(expression)) if isinstance(one, ast.Constant)]
    return [one for one in found if isinstance(one, int | float | str)]


def _parsed(expression: str) -> ast.expr:
    if len(expression) > _LONGEST:
        raise ToolFailedError(f"The expression is longer than {_LONGEST} characters.")
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ToolFailedError(f"'{expression}' is not an expression such as (17.2 - 4) / 4 * 100.") from None


def _is_operand(value: Any) -> bool:
    return isinstance(value, int | float | str) and not isinstance(value, bool)


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and _is_operand(node.value):
        return _moment(node.value) if isinstance(node.value, str) else node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _combined(node.op, _value(node.left), _value(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = _FUNCTIONS.get(node.func.id)
        if function is None:
            raise ToolFailedError(f"There is no function '{node.func.id}'. There are: {', '.join(_FUNCTIONS)}.")
        return function(*_given(node.args))
    raise ToolFailedError(f"'{ast.unparse(node)}' is neither a number, a moment in quotes, nor arithmetic.")


def _given(nodes: list[ast.expr]) -> Iterator[Any]:
    """The arguments of a function; a list stands for its items."""
    for node in nodes:
        if isinstance(node, ast.List | ast.Tuple):
            yield from _given(node.elts)
        else:
            yield _value(node)


def _combined(how: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(how, ast.Pow) and abs(right) > _HIGHEST_POWER:
        raise ToolFailedError(f"The power {right} is too high.")
    if isinstance(left, datetime) and isinstance(right, int | float):
        right = timedelta(seconds=right)
    value = _OPERATORS[type(how)](left, right)
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise OverflowError("the value is too large")
    return value


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ToolFailedError(f"'{text}' is not a moment such as '2026-11-18T14:05:00+01:00'.") from None


async def _run(args: dict[str, Any], key: str) -> Result:
    expression = str(args["expression"])
    value = evaluate(expression)
    return Result(f"{expression} = {_told(value)}", value if isinstance(value, int | float) else str(value))


def _told(value: Value) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        seconds = value.total_seconds()
        return f"{seconds:.10g} s = {seconds / 60:.10g} min = {seconds / 3600:.6g} h = {seconds / 86400:.6g} d"
    return str(value) if isinstance(value, int) else f"{value:.12g}"


CALCULATE = Tool(
    "calculate",
    "Arithmetic on figures and moments from results. Moments minus moments give a duration; moments take seconds.",
    {
        "type": "object",
        "properties": {
            "expression": {
                "type": "string",
                "description": "Such as (17.2 - 4) / 4 * 100, mean(3, 5, 9) or '2026-11-18T14:17Z' - "
                "'2026-11-18T14:05Z'. Functions: " + ", ".join(_FUNCTIONS) + ".",
            }
        },
        "required": ["expression"],
    },
    _run,
    "read",
)
