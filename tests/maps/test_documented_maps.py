"""Maps in the shapes that AgentMap's documentation shows, run as its readers would run them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

from signalbox.maps import check_map
from signalbox.maps.scaffold import scaffold
from signalbox.runs import resume, start

Write = Callable[..., Path]
COLUMNS = "GraphName,Node,Edge,Context,AgentType,Success_Next,Failure_Next,Input_Fields,Output_Field,Prompt\n"
FORECAST = """
from signalbox.contract import BaseAgent

class ForecastAPIAgent(BaseAgent):
    def process(self, inputs):
        if not inputs["town"]:
            raise ValueError("no town")
        return {"town": inputs["town"], "degrees": 18}
"""


def errors(path: Path) -> list[str]:
    return [str(finding) for finding in check_map(path)[1] if finding.level == "error"]


def test_a_custom_agent_named_with_its_prefix_and_a_bare_context(write_file: Write) -> None:
    write_file(FORECAST, "custom_agents/forecast_api_agent.py")
    path = write_file(
        COLUMNS
        + "Weather,Ask,,Ask for the town,input,Fetch,Failed,,town,Which town?\n"
        + "Weather,Fetch,,Ask the service,custom:ForecastAPIAgent,Write,Failed,town,data,\n"
        + 'Weather,Write,,{"format": "{key} is {value}", "separator": "; "},summary,End,Failed,town|data,report,\n'
        + "Weather,Failed,,Say what went wrong,echo,End,,error,problem,\n"
        + "Weather,End,,Show it,echo,,,report|problem,output,\n"
    )
    assert errors(path) == []
    asked = start(path)
    assert asked.question is not None
    assert asked.question["message"] == "Which town?"
    told = resume(asked.thread_id, "Ulm").values
    assert told["report"] == "town is Ulm; data is {'town': 'Ulm', 'degrees': 18}"
    failed = start(path, {"town": ""}).values
    assert "no town" in failed["output"]["problem"]


def test_an_answer_with_every_field_that_an_input_names_fills_them(write_file: Write) -> None:
    path = write_file(
        COLUMNS
        + "Ride,Ask,,,input,Tell,,town|day,trip,Where and when?\n"
        + "Ride,Tell,,,default,,,town|day|trip,told,{day}: {town}\n"
    )
    result = resume(start(path).thread_id, {"town": "Ulm", "day": "Monday"})
    assert result.output == "Monday: Ulm"
    assert result.values["trip"] == {"town": "Ulm", "day": "Monday"}


def test_a_function_as_a_type(write_file: Write) -> None:
    write_file("def tidy(inputs):\n    return inputs['text'].strip().title()\n", "functions/tidy.py")
    path = write_file(
        COLUMNS + "Text,Clean,,,func:tidy,Show,,text,clean,\nText,Show,,,default,,,clean,shown,Now: {clean}\n"
    )
    assert errors(path) == []
    assert start(path, {"text": "  a quiet word "}).output == "Now: A Quiet Word"


def test_what_the_scaffolder_writes_for_both_runs_at_once(write_file: Write, tmp_path: Path) -> None:
    from signalbox.cli.maps import _lacking
    from signalbox.maps import read_map

    path = write_file(
        COLUMNS + "Both,One,,,custom:PriceLookupAgent,Two,,item,price,\nBoth,Two,,,func:round_up,,,price,rounded|by,\n"
    )
    graph = read_map(path).graphs["Both"]
    assert _lacking(graph, tmp_path) == ["PriceLookupAgent", "func:round_up"]
    written = scaffold(graph, _lacking(graph, tmp_path), tmp_path)
    assert [file.relative_to(tmp_path).as_posix() for file in written] == [
        "agents/price_lookup_agent.py",
        "tests/test_price_lookup_agent.py",
        "functions/round_up.py",
        "tests/test_round_up.py",
    ]
    result = start(path, {"item": "tea"})
    assert result.status == "completed"
    assert "round_up is a sketch" in result.values["rounded"]
    assert "round_up is a sketch" in result.values["by"]


def test_a_project_with_its_maps_in_a_folder_of_their_own(write_file: Write) -> None:
    write_file(
        "from signalbox.contract import BaseAgent\n\nclass AdderAgent(BaseAgent):\n"
        '    expected_params = ["a", "b"]\n\n    def process(self, inputs):\n        return sum(inputs.values())\n',
        "custom_agents/adder_agent.py",
    )
    write_file("def big(state, success_node, failure_node):\n    return 'Big'\n", "custom_functions/big.py")
    write_file("big: The sum is {total}\n", "prompts/registry.yaml")
    path = write_file(
        "GraphName,Node,AgentType,Input_Fields,Output_Field,Edge,Prompt\n"
        "Sums,Add,adder,first|second,total,func:big,\n"
        "Sums,Big,default,total,said,,prompt:big\n",
        "workflows/sums.csv",
    )
    assert errors(path) == []
    assert start(path, {"first": 3, "second": 4}).output == "The sum is 7"


def test_a_map_in_the_same_project_is_checked_again_when_its_code_changes(write_file: Write) -> None:
    path = write_file("GraphName,Node,AgentType,Output_Field\nG,N,teller,x\n", "workflows/g.csv")
    assert "no agent type 'teller'" in errors(path)[0]
    write_file("def teller():\n    return 'told'\n", "custom_agents/teller.py")
    assert start(path).output == "told"


BORROWED = """
from typing import Any, Dict, Optional
from agentmap.agents.base_agent import BaseAgent
from agentmap.exceptions.agent_exceptions import AgentExecutionError
from agentmap.services.protocols import LLMCapableAgent, LLMServiceProtocol

class TallyAgent(BaseAgent, LLMCapableAgent):
    def __init__(self, name, prompt, context=None, logger=None,
                 execution_tracker_service=None, state_adapter_service=None):
        super().__init__(name, prompt, context, logger, execution_tracker_service, state_adapter_service)
        self.unit = self.context.get("unit", "item")
        self._llm_service: Optional[LLMServiceProtocol] = None

    def process(self, inputs: Dict[str, Any]) -> Any:
        self.log_info(f"counting {inputs}")
        if not inputs["things"]:
            raise AgentExecutionError(f"nothing to count for agent '{self.name}'")
        return f"{len(inputs['things'])} {self.unit}s"
"""


def test_an_agent_written_for_agentmap_runs_as_it_stands(write_file: Write) -> None:
    write_file(BORROWED, "custom_agents/tally_agent.py")
    path = write_file(COLUMNS + "Count,Tally,,unit:crate,tally,,,things,total,\n")
    assert errors(path) == []
    assert start(path, {"things": [1, 2, 3]}).output == "3 crates"
    assert "nothing to count" in start(path, {"things": []}).state["errors"][0]


def test_the_names_are_lent_to_the_code_beside_a_map_alone(write_file: Write) -> None:
    write_file(BORROWED, "custom_agents/tally_agent.py")
    start(write_file(COLUMNS + "Count,Tally,,,tally,,,things,total,\n"), {"things": "abc"})
    assert not [name for name in sys.modules if name.partition(".")[0] == "agentmap"]
    assert importlib.util.find_spec("agentmap") is None


def test_an_orchestrator_reads_the_descriptions_in_the_context(write_file: Write) -> None:
    path = write_file(
        "GraphName,Node,Edge,AgentType,Input_Fields,Output_Field,Prompt,Context\n"
        "Desk,Route,,orchestrator,available_nodes|ask,next,Route it,matching_strategy:algorithm\n"
        'Desk,Sales,,default,ask,reply,Sales reply,"description:prices, offers and discounts"\n'
        'Desk,Repair,,default,ask,reply,Repair reply,"description:broken screens, setup and batteries"\n'
    )
    assert errors(path) == []
    assert start(path, {"ask": "my screen is broken"}).values["next"] == "Repair"
    assert start(path, {"ask": "any discounts?"}).values["next"] == "Sales"


def test_a_type_named_after_its_interaction_waits_for_a_person(write_file: Write) -> None:
    path = write_file(
        COLUMNS
        + 'Gate,Ask,,"{""interaction_type"": ""approval""}",approval_interaction,Go,Stop,plan,said,Approve {plan}?\n'
        + "Gate,Go,,,output,,,plan,end,Done: {plan}\nGate,Stop,,,output,,,plan,end,Stopped: {plan}\n"
    )
    assert errors(path) == []
    assert resume(start(path, {"plan": "B"}).thread_id, "approve").output == "Done: B"
    assert resume(start(path, {"plan": "B"}).thread_id, "reject").output == "Stopped: B"
