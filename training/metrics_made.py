"""`python -m training.metrics_made`: questions about metrics made of parts, beside those that people wrote down.

Forms of questions, times, bounds and ways to name things are put together over the businesses of
`metrics_worlds.yaml`; each question knows its plan by how it was made. What is marked
`[f:web-1]` in a form is a field of the plan and its words.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import yaml

from signalbox.agents.metrics.teaching import index_of

_WORLDS: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("metrics_worlds.yaml").read_text("utf-8"))
METRICS = {
    business: {name: tuple(map(str, one.values())) for name, one in world["metrics"].items()}
    for business, world in _WORLDS.items()
}
LABELS = {
    business: {name: (str(one["words"]), str(one["values"])) for name, one in world["labels"].items()}
    for business, world in _WORLDS.items()
}
HEADER = {
    "skill": "filling",
    "now": "2026-11-16T10:30:00",
    "tz": "Europe/Berlin",
    "schemas": "signalbox.agents.metrics.teaching:schemas_for",
}
MARKS = {
    "f": "filters",
    "x": "excluded",
    "s": "split_by",
    "p": "percentiles",
    "n": "top",
    "b": "bound",
    "l": "lasting",
    "t": "time",
    "a": "against",
    "d": "per",
    "c": "also",
    "u": "unit",
    "m": "named",
}
LISTS = ("filters", "excluded", "split_by", "percentiles")
KEYS = {
    "node_cpu_seconds_total": "cpu_usage",
    "node_load1": "load",
    "node_memory_MemAvailable_bytes": "memory_available",
    "node_memory_MemTotal_bytes": "memory_usage",
    "node_filesystem_avail_bytes": "disk_free",
    "node_filesystem_size_bytes": "disk_usage",
    "node_network_receive_bytes_total": "network_in",
    "node_network_transmit_bytes_total": "network_out",
    "node_network_receive_errs_total": "network_errors",
    "node_disk_read_bytes_total": "disk_read",
    "node_disk_written_bytes_total": "disk_write",
    "node_disk_io_time_seconds_total": "disk_saturation",
    "node_boot_time_seconds": "uptime",
    "up": "targets_up",
    "container_cpu_usage_seconds_total": "cpu_usage",
    "container_memory_working_set_bytes": "memory_used",
    "http_requests_total": "request_rate",
    "http_request_duration_seconds": "latency",
    "process_resident_memory_bytes": "memory_used",
    "process_cpu_seconds_total": "cpu_usage",
}

TIMES = (
    "last hour|past hour|last 2 hours|past 3 hours|last 15 minutes|last 90 min|past 24 hours|last 12h|today|yesterday|"
    "this week|last week|this month|last month|since midnight|since 9am|since Monday|since yesterday|this morning|"
    "last night|the weekend|Monday|last Friday|October|9 November|between 2 and 4 pm yesterday|from 10:00 to 11:30|"
    "past 3 days|last 7 days|last 30 days|this quarter|yesterday evening|2 days ago|the past fortnight|tuesday morning"
).split("|")
BEFORE = (
    "yesterday|last week|the day before|the week before|a week ago|last month|the same time yesterday|the hour before|"
    "last Monday|the previous day|this time last week"
).split("|")
PREPOSITIONS = {
    "the past": "in ",
    "weekend": "over ",
    "Monday": "on ",
    "Friday": "on ",
    "October": "in ",
    "November": "on ",
    "past": "in the ",
    "last": "in the ",
}
BOUNDS = {
    "percent": ("90%", "80 percent", "5 %", "95%", "half"),
    "ratio": ("90%", "75 %", "0.8", "60 percent"),
    "bytes": ("2 GB", "500 MB", "10 GiB", "1.5 TB"),
    "seconds": ("500 ms", "2 seconds", "1.5s", "10 minutes", "300ms"),
    "celsius": ("30 °C", "60 degrees", "0 °C", "75"),
    "": ("1000", "50", "10", "3", "20k", "a hundred"),
}
UNITS = {
    "bytes": ("GB", "MiB", "Mbit/s", "TB"),
    "seconds": ("ms", "minutes", "hours", "seconds"),
    "ratio": ("percent",),
}
PARTS = ("p95", "p99", "p50", "median", "90th percentile", "99th percentile", "p90", "p99.9")
LASTING = ("5 minutes", "10 min", "an hour", "more than 2 minutes", "half an hour", "30 seconds")

# {m} the measure, {f} what it is narrowed to, {t} a time, {T} a time with its preposition, {s} a label, {b} a bound.
FORMS: dict[str, tuple[str, ...]] = {
    "-": (
        "{m} {f} {T}",
        "{m} {f}",
        "{f}: {m} {T}",
        "{m}, {f}, {t}",
        "{m} by [s:{s}] {T}",
        "{m} per [s:{s}]",
        "{m} {f} by [s:{s}] {T}",
        "{m} {f} {T} in [u:{u}]",
        "{m} {f}, in [u:{u}]",
        "[m:{name}] {f} {T}",
        "[p:{p}] {m} {f} {T}",
        "{m} {f} [p:{p}] {T}",
        "{m} {f} {T} please",
        "i need {m} {f} {T}",
        "{m} for each [s:{s}], {t}",
        "{m} {f} without [x:{v}] {T}",
        "{m} except [x:{v}] {T}",
        "[p:p50] and [p:p99] {m} {f} {T}",
        "{T} {m} {f}",
        "{m} of every [s:{s}] but [x:{v}]",
        "hey, {m} {f} {T}?",
        "{m} and [c:{m2}] {f} {T}",
        "{m} per [d:{one}] {f} {T}",
        "get {m} {f} {T}",
    ),
    "curve": (
        "show {m} {f} {T}",
        "plot {m} {f} {T}",
        "graph of {m} {f} {T}",
        "how did {m} {f} develop {T}",
        "chart {m} by [s:{s}] {T}",
        "draw me {m} {f} {T}",
        "{m} {f} over time {T}",
        "I'd like to see {m} {f} {T}",
        "trend of {m} {f} {T}",
        "history of {m} {f}",
        "can you show me {m} {f} {T}, [p:{p}]",
        "{m} and [c:{m2}] {f} {T} in one chart",
        "let me see {m} per [s:{s}] {T}",
        "display {m} {f} {T} in [u:{u}]",
        "how has {m} {f} been going {T}",
        "visualise {m} {T}, leaving out [x:{v}]",
        "one line per [s:{s}]: {m} {T}",
        "what did {m} {f} look like {T}",
        "is {m} {f} going up or down {T}?",
    ),
    "figure": (
        "what is {m} {f}|latest",
        "what's the average {m} {f} {T}|average",
        "average {m} {f} {T}|average",
        "mean {m} per [s:{s}] {T}|average",
        "highest {m} {f} {T}|highest",
        "peak {m} {f} {T}, in [u:{u}]|highest",
        "max {m} by [s:{s}] {T}|highest",
        "lowest {m} {f} {T}|lowest",
        "minimum {m} {f} {T}|lowest",
        "{m} {f} right now|latest",
        "current {m} {f}|latest",
        "what was the worst {m} {f} {T}|highest",
        "how high is {m} {f} at the moment|latest",
        "tell me the {m} {f} as of now|latest",
        "what was {m} {f} {T}",
        "typical {m} {f} {T}|average",
        "what is the [p:{p}] of {m} {f} {T}",
        "how big did {m} {f} get {T}|highest",
    ),
    "total": (
        "how many {m} {f} {T}|total",
        "total {m} {f} {T}|total",
        "number of {m} {f} {T}|total",
        "{m} {f} {T} in total|total",
        "sum of {m} by [s:{s}] {T}|total",
        "how many {m} did we have {f} {T}|total",
        "count of {m} {f} {T}, not [x:{v}]|total",
        "{m} {f} {T} altogether|total",
        "{m} per minute {f} {T}|rate",
        "rate of {m} {f}|rate",
        "{m} a second {f}|rate",
        "how much {m} {f} {T}|total",
    ),
    "ranking": (
        "top [n:{n}] [s:{s}] by {m} {T}|highest",
        "which [s:{s}] has the most {m} {T}|highest",
        "which [s:{s}] has the highest {m}|highest",
        "[s:{s}] with the lowest {m} {T}|lowest",
        "rank [s:{s}] by {m} {T}|highest",
        "the [n:{n}] [s:{s}] with most {m} {f} {T}|highest",
        "which [s:{s}] has the least {m} {f}|lowest",
        "worst [s:{s}] for {m} {T}|highest",
        "bottom [n:{n}] [s:{s}] by {m}|lowest",
        "{m}: biggest [s:{s}] first, {t}|highest",
        "who has the highest {m} {T}, by [s:{s}], without [x:{v}]|highest",
        "name the [n:{n}] [s:{s}] with the fewest {m} {T}|lowest",
        "sort the [s:{s}] by {m} [p:{p}] {T}|highest",
        "[n:{n}] busiest [s:{s}], {m}, {t}|highest",
    ),
    "comparison": (
        "{m} {f} {T} vs [a:{a}]",
        "compare {m} {f} {T} with [a:{a}]",
        "{m} {f} {T} compared to [a:{a}]",
        "is {m} {f} higher than [a:{a}]?",
        "{m} of [f:{v}] versus [f:{w}] {T}",
        "[f:{v}] or [f:{w}]: which has more {m} {T}",
        "difference in {m} between [f:{v}] and [f:{w}] {T}",
        "did {m} {f} go up against [a:{a}]",
        "{m} {f} {T}, and how was it [a:{a}]?",
        "has {m} {f} dropped since [a:{a}]",
        "{m} vs [c:{m2}] {f} {T}",
        "more {m} {T} than [a:{a}]?",
        "compare {m} and [c:{m2}] {T}",
    ),
    "threshold": (
        "did {m} {f} go over [b:{b}] {T}|above",
        "was {m} {f} above [b:{b}] for [l:{l}] {T}?|above",
        "did any [s:{s}] go over [b:{b}] {m} {T}|above any",
        "which [s:{s}] had {m} below [b:{b}] {T}|below",
        "when was {m} {f} under [b:{b}] {T}|below",
        "has {m} {f} exceeded [b:{b}] {T}|above",
        "are all [s:{s}] under [b:{b}] {m}|below all",
        "how many [s:{s}] are above [b:{b}] {m}|above count",
        "any [s:{s}] with {m} over [b:{b}]?|above any",
        "how long was {m} {f} above [b:{b}] {T}|above",
        "is {m} {f} over [b:{b}] right now|above",
        "did every [s:{s}] stay below [b:{b}] {m} {T}|below all",
        "{m} {f} > [b:{b}] {T}?|above",
        "since when is {m} {f} more than [b:{b}]|above",
        "was there a [s:{s}] with less than [b:{b}] {m} {T}|below any",
    ),
    "extreme": (
        "when was {m} {f} highest {T}|highest",
        "at what time did {m} {f} peak {T}|highest",
        "when did {m} {f} hit its lowest point {T}|lowest",
        "what time {T} was {m} {f} at its worst|highest",
        "when were there the fewest {m} {f} {T}|lowest",
        "moment of the highest {m} {f} {T}|highest",
        "on which day was {m} {f} lowest {T}|lowest",
        "when did we see the most {m} {f} {T}|highest",
    ),
    "share": (
        "what share of {m} comes from [f:{v}] {T}",
        "percentage of {m} that is [f:{v}] {T}",
        "what part of all {m} is [f:{v}] {T}",
        "{m} as a share of [d:{one}] {f} {T}",
        "how much of the {m} is due to [f:{v}], in percent",
        "share of each [s:{s}] in {m} {T}",
        "what fraction of {m} {f} is under [b:{b}] {T}|below",
        "percent of {m} {f} over [b:{b}] {T}|above",
        "{m} {f} within [b:{b}]: what percentage {T}|below",
    ),
    "forecast": (
        "when will {m} {f} reach [b:{b}]",
        "how long until {m} {f} runs out",
        "when is {m} {f} going to hit [b:{b}]",
        "forecast {m} {f}",
        "at this rate, when does {m} {f} reach [b:{b}]?",
        "predict when {m} {f} is exhausted",
        "when do we run out of {m} {f}",
    ),
    "why": (
        "why is {m} {f} so high",
        "why did {m} {f} drop {T}?",
        "what caused the spike in {m} {f} {T}",
        "explain {m} {f} {T}",
        "how come {m} {f} went up {T}",
    ),
    "anomaly": ("any anomalies in {m} {f} {T}?", "anything unusual about {m} {f} {T}", "outliers in {m} {f} {T}"),
    "alert": ("alert me when {m} {f} exceeds [b:{b}]", "notify us if {m} {f} drops", "set an alarm on {m} {f}"),
    "things": (
        "which [s:{s}] do we have for {m}",
        "list the [s:{s}] that report {m}",
        "how many [s:{s}] are there with {m}",
    ),
}
ALONE: dict[str, tuple[str, ...]] = {
    "health": (
        "is {v} ok?",
        "how is {v} doing",
        "is {v} healthy",
        "anything wrong with {v}?",
        "is everything fine {T}",
        "any issues with {v} {T}?",
        "status of {v}",
        "are there problems right now",
        "is {v} alright",
        "health of {v} please",
        "does {v} look normal",
        "what's broken?",
    ),
    "changes": (
        "what got worse {since}?",
        "what changed {since} on {v}",
        "what is different {since}",
        "did anything degrade {since}?",
        "what moved {since} for {v}",
        "which metrics changed {since}",
    ),
    "up": (
        "is {v} up?",
        "are all [s:{s}] up",
        "which [s:{s}] are down",
        "is {v} down right now",
        "any [s:{s}] unreachable?",
        "did {v} come back up",
    ),
    "metrics": (
        "what can I ask",
        "which metrics are there for {word}?",
        "what do you have on {word}",
        "list metrics about {word}",
        "help, what can you tell me",
        "what data is there on {word}",
    ),
    "action": (
        "restart {v}",
        "scale {v} up",
        "delete {v}",
        "what should I do about {v}",
        "how do I fix {v}",
        "increase the limit of {v}",
    ),
}
SINCE = (
    "since yesterday",
    "since last week",
    "since 14:00",
    "in the last hour",
    "overnight",
    "since the deploy this morning",
    "today",
)
NARROWED = (
    "of {}",
    "on {}",
    "for {}",
    "in {}",
    "at {}",
    "from {}",
    "{}",
    "of the {} {}",
    "for {} only",
    "on the {} {}",
)
ABOUT = 3600


def main() -> None:
    """Write the questions beside this file."""
    rng = random.Random(15)
    lines = []
    for business, metrics in METRICS.items():
        told = {name: [one[0], one[1]] for name, one in metrics.items()}
        lines.append({"set": f"made_{business}", **HEADER, "metrics": told})
        seen: set[str] = set()
        _, known = index_of(json.dumps(told))
        while len(seen) < ABOUT // len(METRICS):
            text, plan = _alone(rng, business) if rng.random() < 0.12 else _question(rng, business)
            if text not in seen and plan.get("measure", "") in ("", *known):
                seen.add(text)
                lines.append({"text": text, "expected": plan})
    path = Path(__file__).with_name("metrics_made.jsonl")
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines), "utf-8")


def _question(rng: random.Random, business: str) -> tuple[str, dict[str, Any]]:
    name, (kind_of_metric, _, called, labels) = rng.choice(list(METRICS[business].items()))
    unit = next((one for one in ("percent", "ratio", "bytes", "seconds", "celsius") if one in name), "")
    kinds = (
        ["-"] * 6 + ["curve", "figure", "ranking", "comparison", "threshold"] * 3 + ["extreme", "share", "forecast"] * 2
    )
    kinds += ["total"] * (5 if kind_of_metric == "counter" else 0) + ["why", "anomaly", "alert", "things"]
    group = rng.choice(kinds)
    form, _, codes = rng.choice(FORMS[group]).partition("|")
    if ("{p}" in form or "p50" in form) and kind_of_metric not in ("histogram", "gauge"):
        return _question(rng, business)
    if "{u}" in form and unit not in UNITS:
        return _question(rng, business)
    mine = labels.split()
    label = rng.choice(mine)
    words, values = LABELS[business].get(label, ("thing", "x"))
    value, other = rng.sample(values.split(), 2) if len(values.split()) > 1 else (values, values)
    second = rng.choice([one for one in METRICS[business] if one != name])
    said = METRICS[business][second][2].split("|")[0]
    kept = {
        "m": _phrase(rng, called, group),
        "name": name,
        "f": _narrowed(rng, business, mine),
        "v": value,
        "w": other,
        "s": _plural(rng, words),
        "n": rng.choice(("3", "5", "10", "2", "7")),
        "b": rng.choice(BOUNDS.get(unit, BOUNDS[""])),
        "l": rng.choice(LASTING),
        "a": rng.choice(BEFORE),
        "p": rng.choice(PARTS),
        "u": rng.choice(UNITS.get(unit, ("percent",))),
        "m2": said,
        "one": said.removesuffix("s"),
        **_time(rng),
    }
    if group == "total":
        kept["m"] = called.split("|")[-1] if rng.random() < 0.5 else kept["m"]
    plan: dict[str, Any] = {"measure": KEYS.get(name, name)}
    if group != "-":
        plan["kind"] = "figure" if group == "total" else group
    return _finished(rng, form, kept, plan, group, codes)


def _finished(
    rng: random.Random, form: str, kept: dict[str, str], plan: dict[str, Any], group: str, codes: str
) -> tuple[str, dict[str, Any]]:
    for code in codes.split():
        if group in ("figure", "total"):
            plan["how"] = code
        elif group in ("ranking", "extreme"):
            plan["order"] = code
        elif code in ("above", "below"):
            plan["side"] = code
        else:
            plan["scope"] = code
    if group == "total" and "per minute" in form:
        form = form.replace("per minute", "[u:per minute]")
    if group == "threshold" and "right now" in form:
        plan["how"] = "latest"
    text = re.sub(r"\{(\w+)\}", lambda found: kept[found[1]], form)

    def mark(found: re.Match[str]) -> str:
        field, words = MARKS[found[1]], found[2]
        if field in LISTS:
            plan.setdefault(field, []).append(words)
        else:
            plan[field] = int(words) if field == "top" else words
        return words

    text = re.sub(r"\[([a-z]):([^\]]+)\]", mark, text)
    text = re.sub(r"\s+", " ", text).replace(" ,", ",").replace(" ?", "?").replace(" :", ":").strip(" ,:")
    if rng.random() < 0.25:
        text = text[:1].upper() + text[1:]
    if rng.random() < 0.15 and not text.endswith("?"):
        text += rng.choice(("?", ".", "??", " pls", ", thanks"))
    return text, plan


def _alone(rng: random.Random, business: str) -> tuple[str, dict[str, Any]]:
    has_up = "up" in METRICS[business]
    group = rng.choice([one for one in ALONE if one != "up" or has_up])
    form = rng.choice(ALONE[group])
    words, values = rng.choice(list(LABELS[business].values()))
    value = rng.choice(values.split())
    about = rng.choice(rng.choice([one[2] for one in METRICS[business].values()]).split("|"))
    since = rng.choice(SINCE)
    kept = {"v": f"[f:{value}]", "s": _plural(rng, words), "word": about, "since": f"[t:{since}]", **_time(rng)}
    plan: dict[str, Any] = {"kind": group}
    if group == "up":
        plan["measure"] = "targets_up" if "down" not in form and "unreachable" not in form else "targets_down"
        if "all" in form:
            plan["scope"] = "all"
        elif "any" in form:
            plan["scope"] = "any"
    return _finished(rng, form, kept, plan, group, "")


def _time(rng: random.Random) -> dict[str, str]:
    if rng.random() < 0.15:
        return {"t": "", "T": ""}
    time = rng.choice(TIMES)
    before = next((words for start, words in PREPOSITIONS.items() if start in time), "")
    if before and rng.random() < 0.4:
        before = ""
    return {"t": f"[t:{time}]", "T": f"{before}[t:{time}]"}


def _narrowed(rng: random.Random, business: str, labels: list[str]) -> str:
    """Words that narrow a question: none, a name, two names of one label, or names of two labels."""
    chance = rng.random()
    if chance < 0.3:
        return ""
    label = rng.choice(labels)
    words, values = LABELS[business].get(label, ("thing", "x"))
    names = values.split()
    form = rng.choice(NARROWED)
    if form.count("{}") == 2:
        return form.format(f"[f:{rng.choice(names)}]", rng.choice(words.split("|")))
    if chance > 0.85 and len(names) > 1:
        one, other = rng.sample(names, 2)
        return form.format(f"[f:{one}] and [f:{other}]")
    if chance > 0.7 and len(labels) > 1:
        second = rng.choice([one for one in labels if one != label])
        more = LABELS[business].get(second, ("", "y"))[1].split()
        return (
            f"{form.format(f'[f:{rng.choice(names)}]')} {rng.choice(('on', 'of', 'in', 'for'))} [f:{rng.choice(more)}]"
        )
    return form.format(f"[f:{rng.choice(names)}]")


def _plural(rng: random.Random, words: str) -> str:
    word = rng.choice(words.split("|"))
    return word if rng.random() < 0.5 else word + ("es" if word.endswith(("s", "ch", "x")) else "s")


def _phrase(rng: random.Random, called: str, group: str) -> str:
    phrase = rng.choice(called.split("|"))
    if rng.random() < 0.12 and len(phrase) > 6:
        place = rng.randrange(1, len(phrase) - 2)
        phrase = phrase[:place] + phrase[place + 1] + phrase[place] + phrase[place + 2 :]
    return phrase.lower() if rng.random() < 0.3 else phrase


if __name__ == "__main__":
    main()
