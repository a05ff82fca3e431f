"""Who is in the lists of an experiment, with everybody in the public segments that they name, and in those of these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.shape import members_of
from signalbox.upgrade.model import Members

__all__ = ["SegmentReader"]

_MOST_READ = 100


class SegmentReader:
    """Reads each segment once; `unread` says which could not be read."""

    def __init__(self, client: UpgradeClient) -> None:
        self.unread: list[str] = []
        self._client = client
        self._read: dict[str, dict[str, Any]] = {}

    async def members(self, lists: Any) -> Members:
        """Everybody in these lists, whichever shape the server gives them in."""
        held = members_of(lists)
        users, groups = set(held["users"]), {(one["type"], one["id"]) for one in held["groups"]}
        waiting, seen = list(held["segments"]), set[str]()
        while waiting:
            own = waiting.pop()
            if own in seen:
                continue
            seen.add(own)
            found = members_of([await self._segment(own)])
            users |= set(found["users"])
            groups |= {(one["type"], one["id"]) for one in found["groups"]}
            waiting += found["segments"]
        return Members(frozenset(users), frozenset(groups))

    async def _segment(self, segment_id: str) -> Mapping[str, Any]:
        if segment_id not in self._read:
            self._read[segment_id] = {}
            try:
                if len(self._read) > _MOST_READ:
                    raise UpgradeError(f"more than {_MOST_READ} segments are read for one question")
                self._read[segment_id] = await self._client.segment(segment_id)
            except UpgradeError as error:
                self.unread.append(f"segment {segment_id} ({error.user_message.rstrip('.')})")
        return self._read[segment_id]
