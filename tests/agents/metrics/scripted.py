"""A model that gives the plans that a test wrote down, so that a test is about what is done with a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableLambda

__all__ = ["Scripted"]


class Scripted(FakeListChatModel):
    """Gives one plan after the other, the last one again; `asked` has the messages that it was given."""

    responses: list[str] = ["ok"]
    plans: list[Mapping[str, Any]] = []
    asked: list[Any] = []
    schemas: list[Any] = []

    def with_structured_output(self, schema: Any, *, include_raw: bool = False, **kwargs: Any) -> Runnable[Any, Any]:
        """The next plan, whatever is asked."""

        def give(messages: Any) -> dict[str, Any]:
            self.asked.append(messages)
            self.schemas.append(schema)
            plan = self.plans[min(len(self.asked), len(self.plans)) - 1]
            return {"raw": AIMessage(""), "parsed": dict(plan), "parsing_error": None}

        return RunnableLambda(give)


def scripted(*plans: Mapping[str, Any]) -> Scripted:
    """A model with these plans."""
    return Scripted(plans=list(plans), asked=[], schemas=[])
