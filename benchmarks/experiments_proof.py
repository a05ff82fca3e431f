"""`python -m benchmarks.experiments_proof [--strict] [--users N]`: the experiments agent on a real UpGrade.

`UPGRADE_URL` names a server of release 6 that may be written to; without it everything is reported as skipped. What is
made there bears the mark of this run and is removed at the end, but for users, whom UpGrade cannot remove. After every
write the server's own state is read, and compared with what the agent said.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from uuid import uuid4

PARTS: dict[str, Callable[[Proof], Awaitable[None]]] = {}
Part = Callable[["Proof"], Awaitable[None]]


def part(name: str) -> Callable[[Part], Part]:
    """Make a part of the proof of a function."""

    def kept(function: Part) -> Part:
        PARTS[name] = function
        return function

    return kept


@dataclass
class Proof:
    """A run: the client, what it has made on the server, and how many checks of each part held."""

    client: Any
    users: int
    mark: str = field(default_factory=lambda: uuid4().hex[:6])
    made: list[str] = field(default_factory=list)
    segments: list[str] = field(default_factory=list)
    held: dict[str, list[bool]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def check(self, what: str, expected: Any, got: Any, about: str = "") -> None:
        """Count a check, and keep what was wrong."""
        self.held.setdefault(what, []).append(expected == got)
        if expected != got:
            self.wrong.append(f"{what}: {about}: {expected!r} expected, {got!r} found")

    async def make(self, name: str, context: str, points: list[tuple[str, str]], **more: Any) -> dict[str, Any]:
        """An experiment made by the server's own call, so that the agent's is not proven by itself."""
        arms = more.pop("arms", {"control": 50, "variant": 50})
        body = {
            "name": f"proof {self.mark} {name}",
            "description": "",
            "context": [context],
            "state": "enrolling",
            "type": "Simple",
            "assignmentUnit": "individual",
            "consistencyRule": "individual",
            "postExperimentRule": "continue",
            "filterMode": "includeAll",
            "tags": [],
            "conditions": [
                {"id": f"c{order}", "conditionCode": code, "assignmentWeight": weight, "order": order}
                for order, (code, weight) in enumerate(arms.items(), 1)
            ],
            "partitions": [
                {"id": f"p{order}", "site": site, "target": target, "order": order, "excludeIfReached": False}
                for order, (site, target) in enumerate(points, 1)
            ],
        }
        one = await self.client.create({**body, **more})
        self.made.append(one["id"])
        return dict(one)

    async def segment(self, context: str, **held: Any) -> str:
        """A public segment with users, groups and segments in it."""
        body = {"name": f"proof {self.mark} {len(self.segments)}", "description": "", "context": context}
        members = {"userIds": [], "groups": [], "subSegmentIds": []} | held
        found = await self.client.call("POST", "/segments", {**body, "type": "public", **members})
        self.segments.append(found["id"])
        return str(found["id"])

    async def clean(self) -> None:
        """Remove what was made."""
        for own in self.made:
            await self.client.delete(own)
        for own in reversed(self.segments):
            await self.client.call("DELETE", f"/segments/{own}")

    async def given(self, user: str, one: Mapping[str, Any]) -> str | None:
        """What the server gives a user whom it knows, of one experiment."""
        for row in await self.client.assign(user, one["context"][0]):
            given = row["assignedCondition"][0]
            if given["experimentId"] == one["id"]:
                return str(given["conditionCode"])
        return None

    async def come(self, user: str, one: Mapping[str, Any]) -> None:
        """Let a user come to every decision point of an experiment, as an application would."""
        for row in await self.client.assign(user, one["context"][0]):
            if row["assignedCondition"][0]["experimentId"] == one["id"]:
                await self.client.mark(user, row["site"], row["target"], row["assignedCondition"][0])


async def foretold(user: str, one: Mapping[str, Any], groups: Any = None, working: Any = None) -> dict[str, Any]:
    """What the agent says that a user would get."""
    from signalbox.agents.experiments.predict import explain_assignment

    result = await explain_assignment(user, one["id"], groups, working)
    return dict(result["data"]) if result["success"] else {"condition": result["error"], "decided_by": "error"}


async def _as_foretold(proof: Proof, what: str, user: str, one: Mapping[str, Any], **groups: Any) -> None:
    """What is said of a user beforehand is what it gets once an application has made it known."""
    said = await foretold(user, one, groups.get("group"), groups.get("working"))
    await proof.client.init(user, groups.get("group"), groups.get("working"))
    got = await proof.given(user, one)
    proof.check(what, got, said["condition"], f"{user} in {one['name']} by {said['decided_by']}")
    again = await foretold(user, one)
    proof.check(what, (got, True), (again["condition"], again["decided_by"] != "server"), f"{user} once known")


@part("pools")
async def pools(proof: Proof) -> None:
    """Experiments that share decision points in a chain, one of them started late, stopped, or with somebody in it."""
    points = [("lesson-stream", f"pool-{proof.mark}-{number}") for number in range(4)]
    pool = [await proof.make(f"pool {at}", "mathstream", list(pair)) for at, pair in enumerate(pairwise(points))]
    for round_ in range(3):
        for number in range(proof.users):
            await _as_foretold(proof, "pools", f"{proof.mark}-pool-{round_}-{number}", pool[number % len(pool)])
        for number in range(0, proof.users, 2):
            for one in pool:
                await proof.come(f"{proof.mark}-pool-{round_}-{number}", one)
        await proof.client.set_state(pool[round_ % 3]["id"], ["inactive", "enrollmentComplete", "enrolling"][round_])
        for number in range(proof.users):
            user, one = f"{proof.mark}-pool-{round_}-{number}", pool[(number + 1) % len(pool)]
            said = await foretold(user, one)
            got = (await proof.given(user, one), True)
            proof.check("pools", got, (said["condition"], said["decided_by"] != "server"), f"{user} after a change")


@part("groups")
async def groups(proof: Proof) -> None:
    """Experiments on classes, under each consistency rule, for users with and without groups, and who change them."""
    chance = random.Random(proof.mark)
    for rule in ("individual", "group", "experiment"):
        point = [("dashboard", f"{rule}-{proof.mark}")]
        more = {"assignmentUnit": "group", "group": "classId", "consistencyRule": rule}
        one = await proof.make(f"by class, {rule}", "mathstream", point, **more)
        for number in range(proof.users):
            user, own = f"{proof.mark}-{rule}-{number}", f"class-{proof.mark}-{chance.randrange(8)}"
            held = [None, {"classId": [own]}, {"classId": [own, "other"]}, {"schoolId": ["north"]}][number % 4]
            working = {kind: ids[0] for kind, ids in held.items()} if held else None
            await _as_foretold(proof, "groups", user, one, group=held, working=working)
            is_in = number % 3 == 0
            if is_in:
                await proof.come(user, one)
            elsewhere = {"classId": [f"class-{proof.mark}-{chance.randrange(8)}"]}
            said = await foretold(user, one, elsewhere)
            whole = (held or {}) | elsewhere
            at_work = (working or {}) | {"classId": elsewhere["classId"][0]}
            await proof.client.init(user, whole, at_work)
            got = await proof.given(user, one)
            # Whether a user is enrolled the server does not tell; what hangs on it is said as such.
            is_said = got == said["condition"] or (not is_in and (got or "the default") in said["note"])
            proof.check("other groups", True, is_said, f"{user}, {rule}, {got} for {said['condition']} {said['note']}")


@part("segments")
async def segments(proof: Proof) -> None:
    """Public segments in segments, on both lists and both filter modes, with users who were enrolled before."""
    context, kind = "assign-prog", "schoolId"
    inner = await proof.segment(context, userIds=[f"{proof.mark}-seg-{number}" for number in range(0, 40, 3)])
    school = await proof.segment(context, groups=[{"type": kind, "groupId": f"school-{proof.mark}-1"}])
    outer = await proof.segment(context, subSegmentIds=[inner, school])
    top = await proof.segment(context, subSegmentIds=[outer], userIds=[f"{proof.mark}-seg-1"])
    for mode in ("includeAll", "excludeAll"):
        for which in ("inclusion", "exclusion"):
            for unit, rule in (("individual", "individual"), ("group", "individual"), ("group", "group")):
                name = f"{mode} {which} {unit} {rule}"
                more = {"assignmentUnit": unit, "consistencyRule": rule, "filterMode": mode}
                more |= {"group": kind} if unit == "group" else {}
                point = [("SelectSection", f"{name}-{proof.mark}".replace(" ", "-"))]
                one = await proof.make(name, context, point, **more)
                early = [f"{proof.mark}-{name.replace(' ', '-')}-{number}" for number in range(2)]
                held = {kind: [f"school-{proof.mark}-1"]}
                for user in early:
                    await _as_foretold(proof, "segments", user, one, group=held, working={kind: held[kind][0]})
                    await proof.come(user, one)
                members = {"name": "segment", "context": context, "type": "private", "subSegmentIds": [top]}
                await proof.client.add_list(one["id"], which, {**members, "listType": "Segment"})
                for user in early:
                    got = (await proof.given(user, one), True)
                    said = await foretold(user, one)
                    found = (said["condition"], said["decided_by"] != "server")
                    proof.check("segments after enrolment", got, found, f"{user} by {said['decided_by']}")
                for number in range(6):
                    own = {kind: [f"school-{proof.mark}-{number % 2}"]}
                    user = f"{proof.mark}-seg-{number}"
                    await proof.client.init(user, {}, {})
                    await _as_foretold(proof, "segments", user, one, group=own, working={kind: own[kind][0]})


@part("metrics")
async def metrics(proof: Proof) -> None:
    """What was logged for users by the client's call comes back as figures, differences and intervals."""
    from statistics import fmean, stdev

    from signalbox.agents.experiments.metric_results import get_experiment_results
    from signalbox.settings import now

    keys = {"continuous": f"minutes-{proof.mark}", "categorical": f"passed-{proof.mark}"}
    units = [{"metric": key, "datatype": kind, "allowedValues": ["yes", "no"]} for kind, key in keys.items()]
    await proof.client.call("POST", "/metric/save", {"metricUnit": units, "context": ["mathstream"]})
    asked = [("continuous", {"operationType": name}) for name in ("avg", "stddev")]
    asked += [("categorical", {"operationType": "percentage", "compareFn": "=", "compareValue": "yes"})]
    queries = [
        {
            "name": query["operationType"],
            "query": query,
            "metric": {"key": keys[kind]},
            "repeatedMeasure": "MOST RECENT",
        }
        for kind, query in asked
    ]
    point = [("lesson-stream", f"metrics-{proof.mark}")]
    one = await proof.make("metrics", "mathstream", point, queries=queries)
    chance, logged = random.Random(proof.mark), dict[str, list[tuple[float, str]]]()
    for number in range(max(20, proof.users)):
        user = f"{proof.mark}-metrics-{number}"
        await proof.client.init(user)
        code = str(await proof.given(user, one))
        await proof.come(user, one)
        values = round(chance.gauss(10 if code == "control" else 13, 2), 1), chance.choice(["yes", "yes", "no"])
        await proof.client.log(user, dict(zip(keys.values(), values, strict=True)), now().isoformat())
        logged.setdefault(code, []).append(values)
    found = (await get_experiment_results(one["id"]))["data"]
    mean, share = (next(row for row in found["metrics"] if row["metric"] == key) for key in keys.values())
    for code, values in logged.items():
        minutes = [value for value, _ in values]
        own = mean["arms"][code]
        proof.check("metrics", (len(values), round(fmean(minutes), 6)), (own["users"], round(own["value"], 6)), code)
        proof.check("metrics", round(stdev(minutes), 6), round(own["spread"], 6), f"the spread of {code}")
        passed = 100 * sum(said == "yes" for _, said in values) / len(values)
        proof.check("metrics", round(passed, 6), round(share["arms"][code]["value"], 6), f"who passed of {code}")
    effect = mean["effects"]["variant"]
    difference = fmean([value for value, _ in logged["variant"]]) - fmean([value for value, _ in logged["control"]])
    proof.check("metrics", round(difference, 6), round(effect["difference"], 6), "the difference")
    proof.check("metrics", True, effect["low"] < difference < effect["high"], "the interval")
    for key in keys.values():
        await proof.client.call("DELETE", f"/metric/{key}")


@part("writes")
async def writes(proof: Proof) -> None:
    """What the tools say that they stored is what the server has, call by call, and refused is nothing stored."""
    from signalbox.agents.experiments import tools

    name = f"proof {proof.mark} written"
    arms = [{"code": "control", "weight": 50}, {"code": "variant", "weight": 50}]
    points = [{"site": "lesson-stream", "target": f"written-{proof.mark}"}]
    draft = {"context": "mathstream", "conditions": arms, "decision_points": points}
    before = len(await proof.client.names())
    for wrong in ({"context": "nowhere"}, {"conditions": [arms[0] | {"weight": 70}]}, {"assignment_unit": "group"}):
        refused = await tools.create_experiment(name=name, **(draft | wrong))
        proof.check("writes", (False, before), (refused["success"], len(await proof.client.names())), str(wrong))
    made = (await tools.create_experiment(name=name, **draft))["data"]["experiment"]
    proof.made.append(made["id"])
    raw = await proof.client.experiment(made["id"])
    proof.check("writes", (name, "inactive", 2), (raw["name"], raw["state"], len(raw["conditions"])), "created")
    for state in ("enrolling", "enrollmentComplete", "enrolling"):
        await tools.update_experiment_status(made["id"], state)
        shown = {"enrolling": "running", "enrollmentComplete": "paused"}[state]
        proof.check("writes", shown, (await proof.client.experiment(made["id"]))["state"], state)
    changes = {"conditions": [arms[0] | {"weight": 20}, arms[1] | {"weight": 80}], "description": "other"}
    await tools.update_experiment(made["id"], changes)
    raw = await proof.client.experiment(made["id"])
    weights = sorted(one["assignmentWeight"] for one in raw["conditions"])
    proof.check("writes", ([20, 80], "other"), (weights, raw["description"]), "changed")
    await tools.delete_experiment(made["id"])
    proof.made.remove(made["id"])
    left = [one["name"] for one in await proof.client.names()]
    proof.check("writes", False, name in left, "deleted")


async def run(proof: Proof, names: list[str]) -> None:
    """Run the parts, and remove what they made, however they end."""
    from signalbox.agents.experiments.clients import use_client

    with use_client(proof.client):
        try:
            for name in names:
                await PARTS[name](proof)
        finally:
            await proof.clean()


async def _main(options: argparse.Namespace) -> int:
    from signalbox.agents.experiments.client import UpgradeClient

    async with UpgradeClient() as client:
        proof = Proof(client, options.users)
        print(f"UpGrade {(await client.health()).get('version')} at {client.url}, marked {proof.mark}")
        await run(proof, options.parts or list(PARTS))
    for what, held in proof.held.items():
        print(f"  {what}: {sum(held)} of {len(held)}")
    print(*proof.wrong[:20], sep="\n")
    return int(options.strict and bool(proof.wrong))


def main() -> int:
    """Prove it; exit 1 under --strict where a check did not hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.experiments_proof", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"which to run: {', '.join(PARTS)} (default: all)")
    parser.add_argument("--users", type=int, default=12, help="how many users a case has (default: 12)")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a check did not hold")
    options = parser.parse_args()
    if not os.environ.get("UPGRADE_URL"):
        print(f"UPGRADE_URL names no server: skipped {', '.join(PARTS)}")
        return 0
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(SIGNALBOX_HOME=home, LANGSMITH_TRACING="false")
        return asyncio.run(_main(options))


if __name__ == "__main__":
    raise SystemExit(main())
