"""Options of a request: unsupported ones are refused by name instead of ignored.

An option that is absent, null or at a harmless default (false, 0, empty) passes, because clients always send many of
them.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import AfterValidator, BaseModel, ConfigDict, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from signalbox.service.problems import UNSUPPORTED

__all__ = ["Options", "Unsupported", "refuse_unknown_query"]


class Options(BaseModel):
    """A body without unknown options, in which null means absent."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        return {name: one for name, one in given.items() if one is not None} if isinstance(given, dict) else given


def _refuse(value: Any) -> Any:
    if value:
        raise PydanticCustomError(UNSUPPORTED, "is not supported here")
    return value


Unsupported = Annotated[Any, AfterValidator(_refuse), WithJsonSchema({"type": "null"})]
"""An unsupported option."""


def refuse_unknown_query(request: Request) -> None:
    """For a router: refuses unknown query parameters. Raises RequestValidationError."""
    known = {parameter.alias for parameter in request.scope["route"].dependant.query_params}
    unknown = {name for name, value in request.query_params.multi_items() if value.lower() not in ("", "false", "0")}
    if refused := sorted(unknown - known):
        raise RequestValidationError(
            [{"type": UNSUPPORTED, "loc": ("query", name), "msg": "is not supported here"} for name in refused]
        )
