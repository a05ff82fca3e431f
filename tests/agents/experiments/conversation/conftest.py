"""A chat model that reads what it is told to read, so that what the agent does can be tested apart from its reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from signalbox.agents.experiments.offline import filling
from signalbox.contract.answer import Answer
from signalbox.runs import answer, ask


class Dictated:
    """For each sentence the values of all fields; of a schema, it fills those that the sentence has.

    It stands for the offline model, whose readings code doubts.
    """

    _llm_type = "offline"

    def __init__(self, readings: Mapping[str, Mapping[str, Any]]) -> None:
        self.readings = dict(readings)
        self.schema: Mapping[str, Any] = {}

    def model_copy(self, **_: Any) -> Dictated:
        return self

    def with_structured_output(self, schema: Mapping[str, Any], **_: Any) -> _Filling:
        return _Filling(self.readings, schema)


class _Filling:
    def __init__(self, readings: Mapping[str, Mapping[str, Any]], schema: Mapping[str, Any]) -> None:
        self.readings, self.fields = readings, schema["properties"]

    async def ainvoke(self, messages: list[Any]) -> dict[str, Any]:
        said = {_bare(text): one for text, one in self.readings.items()}.get(_bare(str(messages[-1].content)), {})
        parsed = {key: value for key, value in said.items() if key in self.fields}
        return {"raw": AIMessage(""), "parsed": parsed, "parsing_error": None}


def _bare(text: str) -> str:
    """The text without what the agent marks in it: names of experiments are put in quotes, and said to be ones."""
    return "".join(letter for letter in text.casefold().replace("experiment", "") if letter.isalnum())


class Talk:
    """A conversation with the agent; what waits for an answer gets the next sentence as one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, thread: str = "talk") -> None:
        self.model = Dictated({})
        self.thread = thread
        self.last: Answer | None = None
        monkeypatch.setattr(filling, "_model", lambda: self.model)

    def say(self, text: str, **fields: Any) -> Answer:
        """Say something, which reads as the fields given; the capability stands under `as_`."""
        kind = fields.pop("as_", None)
        self.model.readings[text] = {**fields, **({"capability": kind, "confidence": 0.99} if kind else {})}
        if self.last is not None and self.last.status == "needs_input":
            self.last = answer(self.thread, text)
        else:
            self.last = ask("experiments", text, thread_id=self.thread)
        return self.last


@pytest.fixture
def talk(upgrade: Any, monkeypatch: pytest.MonkeyPatch) -> Talk:
    """A conversation about the experiments of the test's own server."""
    return Talk(monkeypatch)
