"""The results of question sets: accuracy, misses, and differences between models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from signalbox.evals.judge import ConversationJudge, find_judge
from signalbox.evals.load import Case, EvalSet
from signalbox.evals.oracle import oracle_figures
from signalbox.evals.score import Outcome, can_mislead
from signalbox.evals.steps import step_figures

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Report", "Result"]


@dataclass(frozen=True)
class Result:
    """One case, given to one model."""

    model: str
    asked: EvalSet
    case: Case
    outcome: Outcome
    right: bool
    ms: float
    misled: bool = False
    """True if it is wrong without showing it: an unwanted value, call or answer."""

    @property
    def place(self) -> str:
        """The set, and the case by its name or line."""
        return f"{self.asked.label}, {self.case.name or f'line {self.case.line}'}"

    @property
    def key(self) -> tuple[str, int]:
        """The same for the same case with another model."""
        return str(self.asked.path), self.case.line

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON carries it."""
        return {
            "place": self.place,
            "file": str(self.asked.path),
            "line": self.case.line,
            "text": self.case.text,
            **({"then": list(self.case.then)} if self.case.then else {}),
            "expected": _expected(self.case),
            "got": self.outcome,
            **({"misleading": True} if self.misled else {}),
        }


@dataclass(frozen=True)
class Report:
    """All results of a run, for people (`render`) and programs (`as_json`)."""

    models: tuple[str, ...]
    results: tuple[Result, ...]
    show_misses: bool = True
    stale: tuple[Result, ...] = ()
    """Cases with a prompt without a recorded reply, which are not counted."""
    unused: tuple[str, ...] = ()
    """Recorded prompts that no case sends any more."""
    unrecorded: int = 0
    """The number of chosen cases without any recording."""

    def misses(self, model: str) -> list[Result]:
        """The cases that a model got wrong."""
        return [r for r in self.results if r.model == model and not r.right]

    def differences(self) -> list[tuple[Result, ...]]:
        """The cases on which models differ, one result per model."""
        by_case: dict[tuple[str, int], list[Result]] = {}
        for result in self.results:
            by_case.setdefault(result.key, []).append(result)
        return [tuple(group) for group in by_case.values() if len({r.right for r in group}) > 1]

    def as_json(self) -> dict[str, Any]:
        """Plain data: figures by skill and by set for every model, the misses, the differences."""
        left_out = {
            **({"stale": [r.place for r in self.stale]} if self.stale else {}),
            **({"unused": list(self.unused)} if self.unused else {}),
            **({"unrecorded": self.unrecorded} if self.unrecorded else {}),
        }
        return {
            "models": {
                model: {
                    "skills": self._figures(model, lambda r: r.asked.area),
                    "sets": self._figures(model, lambda r: r.asked.label),
                    "figures": self._more(model),
                    "misses": [r.as_dict() for r in self.misses(model)],
                }
                for model in self.models
            },
            "differences": [
                {**group[0].as_dict(), "got": {r.model: {"right": r.right, **r.outcome} for r in group}}
                for group in self.differences()
            ],
            **left_out,
        }

    def render(self, console: Console) -> None:
        """Prints the figures, the misses of each model if asked for, and where models differ."""
        self._print_figures(console)
        for model in self.models:
            for agent, figures in self._more(model).items():
                told = ", ".join(f"{name} {value}" for name, value in figures.items())
                console.print(f"{agent}, {_label(model)}: {told}", markup=False, highlight=False)
        self._print_left_out(console)
        if self.show_misses:
            for model in self.models:
                _print_misses(console, model, self.misses(model))
        if len(self.models) > 1:
            _print_differences(console, self.differences())

    def _print_left_out(self, console: Console) -> None:
        if self.unrecorded:
            console.print(f"Not in the recording, and not run: {self.unrecorded} cases", highlight=False)
        if self.stale:
            console.print(f"\nStale, not counted: {len(self.stale)}", style="bold")
            for result in self.stale:
                turns = result.outcome.get("turns") or ()
                stopped = next((n for n, turn in enumerate(turns, 1) if turn["status"] == "error"), 0)
                at = f", at message {stopped}" if stopped else ""
                console.print(f"{result.place}{at}: a prompt has no reply", markup=False, highlight=False)
        if self.unused:
            told = ", ".join(self.unused)
            console.print(f"\nRecorded replies that nobody asks for: {told}", markup=False, highlight=False)

    def _more(self, model: str) -> dict[str, dict[str, str]]:
        """Additional figures for skills and agents."""
        found: dict[str, dict[str, str]] = {}
        for area, results in self._judged(model).items():
            misled, missed = sum(r.misled for r in results), sum(not r.right for r in results)
            found[area] = {"misleading": _part(misled, results), "honest misses": _part(missed - misled, results)}
        steps = [r for r in self.results if r.model == model and r.asked.skill == "steps"]
        if steps:
            told = step_figures([(r.outcome, r.case, r.right) for r in steps])
            found["steps"] = {**found.get("steps", {}), **told}
        oracle = [r for r in self.results if r.model == model and r.asked.skill == "oracle"]
        if oracle:
            found["oracle"] = oracle_figures([(r.outcome, r.case, r.right) for r in oracle])
        answered = [r for r in self.results if r.model == model and r.asked.skill == "agent"]
        for agent in dict.fromkeys(r.asked.agent for r in answered):
            judge = find_judge(agent)
            asked = [(r.outcome, r.case.alternatives) for r in answered if r.asked.agent == agent]
            figures = dict(judge.figures(asked)) if hasattr(judge, "figures") else {}
            if isinstance(judge, ConversationJudge):
                held = [one for one in asked if "end" in one[1][0]]
                changed = sum(_is_changed_unasked(judge, *one) for one in held)
                figures["changes not asked for"] = f"in {changed} of {len(held)}"
            if figures:
                found[agent] = found.get(agent, {}) | figures
        return found

    def _judged(self, model: str) -> dict[str, list[Result]]:
        """The results by skill or agent for which misleading ones can be identified."""
        found: dict[str, list[Result]] = {}
        for result in self.results:
            if result.model == model and can_mislead(result.asked):
                found.setdefault(result.asked.area, []).append(result)
        return found

    def _figures(self, model: str, group_of: Any) -> dict[str, dict[str, Any]]:
        groups: dict[str, list[Result]] = {}
        for result in self.results:
            if result.model == model:
                groups.setdefault(group_of(result), []).append(result)
        return {name: _figure(results) for name, results in groups.items()}

    def _print_figures(self, console: Console) -> None:
        from rich.table import Table

        table = Table(title="Accuracy")
        table.add_column("set", no_wrap=True)
        for model in self.models:
            table.add_column(_label(model), justify="right")
            table.add_column("median ms", justify="right")
        skills = {m: self._figures(m, lambda r: r.asked.area) for m in self.models}
        sets = {m: self._figures(m, lambda r: r.asked.label) for m in self.models}
        for skill in skills[self.models[0]]:
            table.add_row(f"[bold]{skill}[/bold]", *_cells(skills, skill), style="bold")
            for name in (n for n in sets[self.models[0]] if n.startswith(f"{skill}/")):
                table.add_row(f"  {name.removeprefix(f'{skill}/')}", *_cells(sets, name))
        console.print(table)


def _is_changed_unasked(judge: ConversationJudge, outcome: Outcome, alternatives: Sequence[Mapping[str, Any]]) -> bool:
    """True if a conversation changed something that no outcome wants."""
    return "failed" not in outcome and all(judge.unasked(outcome, wanted) for wanted in alternatives)


def _label(model: str) -> str:
    """The model's name for printing: a path is reduced to its file name."""
    provider, *path = model.split("/")
    return f"{provider}/{path[-1]}" if path else provider


def _part(count: int, results: Sequence[Result]) -> str:
    return f"{count} of {len(results)} ({count / len(results):.1%})"


def _figure(results: list[Result]) -> dict[str, Any]:
    right = sum(r.right for r in results)
    return {
        "cases": len(results),
        "right": right,
        "accuracy": round(right / len(results), 4),
        "median_ms": round(median(r.ms for r in results), 3),
    }


def _cells(figures: Mapping[str, Mapping[str, Mapping[str, Any]]], name: str) -> Iterable[str]:
    for of_model in figures.values():
        figure = of_model[name]
        yield f"{figure['right']}/{figure['cases']}  {figure['right'] / figure['cases']:.1%}"
        yield f"{figure['median_ms']:.2f}"


def _print_misses(console: Console, model: str, misses: list[Result]) -> None:
    console.print(f"\nMisses of {_label(model)}: {len(misses)}", style="bold", markup=False)
    for miss in misses:
        _print_case(console, miss)
        console.print(f"  got       {_brief(miss.outcome)}", markup=False, highlight=False)


def _print_differences(console: Console, differences: list[tuple[Result, ...]]) -> None:
    console.print(f"\nCases on which the models differ: {len(differences)}", style="bold")
    for group in differences:
        _print_case(console, group[0])
        for result in group:
            verdict = "right" if result.right else "wrong"
            line = f"  {_label(result.model)}: {verdict}, {_brief(result.outcome)}"
            console.print(line, markup=False, highlight=False)


def _print_case(console: Console, result: Result) -> None:
    said = ", then ".join(map(repr, (result.case.text, *result.case.then)))
    console.print(f"{result.place}  {said}", markup=False, highlight=False)
    console.print(f"  expected  {_brief(_expected(result.case))}", markup=False, highlight=False)


def _expected(case: Case) -> Any:
    outcomes = [dict(alternative) for alternative in case.alternatives]
    return outcomes[0] if len(outcomes) == 1 else {"any_of": outcomes}


def _brief(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
