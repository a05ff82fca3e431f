"""The oracle: a model that makes the right calls for every message, so that any mistake is the agent's own.

The conversation is a normal one with a capable model, whose replies are the calls of the case. A case is right if the
final state is as expected and no needless question was asked. A deletion, or a call that changes several things, may be
confirmed once, with yes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from signalbox.errors import RequestError, ToolArgumentsError
from signalbox.evals.agent import resolve_cases
from signalbox.evals.conversation import own_world, say_to
from signalbox.evals.environment import environment, moment_and_model
from signalbox.evals.judge import ConversationJudge, find_judge
from signalbox.evals.load import Case, EvalSet

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

__all__ = ["ORACLE", "open_oracle", "oracle_figures"]

ORACLE = "oracle"
"""The oracle's name in reports."""
_MODEL = "openai/oracle"
_NOWHERE = {"SIGNALBOX_MODEL_BASE_URL": "http://oracle.invalid/v1", "SIGNALBOX_MODEL_PLANS": None}
_OWN_ANSWERS = {"then": ["yes"] * 100}
"""Tells the judge that questions are answered here: it only says yes itself if a case has no answer."""


@contextmanager
def open_oracle(asked: EvalSet) -> Iterator[tuple[EvalSet, Callable[[Case], dict[str, Any]]]]:
    """The set with resolved expectations, and a function that runs one conversation.

    Raises RequestError for a call that the agent's tools do not accept, and for an agent that is not judged by its
    final state; MissingExtraError if the class of the replaced model is not installed.
    """
    from signalbox.models import load_chat_model

    judge = find_judge(asked.agent)
    if not isinstance(judge, ConversationJudge):
        raise RequestError(f"{asked.path}: the judge of '{asked.agent}' cannot judge conversations.")
    with TemporaryDirectory() as home:
        own = {**judge.settings(asked.server), **moment_and_model(asked, _MODEL), **_NOWHERE, "SIGNALBOX_HOME": home}
        with environment(own):
            load_chat_model()
            _check_calls(asked)
            resolved = asyncio.run(resolve_cases(asked, judge))
            yield resolved, lambda case: _hold(asked.agent, case, judge)


def _check_calls(asked: EvalSet) -> None:
    """Raise RequestError with the line of a call whose name or arguments do not fit the agent's tools."""
    from signalbox.runs import find_agent

    offered = find_agent(asked.agent).tools
    tools = {tool.name: tool for tool in (offered() if offered is not None else ())}
    for case in asked.cases:
        for call in (call for turn in case.alternatives[0]["turns"] for call in turn["calls"]):
            try:
                if call["name"] not in tools:
                    raise ToolArgumentsError(f"there is no tool '{call['name']}'; there are {', '.join(tools)}")
                tools[call["name"]].check(call.get("args") or {})
            except ToolArgumentsError as error:
                raise RequestError(f"{asked.path}:{case.line}: {error}") from None


class _Script:
    """Supplies the calls of the case as the model's replies."""

    def __init__(self) -> None:
        self.calls: list[Mapping[str, Any]] = []
        self._many = 0

    def find(self, messages: Sequence[Any], options: Mapping[str, Any]) -> AIMessage:
        """The calls of this message, each marked as the answer; after that a final word."""
        from langchain_core.messages import AIMessage

        calls, self.calls = self.calls, []
        self._many += 1
        made: list[Any] = [
            {"name": one["name"], "args": {**(one.get("args") or {}), "answer": True}, "id": f"{self._many}-{at}"}
            for at, one in enumerate(calls)
        ]
        return AIMessage("" if made else "Done.", tool_calls=made)

    def keep(self, messages: Sequence[Any], options: Mapping[str, Any], reply: Any) -> None:
        """Nothing is stored."""


def _hold(agent: str, case: Case, judge: ConversationJudge) -> dict[str, Any]:
    with own_world():
        return asyncio.run(_held(agent, case, judge))


async def _held(agent: str, case: Case, judge: ConversationJudge) -> dict[str, Any]:
    """Send every message with its calls. Returns what the judge finds at the end, needless questions, and errors."""
    from signalbox.models.tape import use_tape
    from signalbox.runs import aclose, find_agent
    from signalbox.runs.asking import mark_used

    mark_used(find_agent(agent))
    wanted, script = case.alternatives[0], _Script()
    answers: list[dict[str, Any]] = []
    needless: list[str] = []
    try:
        before = await judge.begin({**wanted, **_OWN_ANSWERS})
        with use_tape(script):
            for turn in wanted["turns"]:
                script.calls = list(turn["calls"])
                answers.append(await say_to(agent, judge, before, answers, turn["said"]))
                if _asks(answers[-1], wanted) and any(_needs_yes(call) for call in turn["calls"]):
                    answers.append(await say_to(agent, judge, before, answers, "yes"))
                if _asks(answers[-1], wanted):
                    needless.append(_text(answers[-1]))
        ended = await judge.end(before, answers)
    finally:
        await aclose()
    errors = [str(one.get("error")) for one in answers if one.get("status") == "error"]
    return {**ended, "questions": needless, "errors": errors}


def _needs_yes(call: Mapping[str, Any]) -> bool:
    """True for a deletion, and for a call on several things at once."""
    given = (call.get("args") or {}).values()
    several = (
        len(one) > 1 and all(isinstance(number, int) for number in one) for one in given if isinstance(one, list)
    )
    return str(call["name"]).startswith("delete") or any(several)


def _asks(answer: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """True if an answer asks something. Question marks from the case itself, such as in a title, do not count."""
    text = _text(answer)
    for own in sorted(_strings(wanted), key=len, reverse=True):
        text = text.replace(own, "") if "?" in own else text
    return answer.get("status") == "needs_input" or "?" in text


def _text(answer: Mapping[str, Any]) -> str:
    return str(answer.get("final_response") or answer.get("answer") or "")


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(one)


def oracle_figures(outcomes: Sequence[tuple[Mapping[str, Any], Case, bool]]) -> dict[str, str]:
    """A summary of conversations: correct ones by language, and needless questions."""
    right: dict[str, list[bool]] = {}
    asked: dict[str, int] = {}
    for outcome, case, is_right in outcomes:
        language = str(case.alternatives[0]["language"])
        right.setdefault(language, []).append(is_right)
        asked[language] = asked.get(language, 0) + len(outcome.get("questions") or ())
    return {
        language: f"{sum(all_of)}/{len(all_of)} (needless questions: {asked[language]})"
        for language, all_of in sorted(right.items())
    }
