"""The orchestrator chooses the node that fits the request, and never itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from signalbox.maps import MapResult

Run = Callable[..., MapResult]
TEXT = """
    GraphName,Node,AgentType,Description,Input_Fields,Output_Field,Edge,Context
    G,Choose,orchestrator,,request,chosen,{edge},"{context}"
    G,Weather,echo,Tells the weather forecast for a city,request,a,End,
    G,Billing,echo,Answers questions about invoices and payments,request,a,End,{billing}
    G,Travel,default,Books flights and hotels,request,a,End,
"""


def ask(run: Run, request: str, context: str = "", edge: str = "", billing: str = "", **options: Any) -> MapResult:
    return run(TEXT.format(context=context, edge=edge, billing=billing), {"request": request}, **options)


def chosen(result: MapResult) -> str:
    return [node.node_name for node in result.summary.node_executions][-1]


@pytest.mark.parametrize(
    ("request_text", "node"),
    [
        ("what is the weather forecast in Rome", "Weather"),
        ("a question about my invoice and a payment", "Billing"),
        ("book a flight and a hotel", "Travel"),
        ("Billing please", "Billing"),
    ],
)
def test_the_words_of_the_request_decide(run_text: Run, request_text: str, node: str) -> None:
    result = ask(run_text, request_text, "matching_strategy:algorithm")
    assert chosen(result) == node
    assert result.state["chosen"] == node


def test_it_chooses_only_among_the_nodes_it_is_given(run_text: Run) -> None:
    context = "matching_strategy:algorithm, nodes:Weather|Travel"
    assert chosen(ask(run_text, "invoice about a flight", context)) == "Travel"


def test_it_chooses_only_among_the_type_it_is_given(run_text: Run) -> None:
    context = "matching_strategy:algorithm, node_type:default"
    assert chosen(ask(run_text, "hotel forecast", context)) == "Travel"


def test_keywords_in_a_nodes_context_count(run_text: Run) -> None:
    result = ask(run_text, "zebra crossing", "matching_strategy:algorithm", billing="keywords:zebra")
    assert chosen(result) == "Billing"


def test_where_nothing_fits_the_default_is_taken(run_text: Run) -> None:
    context = "matching_strategy:algorithm, default_target:Travel"
    assert chosen(ask(run_text, "xyzzy", context)) == "Travel"
    assert chosen(ask(run_text, "xyzzy", "matching_strategy:algorithm", edge="Billing")) == "Billing"


def test_where_nothing_fits_and_there_is_no_default_the_node_fails_with_the_choice(run_text: Run) -> None:
    result = ask(run_text, "xyzzy", "matching_strategy:algorithm")
    assert result.status == "error"
    assert result.error is not None
    assert "xyzzy" in result.error["message"]


def test_it_never_chooses_itself(run_text: Run) -> None:
    result = ask(run_text, "choose Choose", "matching_strategy:algorithm, default_target:Weather")
    assert [node.node_name for node in result.summary.node_executions] == ["Choose", "Weather"]


def test_a_model_chooses_by_name(run_text: Run) -> None:
    model = GenericFakeChatModel(messages=iter([AIMessage("I would take Travel.")]))
    assert chosen(ask(run_text, "invoice", "matching_strategy:llm", model=model)) == "Travel"


def test_tiered_asks_the_model_only_where_words_are_not_enough(run_text: Run) -> None:
    model = GenericFakeChatModel(messages=iter([AIMessage("Travel")]))
    assert chosen(ask(run_text, "Weather", "matching_strategy:tiered", model=model)) == "Weather"
    assert chosen(ask(run_text, "something with wings", "matching_strategy:tiered", model=model)) == "Travel"
    with pytest.raises(StopIteration):
        next(model.messages)


def test_a_model_that_names_no_node_is_asked_again_and_then_an_error(run_text: Run) -> None:
    model = GenericFakeChatModel(messages=iter([AIMessage("no idea"), AIMessage("Travel"), *2 * [AIMessage("well")]]))
    assert chosen(ask(run_text, "invoice payment", "matching_strategy:llm", model=model)) == "Travel"
    failed = ask(run_text, "invoice payment", "matching_strategy:llm", model=model)
    assert failed.error is not None
    assert failed.error["error_type"] == "model_malformed"


def test_a_model_that_says_that_none_fits_leads_to_the_default(run_text: Run) -> None:
    model = GenericFakeChatModel(messages=iter([AIMessage("none")] * 9))
    context = "matching_strategy:llm, default_target:Weather"
    assert chosen(ask(run_text, "invoice payment", context, model=model)) == "Weather"
    failed = ask(run_text, "invoice payment", "matching_strategy:llm", model=model)
    assert failed.error is not None
    assert failed.error["error_type"] == "request"


def test_a_model_of_ones_own_reads_what_the_nodes_are_for_and_the_rows_prompt(run_text: Run) -> None:
    class Reading(GenericFakeChatModel):
        def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
            seen.extend(str(message.content) for message in messages)
            return super()._generate(messages, *args, **kwargs)

    seen: list[str] = []
    text = TEXT.format(context="matching_strategy:llm", edge="", billing="").replace(
        "Description,", "Description,Prompt,"
    )
    text = text.replace("orchestrator,,", "orchestrator,,Complaints go to Billing.,").replace("city,", "city,,")
    text = text.replace("payments,", "payments,,").replace("hotels,", "hotels,,")
    model = Reading(messages=iter([AIMessage('{"option": "Billing"}')]))
    assert chosen(run_text(text, {"request": "this is a scandal"}, model=model)) == "Billing"
    assert "Complaints go to Billing." in seen[0]
    assert "Books flights and hotels" in seen[0]
    assert seen[-1] == "this is a scandal"


def test_the_choice_does_not_stay_in_the_state(run_text: Run) -> None:
    result = run_text(
        """
        GraphName,Node,AgentType,Input_Fields,Edge,Context
        G,Choose,orchestrator,request,,"matching_strategy:algorithm, nodes:One|Two"
        G,One,echo,,Last,
        G,Two,echo,,Last,
        G,Last,echo,,,
        """,
        {"request": "two"},
    )
    assert [node.node_name for node in result.summary.node_executions] == ["Choose", "Two", "Last"]
    assert "__next_node" not in result.state


def test_chosen_nodes_that_lead_back_end_by_the_step_limit_at_worst(run_text: Run) -> None:
    result = run_text(
        """
        GraphName,Node,AgentType,Input_Fields,Edge,Context
        G,Choose,orchestrator,request,,"matching_strategy:algorithm, nodes:One"
        G,One,echo,,Choose,
        """,
        {"request": "one"},
        max_steps=10,
    )
    assert result.status == "error"
    assert result.error is not None
    assert result.error["error_type"] == "step_limit"


def test_rules_lead_from_words_to_nodes_and_have_a_default(run_text: Run) -> None:
    rules = "routing_rules:{trip: Travel, money: Billing, default: Weather}, matching_strategy:algorithm"
    assert chosen(ask(run_text, "a trip for two", rules)) == "Travel"
    assert chosen(ask(run_text, "where is my money", rules)) == "Billing"
    assert chosen(ask(run_text, "xyzzy", rules)) == "Weather"


# Maps of the kind that AgentMap ships: an orchestrator without edges, and one that goes round until it is told to stop

COUNTER = """
    GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Failure_Next,Prompt,Context
    Desk,Ask,input,,wish,Route,,What can I do for you?,
    Desk,Route,orchestrator,wish,chosen,,,Route to the counter for the wish,"{""confidence_threshold"": 0.7}"
    Desk,SellTicket,default,wish,result,End,,Selling you a train ticket: {wish},
    Desk,FindLuggage,default,wish,result,End,,Looking for your lost luggage: {wish},
    Desk,End,success,result,,,,Done: {result},
"""
TOUR = """
    graph_name,node_name,agent_type,input_fields,output_field,next_node,prompt,description,context
    Tour,Listen,input,said,said,Guide,What now?,Hears the visitor,
    Tour,Guide,orchestrator,said,chosen,,,Leads the visitor's words to the right room,"{""llm_type"": ""anthropic""}"
    Tour,Paintings,default,said,told,Listen,To the paintings,Triggered when the visitor wants to look at paintings,
    Tour,Cafe,default,said,told,Listen,To the cafe,Triggered when the visitor wants to eat or drink something,
    Tour,Help,default,said,told,Listen,Please say it in other words,Fallback step if no other room matches,
    Tour,Leave,default,said,,,End the tour,,
    Tour,Trouble,default,,,,Something went wrong,This handles errors,
"""


@pytest.mark.parametrize(
    ("wish", "node"), [("I need to get to Berlin by train", "SellTicket"), ("my suitcase is gone", "FindLuggage")]
)
def test_the_offline_model_routes_where_words_are_not_enough(run_text: Run, wish: str, node: str) -> None:
    result = run_text(COUNTER, {"wish": wish})
    assert (result.status, result.state["chosen"]) == ("completed", node)
    assert [one.node_name for one in result.summary.node_executions] == ["Ask", "Route", node, "End"]


@pytest.mark.parametrize(
    ("said", "node", "status"),
    [
        ("portraits and landscapes", "Paintings", "needs_input"),
        ("a coffee please", "Cafe", "needs_input"),
        ("qwertz uiop", "Help", "needs_input"),
        ("stop", "Leave", "completed"),
    ],
)
def test_a_loop_waits_for_the_person_after_each_turn_and_stops_when_told(
    run_text: Run, said: str, node: str, status: str
) -> None:
    result = run_text(TOUR, {"said": said})
    assert ([one.node_name for one in result.summary.node_executions], result.status) == (
        ["Listen", "Guide", node],
        status,
    )


def test_a_loop_that_is_run_as_plain_langgraph_waits_too(write_file: Any) -> None:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command

    from signalbox.maps import open_map

    compiled = open_map(write_file(TOUR)).compiled()
    graph = compiled.langgraph.copy({"checkpointer": InMemorySaver()})
    config: Any = {"recursion_limit": 20, "configurable": {"thread_id": "1"}}
    first = graph.invoke(compiled.layout.start({"said": "a coffee please"}), config)
    assert (compiled.layout.values(first)["told"], len(first["__interrupt__"])) == ("To the cafe", 1)
    last = graph.invoke(Command(resume="stop"), config)
    assert (compiled.layout.values(last)["chosen"], "__interrupt__" in last) == ("Leave", False)
