"""Every row gets its owner in a column of its own; on PostgreSQL row-level security covers all tables.

Until now only threads named their person in a column; of a run it stood inside the JSON of its record. What the service
itself noted about a run stood among the client's metadata, and gets fields of its own. Runs that waited or were under
way are closed: what they need to go on is kept in another form now.
"""

import json
import logging
from typing import Any

import sqlalchemy as sa
from alembic import op

from signalbox.contract.answer import Answer
from signalbox.runs.outdated import OutdatedRunError
from signalbox.settings import get_settings, now

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_log = logging.getLogger("signalbox.runs")
_OPEN = ("running", "waiting", "interrupted")
_WITHOUT_OWNER = ("runs", "steps", "events", "turns")
_DEEPEST = 100
_CHECKPOINTS = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
_PERSON = "NULLIF(current_setting('app.user_id', true), '')"


def upgrade() -> None:
    is_postgres = op.get_bind().dialect.name == "postgresql"
    op.execute("ALTER TABLE threads RENAME COLUMN person TO user_id")
    for table in _WITHOUT_OWNER:
        op.execute(f"ALTER TABLE {table} ADD COLUMN user_id TEXT NOT NULL DEFAULT ''")
    op.execute("ALTER TABLE steps ADD COLUMN place TEXT NOT NULL DEFAULT ''")
    # A file at home is one person's, where nothing says whose a row is; on a server such a row is nobody's.
    _give_owners("" if is_postgres else get_settings().user)
    _mend_threads()
    _rebuild_indexes()
    if is_postgres:
        _own_checkpoints()
        for table in ("threads", *_WITHOUT_OWNER, *_CHECKPOINTS):
            _secure(table)


def downgrade() -> None:
    raise NotImplementedError("Runs that were closed cannot be opened again: restore a backup.")


def _run(statement: str, **values: Any) -> Any:
    return op.get_bind().execute(sa.text(statement), values)


def _give_owners(unknown: str) -> None:
    ids = [row[0] for row in _run("SELECT run_id FROM runs")]
    owners = {run_id: _owner(run_id) or unknown for run_id in ids}
    for run_id, owner in owners.items():
        _run("UPDATE runs SET user_id = :owner WHERE run_id = :run", owner=owner, run=run_id)
    of_run = "(SELECT user_id FROM runs WHERE runs.run_id = {0}.run_id)"
    of_thread = "(SELECT user_id FROM threads WHERE threads.thread_id = {0}.thread_id)"
    for table in ("steps", "events"):
        _run(f"UPDATE {table} SET user_id = COALESCE({of_run.format(table)}, '')")
    _run(
        f"UPDATE turns SET user_id = COALESCE({of_run.format('turns')}, {of_thread.format('turns')}, :unknown)",
        unknown=unknown,
    )
    closed = sum(_rewrite(run_id) for run_id in ids)
    if closed:
        _log.warning("%d runs that an older version had left waiting or active were closed.", closed)


def _owner(run_id: str) -> str:
    record, thread_id = _run("SELECT record, thread_id FROM runs WHERE run_id = :run", run=run_id).one()
    person = _parsed(record).get("person")
    if isinstance(person, str) and person:
        return person
    return str(_run("SELECT user_id FROM threads WHERE thread_id = :thread", thread=thread_id).scalar() or "")


def _parsed(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _rewrite(run_id: str) -> bool:
    """Keep apart what the service noted, and close the run if it is open; whether it was."""
    query = "SELECT thread_id, name, status, user_id, record FROM runs WHERE run_id = :run"
    thread_id, name, status, owner, text = _run(query, run=run_id).one()
    is_open, record = status in _OPEN, _parsed(text)
    if record:
        _set_apart(record, thread_id, owner)
        if is_open:
            answer = Answer.of_error(OutdatedRunError(), agent=name, thread_id=thread_id, run_id=run_id).as_dict()
            record |= {"questions": [], "result": {"error": answer["error"], "output": None, "answer": answer}}
            _tell(record.get("for_run") or run_id, owner, answer)
        text = json.dumps(record)
    if is_open:
        _run("UPDATE runs SET status = 'error', owner = '', updated_at = :at WHERE run_id = :run",
             at=now().isoformat(), run=run_id)  # fmt: skip
        _run("DELETE FROM steps WHERE run_id = :run", run=run_id)
    _run("UPDATE runs SET record = :record WHERE run_id = :run", record=text, run=run_id)
    return is_open


def _set_apart(record: dict[str, Any], thread_id: str, owner: str) -> None:
    """Take out of the client's metadata what the service wrote there. Anybody could write the same names: a run that is
    not of this person and thread was named by the client, and stays mere metadata."""
    metadata = record.get("metadata")
    if not isinstance(metadata, dict):
        record["metadata"] = {}
        return
    if isinstance(metadata.get("stream_modes"), list):
        record["stream_modes"] = [str(mode) for mode in metadata.pop("stream_modes")]
    query = "SELECT 1 FROM runs WHERE run_id = :run AND thread_id = :thread AND user_id = :owner"
    first = str(metadata.get("for_run", ""))
    if _run(query, run=first, thread=thread_id, owner=owner).first():
        record["for_run"], record["route"] = metadata.pop("for_run"), metadata.pop("route", None)


def _tell(channel: str, owner: str, answer: dict[str, Any]) -> None:
    """Who follows the events of the run hears that it was closed."""
    latest = _run("SELECT MAX(number) FROM events WHERE run_id = :run", run=channel).scalar()
    if latest is None:
        return
    told = [("error", answer["error"]), ("answer", {**answer, "message_id": f"{answer['run_id']}-{latest}"})]
    for number, (kind, data) in enumerate(told, latest + 1):
        _run(
            "INSERT INTO events (run_id, number, kind, data, user_id) VALUES (:run, :number, :kind, :data, :owner)",
            run=channel, number=number, kind=kind, data=json.dumps(data), owner=owner,
        )  # fmt: skip


def _mend_threads() -> None:
    """Metadata that cannot be sent as JSON broke every list that the thread was in."""
    for thread_id, text in _run("SELECT thread_id, metadata FROM threads").all():
        mended = _sendable(text)
        if mended != text:
            _run("UPDATE threads SET metadata = :data WHERE thread_id = :thread", data=mended, thread=thread_id)


def _sendable(text: str) -> str:
    found = _parsed(text)
    kept = {key: value for key, value in found.items() if _is_sendable(key) and _is_sendable(value)}
    return text if found and kept == found else json.dumps(kept)


def _is_sendable(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return _depth(value) <= _DEEPEST


def _depth(value: Any) -> int:
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(_depth, value.values() if isinstance(value, dict) else value), default=0)


def _rebuild_indexes() -> None:
    for index in ("threads_of_person", "threads_by_transcript", "runs_of_thread", "turns_of_thread"):
        op.execute(f"DROP INDEX IF EXISTS {index}")
    op.execute("CREATE INDEX threads_of_owner ON threads (user_id, updated_at)")
    op.execute("CREATE INDEX threads_by_transcript ON threads (user_id, transcript) WHERE transcript <> ''")
    op.execute("CREATE INDEX runs_of_thread ON runs (user_id, thread_id, started_at)")
    op.execute("CREATE INDEX turns_of_thread ON turns (user_id, thread_id, number)")


def _own_checkpoints() -> None:
    """LangGraph names a thread what we call a run. It writes no owner: a new row gets the person of the transaction."""
    for table in _CHECKPOINTS:
        op.execute(f"ALTER TABLE {table} ADD COLUMN user_id TEXT NOT NULL DEFAULT ''")
        op.execute(f"UPDATE {table} SET user_id = runs.user_id FROM runs WHERE runs.run_id = {table}.thread_id")
        op.execute(f"ALTER TABLE {table} ALTER COLUMN user_id SET DEFAULT {_PERSON}")


def _secure(table: str) -> None:
    everybodys = "current_setting('app.maintenance', true) = 'on'"
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY owner_only ON {table} USING (user_id = {_PERSON} OR {everybodys})")
