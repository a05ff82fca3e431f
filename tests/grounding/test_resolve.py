"""What words refer to, among tasks, devices and experiments."""

from __future__ import annotations

import pytest
from tests.grounding.things import DEVICES, EXPERIMENTS, ROLES, TASKS, told

from signalbox.grounding import Candidate, NotFound, View, known, resolve

SHOWN = View(shown=("2", "3", "6", "7"), spoken=("3",))
PES = "xrd-1 xrd-2 pe1 pe2"
XRDS = " ".join(f"xrd-{number}" for number in range(1, 9))


def called(*names: str) -> list[Candidate]:
    return [Candidate(str(number), name, "task") for number, name in enumerate(names, start=1)]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        # ids and numbers
        ("#4", "one 4"), ("4", "one 4"), ("task 8", "one 8"), ("no. 3", "one 3"), ("number seven", "one 7"),
        ("2 3 4", "several 2 3 4"), ("tasks 2, 3 and 4", "several 2 3 4"), ("#99", "not found"), ("99", "not found"),
        ("#1 Buy milk", "one 1"), ("Buy milk (#1)", "one 1"), ("3: Buy milk", "ask 3 1"),
        # names
        ("buy milk", "one 1"), ("Buy-Milk", "one 1"), ('the "Buy milk" task', "one 1"), ("the oat one", "one 2"),
        ("the dentsit", "one 3"), ("the ladder thing", "one 7"), ("the one about the report", "one 8"),
        ("my task called wash car", "one 5"), ("the reports", "one 8"), ("milk", "ask 1 2"),
        ("the return one", "ask 6 7"),
        ("jürgen", "one 7"), ("the one with köln", "one 7"), ("koeln", "one 7"),
        # what is not there
        ("groceries", "not found"), ("taxes", "not found"), ("dentist invoice", "ask 3"), ("call tom", "ask 3"),
        ("invoice for the dentist from berlin", "not found"), ("none of them", "not found"), ("--", "not found"),
        # places
        ("the first one", "one 2"), ("the 2nd", "one 3"), ("the last two", "several 6 7"),
        ("second and third", "several 3 6"),
        ("first and last", "several 2 7"), ("the second to last", "one 6"), ("the first to the third", "group 2 3 6"),
        ("bottom one", "one 7"), ("the middle one", "ask 2 3 6 7"), ("the ninth one", "not found"),
        ("the first five", "not found"), ("the first couple", "several 2 3"), ("die ersten beiden", "several 2 3"),
        ("les deux derniers", "several 6 7"), ("the second return one", "one 7"), ("das zweite", "one 3"),
        ("la dernière", "one 7"),
        # pronouns
        ("it", "one 3"), ("that one", "one 3"), ("this task", "one 3"), ("", "one 3"), ("them", "several 2 3 6 7"),
        ("the other one", "ask 2 6 7"), ("the rest", "group 2 6 7"), ("both", "ask 2 3 6 7"),
        # groups
        ("all", "group 1 2 3 4 5 6 7 8"), ("all of them", "group 2 3 6 7"), ("every task", "group 1 2 3 4 5 6 7 8"),
        ("all but the last", "group 2 3 6"), ("everything but the first", "group 3 6 7"),
        ("everything except the dentist", "group 1 2 4 5 6 7 8"), ("everything apart from milk", "ask 1 2"),
        ("all except the unicorn", "not found"), ("everything open except errands", "group 1 2 3 4 8"),
        ("alles außer dem dentist", "group 1 2 4 5 6 7 8"),
        ("both return ones", "group 6 7"), ("the two milk ones", "group 1 2"), ("all three milk ones", "ask 1 2"),
        ("all the milk ones", "group 1 2"), ("the milk jobs", "group 1 2"), ("evrything with return", "group 6 7"),
        ("one of the return jobs", "ask 6 7"), ("3 to 5", "group 3 4 5"), ("#3-#5", "group 3 4 5"),
        ("between 3 and 5", "group 3 4 5"), ("tasks 3 through 5", "group 3 4 5"), ("3 to 50", "not found"),
        # traits and days
        ("the overdue ones", "one 4"), ("whatever is late", "one 4"), ("my finished tasks", "one 5"),
        ("everything that's done", "one 5"), ("all the completed ones", "one 5"), ("the high priority ones", "one 4"),
        ("urgent", "one 4"), ("the ones tagged errands", "group 6 7"),
        ("everything that isn't done", "group 1 2 3 4 6 7 8"),
        ("all errands that aren't due friday", "one 7"), ("the low priority ones", "not found"),
        ("everything that isn't blue", "not found"), ("everything that's not overdue", "group 1 2 3 5 6 7 8"),
        ("everything for friday", "group 3 6"), ("the Friday ones", "group 3 6"), ("the one for tomorrow", "one 2"),
        ("the friday return", "one 6"), ("the friday one", "ask 3 6"), ("this week's errands", "one 6"),
        ("the one due on the 20th", "ask 3 6"), ("everything due before friday", "group 2 4"),
        # lists
        ("dentist and rent", "several 3 4"), ("the dentist, rent & car", "several 3 4 5"),
        ("- Pay rent\n- Wash car", "several 4 5"), ("swim and rent", "not found"), ("milk and rent", "ask 1 2"),
        ("rent und car", "several 4 5"), ("the errands and the rent", "group 6 7 4"),
    ],
)  # fmt: skip
def test_tasks(words: str, meant: str) -> None:
    assert told(words, TASKS, SHOWN) == meant


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("XRD-1", "one xrd-1"), ("xrd1", "one xrd-1"), ("xrd_01", "one xrd-1"), ("PE 2", "one pe2"),
        ("corertr2", "one core-rtr-2"), ("core router 1", "one core-rtr-1"), ("the router pe1", "one pe1"),
        ("10.0.0.2", "one xrd-2"), ("xdr-1", "one xrd-1"), ("croe-rtr-1", "one core-rtr-1"), ("pe1?", "one pe1"),
        ("route reflector xrd-5", "one xrd-5"), ("xrd-1 and pe1", "several xrd-1 pe1"),
        ("pe1, pe2 & xrd-3", "several pe1 pe2 xrd-3"), ("xrd-1, 2 and 3", "several xrd-1 xrd-2 xrd-3"),
        ("xrd-1 through xrd-3", "group xrd-1 xrd-2 xrd-3"), ("from xrd-3 to xrd-1", "group xrd-1 xrd-2 xrd-3"),
        ("xrd-3..5", "group xrd-3 xrd-4 xrd-5"), ("xrds 1-3", "group xrd-1 xrd-2 xrd-3"),
        ("xrd-[1-3]", "group xrd-1 xrd-2 xrd-3"), ("xrd-[1,3]", "group xrd-1 xrd-3"), ("all xrd-*", f"group {XRDS}"),
        ("core-rtr-?", "group core-rtr-1 core-rtr-2"), ("pe*, core-*", "group pe1 pe2 core-rtr-1 core-rtr-2"),
        ("all PE routers", f"group {PES}"), ("the PEs", f"group {PES}"), ("the route-reflectors", "group xrd-5 xrd-6"),
        ("customer edges", "group xrd-7 xrd-8"), ("both reflectors", "group xrd-5 xrd-6"),
        ("our xrds", f"group {XRDS}"),
        ("the xrd PEs", "group xrd-1 xrd-2"), ("PE and CE routers", f"group {PES} xrd-7 xrd-8"),
        ("every device", f"group {' '.join(ROLES)}"), ("the whole network", f"group {' '.join(ROLES)}"),
        ("all 12 devices", f"group {' '.join(ROLES)}"), ("all PEs except pe1", "group xrd-1 xrd-2 pe2"),
        ("all PEs but not pe1 and pe2", "group xrd-1 xrd-2"),
        ("all non-PE routers", f"group {' '.join(name for name in ROLES if ROLES[name] != 'PE')}"),
        ("xrd-1 through xrd-6 without xrd-4", "group xrd-1 xrd-2 xrd-3 xrd-5 xrd-6"),
        ("xrd-9", "not found"), ("xrd-12", "not found"), ("pe7", "not found"), ("poseidon", "not found"),
        ("core-rtr-1 through core-rtr-9", "not found"), ("lon-*", "not found"), ("xrd-1 and xrd-42", "not found"),
        ("core-rtr", "ask core-rtr-1 core-rtr-2"), ("the route reflector", "ask xrd-5 xrd-6"), ("pe", f"ask {PES}"),
        ("one of the reflectors", "ask xrd-5 xrd-6"), ("all three PEs", f"ask {PES}"), ("the Lisbon PEs", f"ask {PES}"),
    ],
)  # fmt: skip
def test_devices(words: str, meant: str) -> None:
    assert told(words, DEVICES) == meant


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("checkout-button-color", "one 8f14e45f-ceea"), ("the hint policy", "one d3d94468-02a4"),
        ("the checkuot button", "one 8f14e45f-ceea"), ("45C48CCE-2E2D", "one 45c48cce-2e2d"),
        ("checkout", "ask 8f14e45f-ceea 45c48cce-2e2d"), ("checkout experiments", "group 8f14e45f-ceea 45c48cce-2e2d"),
        ("every enrolling experiment except the button one", "one 45c48cce-2e2d"), ("the draft", "one d3d94468-02a4"),
    ],
)  # fmt: skip
def test_experiments(words: str, meant: str) -> None:
    assert told(words, EXPERIMENTS) == meant


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("2", "one 6"), ("the second", "one 6"), ("option two", "one 6"), ("two", "one 6"), ("#2", "one 2"),
        ("8", "one 8"),
        ("all", "group 3 6"), ("both", "several 3 6"), ("the return one", "one 6"), ("neither", "not found"),
        ("1 and 2", "several 3 6"), ("Buy milk", "one 1"), ("9", "not found"),
    ],
)  # fmt: skip
def test_an_answer_is_sought_among_the_options_first(words: str, meant: str) -> None:
    assert told(words, TASKS, View(shown=("3", "6"), offered=True)) == meant


@pytest.mark.parametrize("words", ["that one", "it", "the other one"])
def test_of_two_that_were_shown_neither_is_chosen(words: str) -> None:
    assert told(words, TASKS, View(shown=("6", "7"))) == "ask 6 7"


def test_the_other_one_is_the_one_that_was_not_spoken_of() -> None:
    assert told("the other one", TASKS, View(shown=("6", "7"), spoken=("7",))) == "one 6"
    assert told("the other return", TASKS, View(shown=("6",), spoken=("6",))) == "one 7"


def test_it_is_the_only_one_shown_and_those_are_all_that_were_shown() -> None:
    assert told("it", TASKS, View(shown=("6",))) == "one 6"
    assert told("those", TASKS, View(shown=("6", "7"))) == "several 6 7"
    assert told("it", TASKS, View(spoken=("6", "7"))) == "ask 6 7"
    assert told("it", TASKS) == "not found"


def test_what_is_gone_is_not_some_other_thing() -> None:
    view = View(shown=("6", "99", "7"), spoken=("99",))
    assert told("it", TASKS, view) == "not found"
    assert told("the second", TASKS, view) == "not found"
    assert told("the third", TASKS, view) == "one 7"


def test_that_one_of_a_kind_is_the_one_in_view() -> None:
    assert told("that milk", TASKS, View(shown=("2", "3"))) == "one 2"
    assert told("milk", TASKS, View(shown=("2", "3"))) == "ask 1 2"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("Buy milk", "one 1"), ("milk and bread", "one 2"), ("Drive to Berlin", "one 3"),
        ("the first aid one", "one 4"),
        ("the job application", "one 5"), ("the application", "ask 5 6"), ("the job", "one 5"),
        ("the rest api one", "one 7"),
        ("Learn C#", "one 9"), ("page 12", "one 10"), ("everything but", "one 11"), ("iphone", "one 12"),
    ],
)  # fmt: skip
def test_names_may_contain_words_of_the_grammar(words: str, meant: str) -> None:
    tasks = called(
        "Buy milk", "Buy milk and bread", "Drive to Berlin", "First aid course", "Job application", "Visa application",
        "Rest API docs", "Learn C++", "Learn C#", "Read page 12", "Everything but the girl", "iPhone repair",
    )  # fmt: skip
    assert told(words, tasks, View(shown=("2", "3"))) == meant


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("Bücher zurückgeben", "one 1"), ("buecher zurueckgeben", "one 1"), ("bucher", "one 1"), ("Mueller", "one 2"),
        ("牙医", "one 3"), ("молоко", "one 4"), ("молока", "one 4"), ("l'avocat", "one 5"), ("crème brûlée", "one 6"),
        ("hausarzt", "one 7"),
    ],
)  # fmt: skip
def test_names_of_any_language(words: str, meant: str) -> None:
    tasks = called(
        "Bücher zurückgeben", "Call Müller", "打电话给牙医", "Купить молоко", "Appeler l’avocat", "Creme Brulee kaufen",
        "Hausarzttermin",
    )  # fmt: skip
    assert told(words, tasks) == meant


def test_two_of_the_same_name_are_asked_about() -> None:
    assert told("pay rent", called("Pay rent", "Pay Rent")) == "ask 1 2"
    assert told("all pay rent tasks", called("Pay rent", "Pay Rent")) == "group 1 2"


def test_kinds_are_told_apart_where_there_are_several() -> None:
    assert told("all devices", [*TASKS, *DEVICES[:2]]) == "group xrd-1 xrd-2"


def test_a_word_in_a_name_is_stronger_than_one_in_the_details() -> None:
    noted = [Candidate("1", "Plan trip", details="visa for Jane"), Candidate("2", "Renew visa")]
    assert told("visa", noted) == "one 2"
    assert told("jane", noted) == "one 1"


def test_without_a_reader_of_days_nothing_is_found_by_its_day() -> None:
    assert isinstance(resolve("the friday ones", TASKS), NotFound)


def test_what_is_not_there_comes_with_the_nearest() -> None:
    found = resolve("xrd-9", DEVICES)
    assert isinstance(found, NotFound)
    assert [one.id for one in found.nearest] == ["xrd-1", "xrd-2", "xrd-3"]
    listed = resolve("the dentist and the swiming pool", TASKS)
    assert listed == NotFound("the swiming pool")


def test_ids_are_known_or_refused_with_the_nearest() -> None:
    assert known(["#2", "1", "2"], TASKS) == [TASKS[1], TASKS[0]]
    assert known(["XRD-1"], DEVICES) == [DEVICES[0]]
    found = known(["xrd-1", "xrd-11"], DEVICES)
    assert isinstance(found, NotFound)
    assert found.words == "xrd-11"
    assert DEVICES[0] in found.nearest


def test_a_text_that_is_no_reference_is_not_found() -> None:
    assert told("milk " * 2_000, TASKS) == "not found"
    assert told("the dentist", []) == "not found"
