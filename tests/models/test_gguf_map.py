"""A whole map on a real language model: its form, never its accuracy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from signalbox.maps import MapResult, run_map, stream_map
from signalbox.models.gguf import close_engines

MAP = """GraphName,Node,AgentType,Input_Fields,Output_Field,Edge,Success_Next,Failure_Next,Prompt,Context
Chat,Ask,input,,question,Answer,,,What do you want to know?,
Chat,Answer,llm,question,answer,,Tell,Sorry,Answer in one short sentence: {question},max_tokens:24
Chat,Tell,echo,answer,told,,,,You asked {question}. {answer},
Chat,Sorry,echo,error,told,,,,Sorry: {error},
"""


@pytest.fixture
def chat_map(tmp_path: Path, smollm2_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("SIGNALBOX_MODEL", f"gguf/{smollm2_path}")
    path = tmp_path / "chat.csv"
    path.write_text(MAP, "utf-8")
    yield path
    close_engines()


@pytest.mark.bench
def test_a_map_runs_on_a_model_file_by_a_setting_alone(chat_map: Path) -> None:
    result = run_map(chat_map, {"question": "What is rain?"})
    assert result.status == "completed"
    assert isinstance(result.state["answer"], str)
    assert result.state["answer"]
    assert result.output == f"You asked What is rain?. {result.state['answer']}"
    assert result.as_answer().as_dict()["timings_ms"]["usage"]["output_tokens"] <= 24

    *events, streamed = stream_map(chat_map, {"question": "What is snow?"})
    assert isinstance(streamed, MapResult)
    assert [event.node for event in events if event.kind == "end"] == ["Ask", "Answer", "Tell"]


def test_a_model_file_that_is_not_there_takes_the_failure_branch(
    chat_map: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SIGNALBOX_MODEL", f"gguf/{tmp_path / 'nothing.gguf'}")
    result = run_map(chat_map, {"question": "What is rain?"})
    assert result.state["told"].startswith("Sorry: Error in Answer:")
    assert "nothing.gguf" in result.state["told"]
