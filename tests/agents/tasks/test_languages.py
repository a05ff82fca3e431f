"""With the right calls, a request in any language is carried out, without a question that nobody needs."""

from __future__ import annotations

from typing import Any

import pytest
from tests.agents.tasks.conftest import ANN, Scripted

from signalbox.agents.tasks import AgentConfiguration, run_agent
from signalbox.storage import Store, TaskFilter

FRIDAY = "2026-11-20"
# By language: the titles that are there, and each request with the right call and what it writes.
Case = tuple[str, str, dict[str, Any]]
REQUESTS: dict[str, tuple[tuple[str, str, str], list[Case]]] = {
    "English": (
        ("Buy milk", "Call the dentist", "File the tax return"),
        [
            ("I've rung the dentist", "complete_task", {"task_id": 2}),
            ("The tax return can wait until Friday", "update_task", {"task_id": 3, "due": FRIDAY}),
            ("remind me to water the plants on Friday", "add_task", {"title": "Water the plants", "due": FRIDAY}),
            ("milk is really urgent", "update_task", {"task_id": 1, "priority": "high"}),
        ],
    ),
    "German": (
        ("Milch kaufen", "Zahnarzt anrufen", "Steuererklärung machen"),
        [
            ("Der Zahnarzt ist angerufen", "complete_task", {"task_id": 2}),
            ("Milch kaufen ist erledigt", "complete_task", {"task_id": 1}),
            ("Verschieb die Steuererklärung auf Freitag", "update_task", {"task_id": 3, "due": FRIDAY}),
            ("Erinnere mich am Freitag daran, die Blumen zu gießen", "add_task", {"title": "Blumen gießen"}),
            ("die steuererklaerung ist sehr dringend", "update_task", {"task_id": 3, "priority": "high"}),
            ("Schreib noch auf: Müll rausbringen", "add_task", {"title": "Müll rausbringen"}),
            (
                "Notiz zum Zahnarzt: Krankenkarte mitnehmen",
                "update_task",
                {"task_id": 2, "note": "Krankenkarte mitnehmen"},
            ),
            ("Nenne Milch kaufen um in Hafermilch kaufen", "update_task", {"task_id": 1, "title": "Hafermilch kaufen"}),
            ("#2 bitte abhaken", "complete_task", {"task_id": 2}),
            ("Die Milch hat keine Eile mehr", "update_task", {"task_id": 1, "priority": "low"}),
        ],
    ),
    "French": (
        ("Acheter du lait", "Appeler le dentiste", "Déclarer les impôts"),
        [
            ("J'ai appelé le dentiste", "complete_task", {"task_id": 2}),
            ("le lait est acheté", "complete_task", {"task_id": 1}),
            ("Repousse les impôts à vendredi", "update_task", {"task_id": 3, "due": FRIDAY}),
            ("Rappelle-moi d'arroser les plantes", "add_task", {"title": "Arroser les plantes"}),
            ("Ajoute : sortir la poubelle vendredi", "add_task", {"title": "Sortir la poubelle", "due": FRIDAY}),
            ("Les impots sont urgents", "update_task", {"task_id": 3, "priority": "high"}),
            (
                "Note pour le dentiste : apporter la carte vitale",
                "update_task",
                {"task_id": 2, "note": "apporter la carte vitale"},
            ),
            ("mets l'étiquette courses sur le lait", "update_task", {"task_id": 1, "tags": ["courses"]}),
            (
                "Renomme acheter du lait en acheter du beurre",
                "update_task",
                {"task_id": 1, "title": "Acheter du beurre"},
            ),
            ("la tâche #3 est finie", "complete_task", {"task_id": 3}),
        ],
    ),
    "Spanish": (
        ("Comprar leche", "Llamar al dentista", "Hacer la declaración de la renta"),
        [
            ("Ya llamé al dentista", "complete_task", {"task_id": 2}),
            ("compré la leche", "complete_task", {"task_id": 1}),
            ("Pasa la declaración al viernes", "update_task", {"task_id": 3, "due": FRIDAY}),
            ("Recuérdame regar las plantas", "add_task", {"title": "Regar las plantas"}),
            ("Añade: sacar la basura el viernes", "add_task", {"title": "Sacar la basura", "due": FRIDAY}),
            ("la declaracion de la renta es urgente", "update_task", {"task_id": 3, "priority": "high"}),
            (
                "Nota para el dentista: llevar la radiografía",
                "update_task",
                {"task_id": 2, "note": "llevar la radiografía"},
            ),
            ("Ponle la etiqueta casa a comprar leche", "update_task", {"task_id": 1, "tags": ["casa"]}),
            ("cambia comprar leche por comprar queso", "update_task", {"task_id": 1, "title": "Comprar queso"}),
            ("la #1 está hecha", "complete_task", {"task_id": 1}),
        ],
    ),
    "Italian": (
        ("Comprare il latte", "Chiamare il dentista", "Fare la dichiarazione dei redditi"),
        [
            ("Ho chiamato il dentista", "complete_task", {"task_id": 2}),
            ("il latte è comprato", "complete_task", {"task_id": 1}),
            ("Sposta la dichiarazione dei redditi a venerdì", "update_task", {"task_id": 3, "due": FRIDAY}),
            ("Ricordami di annaffiare le piante", "add_task", {"title": "Annaffiare le piante"}),
            ("Aggiungi: portare fuori la spazzatura", "add_task", {"title": "Portare fuori la spazzatura"}),
            ("la dichiarazione è urgente", "update_task", {"task_id": 3, "priority": "high"}),
            ("Nota per il dentista: portare la tessera", "update_task", {"task_id": 2, "note": "portare la tessera"}),
            ("metti l'etichetta spesa al latte", "update_task", {"task_id": 1, "tags": ["spesa"]}),
            (
                "rinomina comprare il latte in comprare il burro",
                "update_task",
                {"task_id": 1, "title": "Comprare il burro"},
            ),
            ("segna la #3 come fatta", "complete_task", {"task_id": 3}),
        ],
    ),
    "Portuguese": (
        ("Comprar leite", "Ligar ao dentista", "Entregar o IRS"),
        [
            ("Já liguei ao dentista", "complete_task", {"task_id": 2}),
            ("o leite está comprado", "complete_task", {"task_id": 1}),
            ("Adia entregar o IRS para sexta", "update_task", {"task_id": 3, "due": FRIDAY}),
            ("Lembra-me de regar as plantas", "add_task", {"title": "Regar as plantas"}),
            ("Acrescenta: levar o lixo na sexta", "add_task", {"title": "Levar o lixo", "due": FRIDAY}),
            ("o dentista é urgente", "update_task", {"task_id": 2, "priority": "high"}),
            ("Nota no dentista: levar a radiografia", "update_task", {"task_id": 2, "note": "levar a radiografia"}),
            ("põe a etiqueta casa no leite", "update_task", {"task_id": 1, "tags": ["casa"]}),
            ("muda comprar leite para comprar manteiga", "update_task", {"task_id": 1, "title": "Comprar manteiga"}),
            ("a #2 está feita", "complete_task", {"task_id": 2}),
        ],
    ),
    "Dutch": (
        ("Melk kopen", "Tandarts bellen", "Belastingaangifte doen"),
        [
            ("De tandarts is gebeld", "complete_task", {"task_id": 2}),
            ("melk kopen is gedaan", "complete_task", {"task_id": 1}),
            ("Zet de belastingaangifte op vrijdag", "update_task", {"task_id": 3, "due": FRIDAY}),
            ("Herinner me eraan de planten water te geven", "add_task", {"title": "Planten water geven"}),
            ("Voeg toe: vuilnis buiten zetten", "add_task", {"title": "Vuilnis buiten zetten"}),
            ("de belastingaangifte heeft haast", "update_task", {"task_id": 3, "priority": "high"}),
            ("Notitie bij de tandarts: pasje meenemen", "update_task", {"task_id": 2, "note": "pasje meenemen"}),
            ("geef de melk het label boodschappen", "update_task", {"task_id": 1, "tags": ["boodschappen"]}),
            ("hernoem melk kopen naar boter kopen", "update_task", {"task_id": 1, "title": "Boter kopen"}),
            ("vink #1 maar af", "complete_task", {"task_id": 1}),
        ],
    ),
    "Polish": (
        ("Kupić mleko", "Zadzwonić do dentysty", "Złożyć PIT"),
        [
            ("kupiłem mleko", "complete_task", {"task_id": 1}),
            ("przypomnij mi podlać kwiaty", "add_task", {"title": "Podlać kwiaty"}),
            ("do dentysty zadzwonię w piątek", "update_task", {"task_id": 2, "due": FRIDAY}),
        ],
    ),
    "Japanese": (
        ("牛乳を買う", "歯医者に電話する", "確定申告を出す"),
        [
            ("牛乳を買うのは終わりました", "complete_task", {"task_id": 1}),
            ("歯医者の電話は金曜日にして", "update_task", {"task_id": 2, "due": FRIDAY}),
            ("植物に水をやるのを忘れないように書いておいて", "add_task", {"title": "植物に水をやる"}),
        ],
    ),
}
CASES = [(titles, *case) for titles, cases in REQUESTS.values() for case in cases]


async def _titled(titles: tuple[str, ...]) -> None:
    for title in titles:
        await Store(ANN).tasks.add(title)


def test_there_are_at_least_sixty_in_six_languages_beside_english() -> None:
    counts = {language: len(cases) for language, (_, cases) in REQUESTS.items() if language != "English"}
    assert sum(counts.values()) >= 60
    assert sum(many >= 10 for many in counts.values()) >= 6


@pytest.mark.parametrize(("titles", "said", "name", "args"), CASES, ids=[said for _, said, _, _ in CASES])
async def test_a_right_call_is_carried_out_at_once(
    titles: tuple[str, ...], said: str, name: str, args: dict[str, Any]
) -> None:
    await _titled(titles)
    model = Scripted(replies=[(name, args)])
    answer = await run_agent([{"role": "user", "content": said}], ANN, AgentConfiguration(model=model))
    assert "?" not in answer.final_response
    page = await Store(ANN).tasks.list(TaskFilter(status="all", sort="created"))
    rows = {one.task_id: one.as_dict() for one in page.tasks}
    row = rows[4] if name == "add_task" else rows[args.get("task_id") or _number(args["task"], titles)]
    expected = {key: value for key, value in args.items() if key in ("title", "due", "priority", "tags")}
    assert {key: row[key] for key in expected} == expected
    assert row["completed"] == (name == "complete_task")
    assert row["description"] == args.get("note", "")


def _number(words: str, titles: tuple[str, ...]) -> int:
    if words.startswith("#"):
        return int(words[1:])
    return next(at for at, title in enumerate(titles, 1) if words.casefold() in title.casefold())


@pytest.mark.parametrize(
    ("said", "args"),
    [
        ("Setz es bitte auf dringend", {"task_id": 1, "priority": "high"}),
        ("Mets-la à vendredi", {"task_id": 1, "due": FRIDAY}),
        ("ponla urgente", {"task_id": 1, "priority": "high"}),
    ],
)
async def test_what_was_just_written_down_can_be_changed_without_its_name(said: str, args: dict[str, Any]) -> None:
    await _titled(("Pay rent", "Call mum"))
    first = [{"role": "user", "content": "Neue Aufgabe: Zelt packen"}]
    added = await run_agent(
        first, ANN, AgentConfiguration(model=Scripted(replies=[("add_task", {"title": "Zelt packen"})]))
    )
    model = Scripted(replies=[("update_task", {**args, **({"task_id": 3} if "task_id" in args else {})})])
    await run_agent([*added.messages, {"role": "user", "content": said}], ANN, AgentConfiguration(model=model))
    row = (await Store(ANN).tasks.get(3)).as_dict()
    assert row["priority"] == "high" or row["due"] == FRIDAY


@pytest.mark.parametrize(
    "said", ["la segunda ya está", "die zweite ist fertig", "la deuxième est faite", "de tweede is klaar"]
)
async def test_a_place_in_the_list_last_shown_names_a_task(said: str) -> None:
    await _titled(("Pay rent", "Call mum", "Buy milk"))
    listed = await run_agent(
        [{"role": "user", "content": "?"}], ANN, AgentConfiguration(model=Scripted(replies=[("list_tasks", {})]))
    )
    model = Scripted(replies=[("complete_task", {"task_id": 2})])
    await run_agent([*listed.messages, {"role": "user", "content": said}], ANN, AgentConfiguration(model=model))
    assert (await Store(ANN).tasks.get(2)).completed


async def test_a_model_that_looks_the_list_up_again_may_still_go_by_the_place_that_was_named() -> None:
    await _titled(("Pay rent", "Call mum", "Buy milk"))
    listed = await run_agent(
        [{"role": "user", "content": "?"}], ANN, AgentConfiguration(model=Scripted(replies=[("list_tasks", {})]))
    )
    model = Scripted(replies=[("list_tasks", {}), ("complete_task", {"task_id": 2})])
    said = [*listed.messages, {"role": "user", "content": "hak de tweede af"}]
    await run_agent(said, ANN, AgentConfiguration(model=model))
    assert (await Store(ANN).tasks.get(2)).completed


async def test_two_deletions_of_one_message_are_one_question() -> None:
    await _titled(("Pay rent", "Call mum", "Buy milk"))
    model = Scripted(replies=[[("delete_task", {"task_id": 1}), ("delete_task", {"task_id": 3})]])
    asked = await run_agent([{"role": "user", "content": "#1 und #3 weg"}], ANN, AgentConfiguration(model=model))
    assert "Delete these 2 tasks? #1 Pay rent, #3 Buy milk." in asked.final_response
    await run_agent([*asked.messages, {"role": "user", "content": "ja"}], ANN, AgentConfiguration(model=Scripted()))
    assert [one.title for one in (await Store(ANN).tasks.list(TaskFilter())).tasks] == ["Call mum"]


@pytest.mark.parametrize("yes", ["ja bitte", "oui", "sí", "va bene", "sim", "doe maar", "yes please"])
async def test_a_deletion_waits_for_a_yes_in_any_language(yes: str) -> None:
    await _titled(("Pay rent", "Call mum"))
    said = [{"role": "user", "content": "#2 weg damit"}]
    model = Scripted(replies=[("delete_task", {"task_id": 2})])
    asked = await run_agent(said, ANN, AgentConfiguration(model=model))
    assert "Delete this task? #2 Call mum. Please say yes or no." in asked.final_response
    await run_agent([*asked.messages, {"role": "user", "content": yes}], ANN, AgentConfiguration(model=Scripted()))
    assert [one.title for one in (await Store(ANN).tasks.list(TaskFilter())).tasks] == ["Pay rent"]


async def test_a_text_that_was_translated_is_shown_and_confirmed() -> None:
    said = [{"role": "user", "content": "Erinnere mich daran, den Müll rauszubringen"}]
    model = Scripted(replies=[("add_task", {"title": "Take out the trash"})])
    answer = await run_agent(said, ANN, AgentConfiguration(model=model))
    assert "Add the task 'Take out the trash'? Please say yes or no." in answer.final_response
    assert (await Store(ANN).tasks.list(TaskFilter())).total == 0
