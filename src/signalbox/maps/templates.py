"""The texts that the scaffolder fills in: an agent, a routing function, a function that works, and a test of each."""

from __future__ import annotations

from string import Template

__all__ = ["AGENT", "AGENT_TEST", "ROUTING", "ROUTING_TEST", "WORK", "WORK_TEST"]

AGENT = Template('''\
"""The agent type $name: a sketch, to be filled in."""

from __future__ import annotations

from typing import Any

from signalbox.contract import BaseAgent


class $agent_class(BaseAgent):
    """$docstring"""

    def process(self, inputs: dict[str, Any]) -> Any:
        """Do the work of the node: for now, say what came in."""
$body
''')
AGENT_TEST = Template('''\
"""What the agent type $name promises."""

from pathlib import Path
from runpy import run_path

FILE = Path(__file__).parents[1] / "agents" / "$stem.py"
$agent_class = run_path(str(FILE))["$agent_class"]


def test_${stem}_gives_every_declared_output() -> None:
    context = $context
    state = $state
    update = $agent_class($node, "", context).run(state)
    assert update["last_action_success"], update["errors"]
$asserts''')
ROUTING = Template('''\
"""The routing function $name: a sketch, to be filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Target = str | list[str] | None


def $name(state: Mapping[str, Any], success_node: Target, failure_node: Target) -> Target:
    """$docstring"""
    return success_node if state.get("last_action_success", True) else failure_node
''')
ROUTING_TEST = Template('''\
"""What the routing function $name promises."""

from pathlib import Path
from runpy import run_path

FILE = Path(__file__).parents[1] / "functions" / "$name.py"
$name = run_path(str(FILE))["$name"]


def test_${name}_follows_the_last_result() -> None:
    assert $name({"last_action_success": True}, "yes", "no") == "yes"
    assert $name({"last_action_success": False}, "yes", "no") == "no"
''')


WORK = Template('''\
"""The function $name: a sketch, to be filled in."""

from __future__ import annotations

from typing import Any


def $name(inputs: dict[str, Any]) -> Any:
    """$docstring"""
$body
''')
WORK_TEST = Template('''\
"""What the function $name promises."""

from pathlib import Path
from runpy import run_path

FILE = Path(__file__).parents[1] / "functions" / "$name.py"
$name = run_path(str(FILE))["$name"]


def test_${name}_gives_something() -> None:
    assert $name($inputs)
''')
