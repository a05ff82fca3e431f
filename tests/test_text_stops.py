"""The text of a request stops at the reader: past it, no function of a room takes the text, and no node reads it.

A room may touch the text in its one reader file, in `prompts.py`, in `offline/`, where it is given to the policy of
effects, and at the entry points of its contract. `evaluation/` plays the person and may say what it likes.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tests.text_flow import Place, TextFlow

import signalbox

AGENTS = Path(signalbox.__file__).parent / "agents"
REBUILT: tuple[str, ...] = ("experiments", "frontdoor", "investigate", "metrics", "oncall", "tasks")
"""The rooms; `tests/test_layers.py` also forbids import cycles in them."""
READERS = {
    "experiments": "reader.py",
    "frontdoor": "router.py",
    "investigate": "symptom.py",
    "metrics": "reader.py",
    "oncall": "planner.py",
    "tasks": "reader.py",
}
# Files that hold nothing but entry points of a contract and what begins or keeps a conversation for them.
ENTRY_FILES = {"frontdoor": ("entry.py",), "tasks": ("agent.py", "conversation.py")}


def is_free(file: str) -> bool:
    """True for a file in which the text may be read and handed on."""
    room, *rest = file.split("/")
    first = rest[0] if rest else ""
    is_named = rest in ([READERS.get(room)], ["prompts.py"], *([one] for one in ENTRY_FILES.get(room, ())))
    # What a prompt shows of a system is chosen by the request.
    return is_named or first in ("offline", "evaluation", "evaluation.py") or first.endswith("_excerpt.py")


def wrong_places(agents: Path) -> list[Place]:
    """Every place in the rooms below a folder that the text reaches and should not."""
    flow = TextFlow(agents)
    entries = {f"{file} {name}" for file, name in flow.entry_points()}
    return [
        place
        for place in flow.places()
        if not is_free(place.file) and f"{place.file} {place.what.partition('(')[0]}" not in entries
    ]


@cache
def found() -> list[Place]:
    return wrong_places(AGENTS)


def test_no_text_of_a_request_goes_past_the_reader() -> None:
    told = [str(place) for place in found()]
    assert not told, "The text of a request goes past the reader:\n" + "\n".join(told)


def test_every_rebuilt_room_has_the_reader_it_names() -> None:
    assert [room for room in REBUILT if not (AGENTS / room / READERS[room]).is_file()] == []


# What the search finds, and what it leaves alone, on rooms written for it.

NODE = "tasks/node.py"


def searched(folder: Path, files: dict[str, str]) -> list[str]:
    """The wrong places of a room made of these files, as `file: what`."""
    for file, source in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return [f"{place.file}: {place.what}" for place in wrong_places(folder)]


@pytest.mark.parametrize(
    "read",
    [
        'state["request"]',
        'state.get("request")',
        'state.get("user_query", "")',
        'state["asked"]["user_input"]',
        "turn.request",
        'getattr(turn, "request")',
        "state[KEY]",
    ],
)
def test_a_read_of_the_text_is_found(tmp_path: Path, read: str) -> None:
    source = f'KEY = "request"\n\n\ndef node(state, turn):\n    return len({read})\n'
    assert [one.partition(" reads ")[0] for one in searched(tmp_path, {NODE: source})] == [f"{NODE}:"]


def test_a_parameter_that_is_called_request_is_found(tmp_path: Path) -> None:
    source = "async def pick(found: list[int], *, request: str | None = None) -> int: ...\n"
    assert searched(tmp_path, {NODE: source}) == [f"{NODE}: pick(request) is given the request"]


@pytest.mark.parametrize(
    "call",
    [
        'pick(state["request"])',
        'pick(wish=state["request"])',
        'pick(str(state["request"]).strip()[:80])',
        "pick(f\"{state['request']} {state['answer']}\")",
        "pick(re.sub(' +', ' ', state[\"request\"]))",
        'pick(state.get("last") or state["request"])',
        'await asyncio.to_thread(pick, state["request"])',
        'partial(pick, state["request"])()',
    ],
)
def test_a_parameter_of_any_name_is_found_by_what_it_is_given(tmp_path: Path, call: str) -> None:
    source = f"def pick(wish: str) -> int: ...\n\n\nasync def node(state):\n    return {call}\n"
    assert f"{NODE}: pick(wish) is given the request" in searched(tmp_path, {NODE: source})


def test_the_text_is_followed_through_names_and_functions_and_files(tmp_path: Path) -> None:
    reader = """
from signalbox.agents.tasks.targets import find_target
from signalbox.agents.tasks import words as w

def read(state):
    wish = tidy(state["request"])
    other, number = wish, 1
    def inner():
        return w.has_digit(other)
    return find_target(number, phrase=other), inner()

def tidy(raw: str) -> str:
    return raw.strip()
"""
    files = {
        "tasks/reader.py": reader,
        "tasks/targets.py": "def find_target(number: int, phrase: str) -> int:\n    return _near(phrase)\n\n\n"
        "def _near(x: str) -> int: ...\n",
        "tasks/words.py": "def has_digit(x: str) -> bool: ...\n",
    }
    assert searched(tmp_path, files) == [
        "tasks/targets.py: find_target(phrase) is given the request",
        "tasks/targets.py: _near(x) is given the request",
        "tasks/words.py: has_digit(x) is given the request",
    ]


@pytest.mark.parametrize(
    "held",
    [
        "@dataclass\nclass Turn:\n    number: int\n    wish: str\n",
        "class Turn:\n    def __init__(self, number: int, wish: str) -> None:\n        self.wish = wish\n",
    ],
)
def test_the_text_is_followed_through_a_class_that_holds_it(tmp_path: Path, held: str) -> None:
    files = {
        "tasks/turn.py": f"{held}\n    def find(self):\n        return near(self.wish)\n\n\ndef near(x: str): ...\n",
        "tasks/reader.py": "from .turn import Turn\n\ndef read(state):\n    return Turn(1, state['request'])\n",
        "tasks/node.py": "from .turn import Turn, near\n\ndef node(turn: Turn | None):\n    return pick(turn.wish)\n\n"
        "def pick(y: str): ...\n",
    }
    wrong = searched(tmp_path, files)
    assert f"{NODE}: pick(y) is given the request" in wrong
    assert "tasks/turn.py: near(x) is given the request" in wrong
    assert any(one.startswith("tasks/turn.py: Turn") and "(wish)" in one for one in wrong)


def test_the_text_is_followed_into_a_method_of_a_thing_whose_class_is_not_known(tmp_path: Path) -> None:
    files = {
        "tasks/view.py": "class View:\n    def narrowed(self, x: str): ...\n    def search(self, x: str): ...\n",
        "tasks/reader.py": "def read(state, view):\n    said = state['request']\n"
        "    return view.narrowed(said), WORD.search(said)\n",
    }
    assert searched(tmp_path, files) == ["tasks/view.py: View.narrowed(x) is given the request"]


@pytest.mark.parametrize(
    "file",
    ["tasks/reader.py", "tasks/prompts.py", "tasks/agent.py", "tasks/offline/dates.py", "tasks/evaluation/score.py"],
)
def test_where_the_text_may_be_read_it_is_left_alone(tmp_path: Path, file: str) -> None:
    assert searched(tmp_path, {file: 'def read(request: str, state):\n    return read(state["request"], {})\n'}) == []


def test_the_reader_of_one_room_is_none_in_another(tmp_path: Path) -> None:
    files = {
        "tasks/sub/reader.py": "def read(request: str): ...\n",
    }
    assert len(searched(tmp_path, files)) == len(files)


def test_the_policy_of_effects_may_be_given_the_text_and_nothing_else_may(tmp_path: Path) -> None:
    source = """
from signalbox.toolbox.effects import Said, decide

def node(state):
    return decide(effect, Said(state["request"], shown=()))
"""
    assert searched(tmp_path, {NODE: source}) == []
    assert searched(tmp_path, {NODE: source.replace("toolbox.effects", "toolbox.others")}) == [
        f"{NODE}: reads 'request'"
    ]


def test_an_entry_point_may_take_the_text_but_not_hand_it_on(tmp_path: Path) -> None:
    files = {
        "tasks/__init__.py": 'AGENT = Agent(plan=lazy(f"{__name__}.node:dry_run"))\n',
        NODE: "def dry_run(request: str):\n    return pick(request)\n\n\ndef pick(wish: str): ...\n",
    }
    assert searched(tmp_path, files) == [f"{NODE}: pick(wish) is given the request"]


def test_what_only_has_the_name_is_left_alone(tmp_path: Path) -> None:
    source = """
def middleware(request: Request) -> Response: ...
async def call(http, args, promql: str):
    await http.request("GET", "/")
    return fail(args.get("request"), query=promql, message="There is no such task.")
def fail(told, query: str, message: str): ...
def node(state):
    return {"request": 1, **state}, fail(state["title"], "", "")
"""
    assert searched(tmp_path, {NODE: source}) == []
