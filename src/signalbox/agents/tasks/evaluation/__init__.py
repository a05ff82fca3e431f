"""How the task assistant is measured: by what the store holds at the end of a conversation, and by nothing else."""

from __future__ import annotations

from signalbox.agents.tasks.evaluation.conversation import begin, end, say
from signalbox.agents.tasks.evaluation.score import KEYS, check, in_own_words, is_right, unasked

__all__ = ["JUDGE"]


class _Judge:
    """What `signalbox eval` finds by the entry point group `signalbox.judges`."""

    keys = KEYS
    check = staticmethod(check)
    is_right = staticmethod(is_right)
    unasked = staticmethod(unasked)
    begin = staticmethod(begin)
    say = staticmethod(say)
    end = staticmethod(end)

    @staticmethod
    def settings(server: str) -> dict[str, str | None]:
        """The database is the one in the home of the evaluation."""
        return {"SIGNALBOX_DATABASE_URL": None}

    @staticmethod
    async def expect(wanted: dict[str, object], now: object, tz: object) -> dict[str, object]:
        """All that is expected stands in the case."""
        return in_own_words(wanted)

    @staticmethod
    def outcome(answer: dict[str, object]) -> dict[str, object]:
        """A conversation gives its outcome itself."""
        return answer


JUDGE = _Judge()
