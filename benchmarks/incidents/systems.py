"""The three systems of an incident on ports of their own, with the real protocols, and the settings that lead there."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from benchmarks.incidents.figures import open_figures
from benchmarks.incidents.scenarios import Scenario
from signalbox.settings import now
from signalbox.worlds.experiments import admin
from signalbox.worlds.experiments.server import serve as serve_experiments
from signalbox.worlds.experiments.store import Store as Experiments
from signalbox.worlds.metrics.api.server import serve as serve_metrics
from signalbox.worlds.network.history import History
from signalbox.worlds.network.serving import World

__all__ = ["serve"]


@contextmanager
def serve(made: Scenario) -> Iterator[dict[str, str]]:
    """The systems of a scenario while the block runs; gives the environment in which they are asked."""
    # The worlds read the clock as everybody does.
    os.environ["SIGNALBOX_NOW"] = made.opened.isoformat()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="signalbox-incident-")))
        metrics = stack.enter_context(serve_metrics(open_figures(made.estate, made.effects, made.opened, now)))
        experiments = stack.enter_context(serve_experiments(_experiments(made)))
        world = World(incident=False)
        world._past = made.conditions
        world._history = History(world.model, made.conditions, made.opened)
        stack.callback(world.stop)
        world.start()
        inventory = folder / "inventory.json"
        inventory.write_text(json.dumps(world.inventory()), "utf-8")
        (folder / "dependencies.yaml").write_text(made.dependencies(), "utf-8")
        yield {
            "SIGNALBOX_NOW": made.opened.isoformat(),
            "SIGNALBOX_HOME": str(folder / "home"),
            "SIGNALBOX_DEPENDENCIES": str(folder / "dependencies.yaml"),
            "PROMETHEUS_URL": metrics,
            "NETWORK_INVENTORY": str(inventory),
            "UPGRADE_URL": experiments,
        }


def _experiments(made: Scenario) -> Experiments:
    store = Experiments()
    store.metadata["site"] = {"CONDITIONS": ["control", "variant"], "GROUP_TYPES": [], "EXP_IDS": [], "EXP_POINTS": []}
    for name, service, at in made.experiments:
        own = str(uuid5(NAMESPACE_URL, f"https://signalbox.example/incidents/{made.seed}/{name}"))
        halves = [
            {"id": code, "conditionCode": code, "assignmentWeight": 50, "order": order}
            for order, code in enumerate(("control", "variant"), 1)
        ]
        point = {"id": "p1", "site": service or "mail", "target": "page", "order": 1, "excludeIfReached": False}
        body = {
            "id": own, "name": name, "description": "", "context": ["site"], "state": "inactive", "type": "Simple",
            "assignmentUnit": "individual", "consistencyRule": "individual", "postExperimentRule": "continue",
            "filterMode": "includeAll", "tags": [], "group": None, "conditions": halves, "partitions": [point],
            "experimentSegmentInclusion": [], "experimentSegmentExclusion": [],
        }  # fmt: skip
        admin.create(store, body)
        admin.move(store, {"experimentId": own, "state": "enrolling"})
        moments = {"createdAt": _stamp(datetime.fromisoformat("2026-01-05T09:00:00+00:00")), "updatedAt": _stamp(at)}
        store.experiments[own] = store.experiments[own] | moments
    return store


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
