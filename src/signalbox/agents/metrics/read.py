"""Reading: the model fills the plan of a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import ValidationError

from signalbox.agents.metrics.errors import ParsingError
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.names import names_schema
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.plan import MOST_OPTIONS, MetricsPlan, plan_of_query, plan_schema
from signalbox.agents.metrics.prompts import EXAMPLES, names_prompt, plan_prompt
from signalbox.agents.metrics.search import Hit
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.times import Moment, read_times
from signalbox.errors import MissingInputError, ModelEmptyError, ModelMalformedError, RequestError, SignalboxError
from signalbox.models import is_offline

__all__ = ["Reading", "not_understood", "readable"]

_MOST_SEARCHED = 40
_LONGEST = 4_000


class Reading:
    """A question while it is read, and the measures that the model may choose from."""

    def __init__(
        self,
        text: str,
        live: Live,
        model: BaseChatModel,
        moment: Moment,
        before: tuple[str, str] | None,
        while_asking: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.text, self.live, self.model, self.moment = text, live, model, moment
        self.before, self._while_asking = before, while_asking
        self.offers: list[Offer] = []
        self.hits: dict[str, Hit] = {}

    async def search(self) -> None:
        """Find what the question may mean."""
        hits = await self.live.search(self.text, self.within, _MOST_SEARCHED)
        self.offers = [hit.offer for hit in hits]
        self.hits = {hit.offer.key: hit for hit in hits}

    @property
    def scores(self) -> dict[str, float]:
        """How well each measure fits."""
        return {key: hit.score for key, hit in self.hits.items()}

    async def plan(self, failed: tuple[MetricsPlan, SignalboxError] | None = None) -> MetricsPlan:
        """The plan that the model gives; after a failure, with what was wrong and what there is.

        Raises LLMAPIError where the model fails.
        """
        mend = None
        if failed is not None:
            plan, error = failed
            told = " ".join(part for part in (error.user_message, error.suggestion) if part)
            mend = plan.model_dump_json(exclude_defaults=True), told
        schema = plan_schema(self.offers[:MOST_OPTIONS], follows=self.before is not None, scores=self.scores)
        return self._checked(await self._filled(schema, self._asked(mend)))

    async def choose(self, offers: Sequence[Offer]) -> str | None:
        """Which of these measures the question asks for; None where it asks for none of them."""
        whole = plan_schema(offers, scores=self.scores)
        schema = {**whole, "properties": {name: whole["properties"][name] for name in ("measure", "kind")}}
        given = _given(await self._filled(schema, self._alone(plan_prompt(_listed(offers)))))
        chosen = given.get("measure")
        return chosen if chosen in {one.key for one in offers} else None

    async def names(self, labels: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
        """Which of the labels of a measure, and of their values, the question means."""
        given = _given(await self._filled(names_schema(labels), self._alone(names_prompt())))
        return {key: [str(one) for one in said] for key, said in given.items() if isinstance(said, list)}

    async def _filled(self, schema: dict[str, Any], messages: Sequence[BaseMessage]) -> dict[str, Any]:
        filler: Any = self.model.with_structured_output(schema, include_raw=True)
        with self._while_asking():
            return dict(await filler.ainvoke(messages))

    def _alone(self, prompt: str) -> list[BaseMessage]:
        return [SystemMessage(prompt), HumanMessage(self.text)]

    def _asked(self, mend: tuple[str, str] | None = None) -> list[BaseMessage]:
        system = plan_prompt(_listed(self.offers), mend)
        earlier: list[BaseMessage] = []
        if self.before is not None:
            earlier = [HumanMessage(self.before[0]), AIMessage(self.before[1])]
        return [SystemMessage(system), *earlier, HumanMessage(self.text)]

    def _checked(self, reply: dict[str, Any]) -> MetricsPlan:
        """The plan, also where the model gives the contract's own MetricsQuery."""
        given = _given(reply)
        try:
            plan = plan_of_query(given) if "metric_name" in given else MetricsPlan.model_validate(given)
        except ValidationError as problem:
            raise ModelMalformedError(
                "The model's plan does not fit the question.", details=str(problem)[:500]
            ) from None
        if not plan.model_fields_set - {"confidence"} and not is_offline(self.model):
            raise ModelEmptyError("The model gave an empty plan.")
        return plan

    @property
    def within(self) -> TimeRange:
        """The time that the question is about, as far as it can be known before it is read."""
        try:
            times = read_times(self.text, "", self.moment.now, self.moment.zone) if len(self.text) < 300 else None
        except RequestError:
            times = None
        usual = TimeRange(start_time=self.moment.now - timedelta(hours=6), end_time=self.moment.now)
        return times.main if times and times.main else usual


def readable(text: str) -> str:
    """The question on one line; raises ParsingError for one that is too long, or that has no word."""
    said = re.sub(r"\s+", " ", text[: _LONGEST + 200]).strip()
    if len(said) > _LONGEST:
        raise ParsingError(f"The question is longer than {_LONGEST:,} characters.", suggestion="Ask it in fewer words.")
    if not re.search(r"[^\W\d_]{2}", said):
        raise not_understood()
    return said


def not_understood(details: Any = None) -> ParsingError:
    """The contract's error for a question that cannot be read."""
    examples = "; ".join(f'"{example}"' for example in EXAMPLES)
    return ParsingError("Could not understand your query", suggestion=f"Ask like this: {examples}.", details=details)


def _given(reply: Mapping[str, Any]) -> dict[str, Any]:
    """What the model filled in; nothing where the offline model finds nothing. Raises the model's error."""
    error = reply["parsing_error"]
    if error is not None and not isinstance(error, MissingInputError):
        raise error
    return dict(reply["parsed"] or {})


def _listed(offers: Sequence[Offer]) -> str:
    """Measures as a model reads them, a line each: the name that a plan calls it by, and what it is."""
    return "\n".join(f"- {one.key}: {one.in_words}" for one in offers)
