"""Which task words mean: one clear match, several, a question, or none."""

from __future__ import annotations

import pytest
from tests.agents.tasks.conftest import ANN

from signalbox.agents.tasks.naming import told_apart
from signalbox.agents.tasks.targets import View, find_meant
from signalbox.storage import Store, Tasks

TASKS = [
    ("Buy milk", None, False),
    ("Buy oat milk", "2026-11-17", False),
    ("Call the dentist", "2026-11-20", False),
    ("Pay rent", "2026-11-10", False),
    ("Wash car", None, True),
    ("Return drill", "2026-11-20", False),
    ("Return ladder", None, False),
    ("Write sales report", None, False),
]
SHOWN = View(shown=(2, 3, 6, 7), spoken=(3,))


@pytest.fixture
async def tasks() -> Tasks:
    kept = Store(ANN).tasks
    for title, due, done in TASKS:
        made = await kept.add(title, due=due)
        if done:
            await kept.complete(made.task_id)
    return kept


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("buy milk", [1]),
        ("the oat one", [2]),
        ("the first one", [2]),
        ("the last two", [6, 7]),
        ("second and third", [3, 6]),
        ("the 2nd", [3]),
        ("it", [3]),
        ("that one", [3]),
        ("", [3]),
        ("both return ones", [6, 7]),
        ("all of them", [2, 3, 6, 7]),
        ("all but the last", [2, 3, 6]),
        ("everything except the dentist", [4, 2, 6, 1, 5, 7, 8]),
        ("all the completed ones", [5]),
        ("my done tasks", [5]),
        ("all overdue ones", [4]),
        ("everything for friday", [3, 6]),
        ("evrything with return", [6, 7]),
        ("#4", [4]),
        ("task 8", [8]),
        ("number seven", [7]),
        ("tasks 2, 3 and 4", [2, 3, 4]),
        ("dentist and rent", [3, 4]),
        ("the dentsit", [3]),
        ("the friday return", [6]),
        ("the one for tomorrow", [2]),
        ("the ladder thing", [7]),
        ("the second return one", [7]),
        ("the oldest one", [1]),
        ("the one about the report", [8]),
        ("car", [5]),
    ],
)
async def test_the_tasks_that_are_meant_are_found(words: str, numbers: list[int], tasks: Tasks) -> None:
    found = await find_meant(words, SHOWN, tasks)
    assert found.how in ("one", "several")
    assert [one.task_id for one in found.tasks] == numbers


@pytest.mark.parametrize("words", ["milk", "the return one", "the other one", "1", "the middle one", "swim and rent"])
async def test_what_is_unclear_is_not_guessed(words: str, tasks: Tasks) -> None:
    assert (await find_meant(words, SHOWN, tasks)).how == "unclear"


@pytest.mark.parametrize("words", ["groceries", "#99", "the ninth one", "taxes"])
async def test_what_is_not_there_is_not_found(words: str, tasks: Tasks) -> None:
    assert (await find_meant(words, SHOWN, tasks)).how in ("none", "unclear")


async def test_an_open_task_is_meant_before_a_finished_one_and_the_other_way_round(tasks: Tasks) -> None:
    await tasks.complete(1)
    assert [one.task_id for one in (await find_meant("milk", View(), tasks, "pending")).tasks] == [2]
    assert [one.task_id for one in (await find_meant("milk", View(), tasks, "completed")).tasks] == [1]


async def test_of_two_that_were_shown_the_other_one_is_clear(tasks: Tasks) -> None:
    found = await find_meant("the other one", View(shown=(1, 2), spoken=(2,)), tasks)
    assert [one.task_id for one in found.tasks] == [1]


async def test_a_number_among_choices_is_a_place(tasks: Tasks) -> None:
    found = await find_meant("2", View(shown=(3, 6), offered=True), tasks)
    assert [one.task_id for one in found.tasks] == [6]


async def test_a_place_stays_what_it_was_when_a_task_of_the_list_is_gone(tasks: Tasks) -> None:
    await tasks.delete(2)
    assert [one.task_id for one in (await find_meant("the second one", SHOWN, tasks)).tasks] == [3]
    assert (await find_meant("the first one", SHOWN, tasks)).how == "none"


async def test_a_task_among_thousands_is_found_by_its_words(tasks: Tasks) -> None:
    for number in range(300):
        await tasks.add(f"Errand {number}")
    assert [one.title for one in (await find_meant("the dentist", View(), tasks)).tasks] == ["Call the dentist"]


async def test_the_other_one_of_a_kind_is_found_though_it_was_not_shown(tasks: Tasks) -> None:
    found = await find_meant("the other return", View(shown=(6,), spoken=(6,)), tasks)
    assert [one.task_id for one in found.tasks] == [7]


async def test_with_nothing_in_view_it_is_the_only_open_task(tasks: Tasks) -> None:
    assert (await find_meant("it", View(), tasks)).how == "none"
    for number in (1, 2, 3, 4, 6, 7):
        await tasks.complete(number)
    assert [one.task_id for one in (await find_meant("it", View(), tasks)).tasks] == [8]


@pytest.mark.parametrize(
    ("message", "number"),
    [
        ("the ladder, what else", 7),
        ("not the drill, the ladder", 7),
        ("the one for friday", 6),
        ("drill or ladder, whatever", None),
        ("hm", None),
    ],
)
async def test_tasks_are_told_apart_by_a_word_that_only_one_has(tasks: Tasks, message: str, number: int | None) -> None:
    chosen = told_apart(await tasks.several([6, 7]), message)
    assert (chosen.task_id if chosen else None) == number
