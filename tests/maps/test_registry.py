"""Agent types: built in, beside the map, by reference, and from other packages."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import ContractError, NotFoundError
from signalbox.maps import MapResult
from signalbox.maps import registry as registry_module
from signalbox.maps.registry import find_type, known_types, list_types

Run = Callable[..., MapResult]
Write = Callable[..., Path]
DOCUMENTED = [
    "default", "echo", "input", "success", "failure", "branching", "summary", "llm", "openai", "gpt", "chatgpt",
    "anthropic", "claude", "google", "gemini", "orchestrator", "tool_agent", "graph", "suspend", "human",
    "csv_reader", "csv_writer", "json_reader", "json_writer", "file_reader", "file_writer", "vector_reader",
    "vector_writer", "aggregator", "output", "validator",
]  # fmt: skip
ONE = "GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Context\nG,N,{kind},{prompt},{inputs},x,{context}\n"


def one(run: Run, kind: str, state: dict[str, Any] | None = None, **cells: str) -> MapResult:
    return run(ONE.format_map({"kind": kind, "prompt": "", "inputs": "", "context": "", **cells}), state)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_documented_type_is_built_in(name: str, tmp_path: Path) -> None:
    assert find_type(name, tmp_path).is_builtin


@pytest.mark.parametrize("name", ["Echo", "ECHO", "EchoAgent", "echo agent", "echo-agent", "echo_agent"])
def test_a_types_case_and_the_word_agent_do_not_matter(name: str, tmp_path: Path) -> None:
    assert find_type(name, tmp_path).name == "echo"


def test_a_type_that_is_not_there_is_told_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no agent type 'orchestrater'") as caught:
        find_type("orchestrater", tmp_path)
    assert "'orchestrator'" in caught.value.suggestion


def test_every_built_in_type_says_what_it_does() -> None:
    assert all(row["description"] for row in list_types() if row["origin"] == "built-in")


# Beside the map

CLASS = """
from signalbox.contract import BaseAgent

class WeatherAgent(BaseAgent):
    def process(self, inputs):
        return f"{self.prompt} {inputs['city']} {self.context['unit']}"
"""


@pytest.mark.parametrize("folder", ["agents", "custom_agents"])
@pytest.mark.parametrize("kind", ["weather", "Weather", "WeatherAgent", "weather_agent"])
def test_a_class_beside_the_map_is_found_by_its_name(run_text: Run, write_file: Write, folder: str, kind: str) -> None:
    write_file(CLASS, f"{folder}/anything.py")
    result = one(run_text, kind, {"city": "Rome"}, prompt="Sun in", inputs="city", context="unit:C")
    assert result.output == "Sun in Rome C"


def test_a_class_is_found_by_the_name_of_its_file(run_text: Run, write_file: Write) -> None:
    write_file(CLASS, "agents/forecast.py")
    assert one(run_text, "forecast", {"city": "Rome"}, inputs="city", context="unit:C").status == "completed"


@pytest.mark.parametrize(
    ("source", "inputs", "state", "output"),
    [
        ("def mine():\n    return 'nothing'\n", "", {}, "nothing"),
        ("def mine(inputs):\n    return sorted(inputs)\n", "a|b", {"a": 1, "b": 2}, ["a", "b"]),
        ("def mine(a, b):\n    return a - b\n", "b|a", {"a": 5, "b": 2}, 3),
        ("def mine(word):\n    return word + '!'\n", "text", {"text": "hi"}, "hi!"),
        ("def mine(a, **rest):\n    return [a, rest]\n", "a|b", {"a": 1, "b": 2}, [1, {"b": 2}]),
        ("def mine(a, b=7):\n    return a + b\n", "a", {"a": 1}, 8),
        ("async def mine(a):\n    return a\n", "a", {"a": 1}, 1),
    ],
)
def test_a_function_beside_the_map_is_an_agent(
    run_text: Run, write_file: Write, source: str, inputs: str, state: dict[str, Any], output: Any
) -> None:
    write_file(source, "agents/mine.py")
    assert one(run_text, "mine", state, inputs=inputs).output == output


def test_code_beside_the_map_comes_before_a_built_in_type(run_text: Run, write_file: Write) -> None:
    write_file("def echo():\n    return 'mine'\n", "agents/echo.py")
    assert one(run_text, "echo").output == "mine"


def test_code_beside_the_map_may_import_its_neighbours(run_text: Run, write_file: Write) -> None:
    write_file("WORD = 'shared'\n", "agents/_map_test_shared.py")
    write_file("from _map_test_shared import WORD\n\ndef mine():\n    return WORD\n", "agents/mine.py")
    assert one(run_text, "mine").output == "shared"


def test_a_file_that_is_not_used_is_never_imported(run_text: Run, write_file: Write) -> None:
    write_file("raise RuntimeError('imported')\n\ndef other():\n    pass\n", "agents/other.py")
    write_file("def mine():\n    return 1\n", "agents/mine.py")
    assert one(run_text, "mine").output == 1


def test_an_agent_of_ones_own_is_made_anew_for_each_run(run_text: Run, write_file: Write) -> None:
    write_file(
        """
        from signalbox.contract import BaseAgent

        class CounterAgent(BaseAgent):
            count = 0

            def process(self, inputs):
                self.count += 1
                return self.count
        """,
        "agents/counter.py",
    )
    assert [one(run_text, "counter").output for _ in range(3)] == [1, 1, 1]


def test_a_class_that_cannot_be_made_is_a_clear_error(write_file: Write, tmp_path: Path) -> None:
    from signalbox.maps.nodes import make_agent
    from signalbox.maps.spec import NodeSpec

    write_file(
        "from signalbox.contract import BaseAgent\n\n"
        "class OddAgent(BaseAgent):\n    def __init__(self):\n        pass\n",
        "agents/odd.py",
    )
    with pytest.raises(ContractError, match="OddAgent cannot be made for node 'N'"):
        make_agent(NodeSpec("N", "odd"), find_type("odd", tmp_path))


def test_a_class_that_is_no_agent_is_refused(write_file: Write, tmp_path: Path) -> None:
    write_file("class Thing:\n    pass\n", "agents/thing.py")
    with pytest.raises(ContractError, match="neither a BaseAgent"):
        find_type("thing", tmp_path)


def test_types_beside_the_map_are_listed(write_file: Write, tmp_path: Path) -> None:
    write_file(CLASS, "agents/anything.py")
    assert "WeatherAgent" in known_types(tmp_path)
    assert {"type": "WeatherAgent", "origin": f"beside {tmp_path}", "description": ""} in list_types(tmp_path)


# By reference


def test_a_reference_names_a_function_over_the_whole_state(run_text: Run, write_file: Write) -> None:
    write_file("def node(state):\n    return {'total': state['a'] + state['b'], 'seen': True}\n", "steps.py")
    assert one(run_text, "steps:node", {"a": 1, "b": 2}).values == {"a": 1, "b": 2, "total": 3, "seen": True}


@pytest.mark.parametrize(
    ("body", "inputs"),
    [
        ("def node(a, b):\n    return a + b\n", "a|b"),
        ("def node(x, y):\n    return x + y\n", "a:x|b:y"),
        ("async def node(b, a, more=0):\n    return a + b + more\n", "a|b"),
        ("def node(inputs):\n    return inputs['a'] + inputs['b']\n", "a|b"),
        ("def node(**given):\n    return sum(given.values())\n", "a|b"),
        ("def node(number):\n    return number + 2\n", "a"),
    ],
)
@pytest.mark.parametrize("place", ["steps:node", "func:node"])
def test_a_function_gets_the_inputs_of_its_row_by_name(
    run_text: Run, write_file: Write, body: str, inputs: str, place: str
) -> None:
    write_file(body, "steps.py" if place == "steps:node" else "functions/node.py")
    text = f"GraphName,Node,AgentType,Input_Fields,Output_Field\nG,N,{place},{inputs},out\n"
    assert run_text(text, {"a": 1, "b": 2}).values["out"] == 3


def test_a_reference_that_asks_for_the_state_gets_it_whatever_the_row_names(run_text: Run, write_file: Write) -> None:
    write_file("def node(state):\n    return {'out': state['a'] + state['b']}\n", "steps.py")
    text = "GraphName,Node,AgentType,Input_Fields,Output_Field\nG,N,steps:node,a,out\n"
    assert run_text(text, {"a": 1, "b": 2}).values["out"] == 3


def test_a_reference_names_an_agent_class_of_an_installed_module(run_text: Run) -> None:
    result = one(run_text, "signalbox.maps.agents.basic:EchoAgent", {"a": 3}, inputs="a")
    assert result.output == 3


@pytest.mark.parametrize(
    ("kind", "told"),
    [("nowhere_at_all:f", "cannot be imported"), ("json:lods", "no 'lods'"), ("sys:path", "a class or a function")],
)
def test_a_reference_that_leads_nowhere_is_told(tmp_path: Path, kind: str, told: str) -> None:
    with pytest.raises((NotFoundError, ContractError), match=told):
        find_type(kind, tmp_path)


# Plug-ins


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package that adds two agent types, one of which cannot be loaded."""
    site = tmp_path / "site-packages"
    info = site / "signalbox_test_plugin-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: signalbox-test-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[signalbox.agent_types]\nshouting = signalbox_test_plugin:ShoutAgent\n"
        "lost = signalbox_test_plugin_gone:Agent\n"
    )
    (site / "signalbox_test_plugin.py").write_text(
        "from signalbox.contract import BaseAgent\n\n\nclass ShoutAgent(BaseAgent):\n"
        "    def process(self, inputs):\n        return str(inputs['word']).upper()\n"
    )
    monkeypatch.syspath_prepend(str(site))
    importlib.invalidate_caches()
    registry_module._plugins.cache_clear()
    yield
    registry_module._plugins.cache_clear()
    sys.modules.pop("signalbox_test_plugin", None)


@pytest.mark.usefixtures("plugin")
def test_another_package_adds_a_type_by_an_entry_point(run_text: Run, tmp_path: Path) -> None:
    assert one(run_text, "Shouting", {"word": "hi"}, inputs="word").output == "HI"
    assert "shouting" in known_types()
    assert {"type": "shouting", "origin": "plug-in signalbox_test_plugin:ShoutAgent", "description": ""} in list_types()


@pytest.mark.usefixtures("plugin")
def test_a_plug_in_that_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="The plug-in 'lost'"):
        find_type("lost", tmp_path)


@pytest.mark.usefixtures("plugin")
def test_a_broken_plug_in_does_not_hinder_other_maps(run_text: Run) -> None:
    assert one(run_text, "echo", {"a": 1}, inputs="a").output == 1


# What an agent is given


def test_an_agent_gets_its_row_and_its_context(run_text: Run, write_file: Write) -> None:
    write_file(
        """
        from signalbox.contract import BaseAgent

        class ProbeAgent(BaseAgent):
            def process(self, inputs):
                return [self.name, self.prompt, self.input_fields, self.output_field, self.context["k"]]
        """,
        "agents/probe.py",
    )
    result = one(run_text, "probe", prompt="Say", inputs="a|b", context="k:1")
    assert result.output == ["N", "Say", ["a", "b"], "x", 1]


def test_a_value_in_the_context_may_come_from_the_environment(
    run_text: Run, write_file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file(
        "from signalbox.contract import BaseAgent\n\nclass ProbeAgent(BaseAgent):\n"
        "    def process(self, inputs):\n        return self.context['k']\n",
        "agents/probe.py",
    )
    monkeypatch.setenv("MAP_TEST_WORD", "from outside")
    assert one(run_text, "probe", context="k:env:MAP_TEST_WORD").output == "from outside"
    assert one(run_text, "probe", context="k:env:MAP_TEST_ABSENT:fallback").output == "fallback"
    monkeypatch.setenv("MAP_TEST_WORD", "altered-word")
    assert one(run_text, "probe", context="k:env:MAP_TEST_WORD").output == "altered-word"
