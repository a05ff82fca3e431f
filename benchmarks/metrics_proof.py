"""`python -m benchmarks.metrics_proof [--offline] [--grafana] [--strict]`: what the metrics agent makes of right plans.

A real Prometheus holds a world with what goes wrong in life (`proof/world.py`). Every question of
`evals/metrics_proof.jsonl` is asked, with its right plan in place of a model's, and judged by its reference query. So a
miss is the agent's own. With `--offline` the offline model reads the questions instead; with `--grafana` every fifth
question is asked through Grafana's proxy.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.proof.grafana import serve_grafana
from benchmarks.proof.server import is_installed, serve_world

TABLE = Path(__file__).parents[1] / "evals" / "metrics_proof.jsonl"
TARGET = 0.97
_NOWHERE = {"SIGNALBOX_MODEL_BASE_URL": "http://oracle.invalid/v1", "SIGNALBOX_MODEL_PLANS": "1"}
_WIDTH = 500
_SAMPLED = 5


def main() -> int:
    """Ask every question; exit 1 under --strict where fewer than 97 in 100 are right, or a threshold misleads."""
    options = _parse()
    if not is_installed():
        print("prometheus and promtool are not installed, so nothing is measured: apt-get install prometheus")
        return 0
    with tempfile.TemporaryDirectory() as home, serve_world() as address, serve_grafana(address) as grafana:
        os.environ.update(SIGNALBOX_HOME=home, LANGSMITH_TRACING="false", PROMETHEUS_URL=address, GRAFANA_URL=grafana)
        results = _run(options.offline, options.containing, through_grafana=options.grafana)
    if not results:
        print(f"no question and no set contains {options.containing!r}")
        return 2
    _print(results)
    right = sum(one.right for one in results) / len(results)
    is_proven = right >= TARGET and not any(one.misled for one in results if _is_threshold(one))
    return int(options.strict and not is_proven)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.metrics_proof", description=__doc__)
    parser.add_argument("--offline", action="store_true", help="let the offline model read the questions")
    parser.add_argument("--grafana", action="store_true", help="ask every fifth question through Grafana's proxy")
    parser.add_argument("--strict", action="store_true", help="exit 1 where the target is missed")
    parser.add_argument("--containing", default="", help="only questions, or sets, that contain this text")
    return parser.parse_args()


class Plans:
    """Stands where a model's replies are looked up, and gives the right plan of a question."""

    def __init__(self, plans: Mapping[str, Mapping[str, Any]]) -> None:
        self.plans = plans

    def find(self, messages: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """The plan as JSON, where a plan is asked for; nothing to any other question."""
        from langchain_core.messages import AIMessage

        schema = (options.get("response_format") or {}).get("json_schema") or {}
        said = next(str(one.content) for one in reversed(messages) if one.type == "human")
        known = max((text for text in self.plans if text in said), key=len, default="")
        plan = self.plans.get(known, {}) if schema.get("name") == "MetricsPlan" else {}
        return AIMessage(json.dumps(plan) if schema else "")

    def keep(self, messages: Sequence[Any], options: Mapping[str, Any], reply: Any) -> None:
        """Nothing is kept."""


def read_plans(table: Path) -> dict[str, Mapping[str, Any]]:
    """The right plan of every message of the table."""
    plans: dict[str, Mapping[str, Any]] = {}
    for line in table.read_text("utf-8").splitlines():
        case = json.loads(line)
        if "text" in case:
            given = case["plan"] if isinstance(case["plan"], list) else [case["plan"]]
            plans |= dict(zip((case["text"], *case.get("then", ())), given, strict=True))
    return plans


def _run(offline: bool, containing: str, *, through_grafana: bool) -> list[Any]:
    from dataclasses import replace

    from signalbox.evals.environment import environment
    from signalbox.evals.load import read_sets
    from signalbox.evals.run import run_set
    from signalbox.models.tape import use_tape

    model = "offline" if offline else "openai/oracle"
    found: list[Any] = []
    with environment({} if offline else _NOWHERE), nullcontext() if offline else use_tape(Plans(read_plans(TABLE))):
        for asked in read_sets([TABLE]):
            chosen = [case for case in asked.cases if containing in case.text or containing in asked.name]
            if through_grafana:
                asked, chosen = replace(asked, server="GRAFANA_URL"), chosen[::_SAMPLED]
            if chosen:
                found += [result for result, _ in run_set(replace(asked, cases=tuple(chosen)), model)]
    return found


def _is_threshold(result: Any) -> bool:
    return bool(result.case.alternatives[0].get("kind") == "threshold")


def _verdict(result: Any) -> str:
    return "right" if result.right else "misleading" if result.misled else "wrong"


def _print(results: Sequence[Any]) -> None:
    for one in results:
        print(f"{_verdict(one):10} {one.asked.name}: {', then '.join((one.case.text, *one.case.then))}")
        if not one.right:
            print(f"             wanted {_brief([_short(alternative) for alternative in one.case.alternatives])}")
            print(f"             got    {_brief(one.outcome)}")
    print()
    for name in dict.fromkeys(one.asked.name for one in results):
        _print_sum(name, [one for one in results if one.asked.name == name])
    _print_sum("all", results)
    judged = [one for one in results if _is_threshold(one) and one.misled]
    alarms = sum(bool(one.case.alternatives[0].get("none")) for one in judged)
    print(f"thresholds: {alarms} false alarms, {len(judged) - alarms} false all-clears or wrong offenders")
    longest = max(results, key=lambda one: one.ms)
    print(f"median {median(one.ms for one in results):.0f} ms; longest {longest.ms:.0f} ms: {longest.case.text}")


def _print_sum(name: str, results: Sequence[Any]) -> None:
    right, misled = sum(one.right for one in results), sum(one.misled for one in results)
    honest = len(results) - right - misled
    print(
        f"{name:20} {right:3}/{len(results):3} right ({right / len(results):.1%}), {misled} misleading, {honest} wrong"
    )


def _short(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What is wanted, without the query where its figures are known."""
    return {
        name: value for name, value in wanted.items() if name not in ("promql", "against") or "figures" not in wanted
    }


def _brief(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"


if __name__ == "__main__":
    sys.exit(main())
