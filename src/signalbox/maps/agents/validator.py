"""The validator: checks its inputs against rules, and takes the branch that they say."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic_core import SchemaError, SchemaValidator, core_schema

from signalbox.errors import ConfigurationError
from signalbox.maps.agents.base import MapAgent, route_by

__all__ = ["ValidatorAgent", "compile_pattern"]

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "str": (str,),
    "number": (int, float),
    "float": (int, float),
    "integer": (int,),
    "int": (int,),
    "boolean": (bool,),
    "bool": (bool,),
    "list": (list, tuple),
    "array": (list, tuple),
    "object": (dict,),
    "dict": (dict,),
}


class ValidatorAgent(MapAgent):
    """Checks its inputs. Without rules, every declared input must be there.

    Context: `required` (fields), `rules` (field to `{type, min, max, min_length, max_length, pattern, allowed}`).
    The output is `{"valid": …, "errors": […]}`. A pattern is searched for in time linear in the text.
    """

    needs_variables = False
    blocking = False

    def process(self, inputs: dict[str, Any]) -> Any:
        """What the rules say of the inputs."""
        rules: Mapping[str, Any] = self.context.get("rules") or {}
        required = self.context.get("required") or self.context.get("required_fields")
        if required is None and not rules:
            required = list(inputs)
        errors = [f"{field} is missing" for field in required or () if inputs.get(field) in (None, "")]
        for field, rule in rules.items():
            value = inputs.get(field)
            if value is not None and isinstance(rule, Mapping):
                errors += [f"{field} {wrong}" for wrong in _broken(value, rule)]
        return {"valid": not errors, "errors": errors}

    def _post_process(self, state: Any, inputs: dict[str, Any], output: Any) -> tuple[Any, Any]:
        if "valid" not in output:
            return state, output
        return state, route_by(output["valid"], self, output)


def _broken(value: Any, rule: Mapping[str, Any]) -> list[str]:
    wrong: list[str] = []
    types = _TYPES.get(str(rule.get("type", "")).casefold())
    if types and (not isinstance(value, types) or (isinstance(value, bool) and bool not in types)):
        return [f"is {value!r}, not a {rule['type']}"]
    if isinstance(value, int | float):
        if "min" in rule and value < rule["min"]:
            wrong.append(f"is {value}, less than {rule['min']}")
        if "max" in rule and value > rule["max"]:
            wrong.append(f"is {value}, more than {rule['max']}")
    if hasattr(value, "__len__"):
        if "min_length" in rule and len(value) < rule["min_length"]:
            wrong.append(f"is shorter than {rule['min_length']}")
        if "max_length" in rule and len(value) > rule["max_length"]:
            wrong.append(f"is longer than {rule['max_length']}")
    if "pattern" in rule and not compile_pattern(str(rule["pattern"])).isinstance_python(str(value)):
        wrong.append(f"is {value!r}, which does not match {rule['pattern']}")
    if "allowed" in rule and value not in rule["allowed"]:
        wrong.append(f"is {value!r}, not one of {', '.join(map(str, rule['allowed']))}")
    return wrong


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> SchemaValidator:
    """What says whether a text holds the pattern. Raises ConfigurationError for one that cannot be used.

    The engine is pydantic's, which never goes back in the text: Python's own takes half a minute for `(a+)+$` on 28
    characters. It knows no look-around and no back-references.
    """
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError as error:
        why = str(error).strip().rpartition("\n")[2].strip().removeprefix("error: ").removeprefix("SchemaError: ")
        raise ConfigurationError(
            f"The pattern {pattern!r} cannot be used: {why.rstrip('.')}.",
            suggestion="Write it without look-around and back-references, or check the value in your own function.",
        ) from None
