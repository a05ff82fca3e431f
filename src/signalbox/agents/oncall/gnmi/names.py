"""Which device of the inventory an address, a system name or a description means, as far as was learnt by reading."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["Names"]


class Names:
    """Names of devices. Addresses are learnt from interfaces that were read; a text only ever names a known device."""

    def __init__(self) -> None:
        self._devices: dict[str, str] = {}
        self._addresses: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None

    def know(self, devices: Iterable[str]) -> None:
        """Take these for the devices that there are."""
        known = {name.casefold(): name for name in devices}
        if known == self._devices:
            return
        self._devices = known
        self._addresses.clear()
        longest = sorted(known, key=len, reverse=True)
        self._pattern = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, longest))})(?![\w-]|\.\w)", re.IGNORECASE)

    def learn(self, device: str, addresses: Iterable[str]) -> None:
        """These addresses (with or without a length) are the device's own."""
        for address in addresses:
            self._addresses[address.partition("/")[0]] = device

    def of_address(self, address: str | None) -> str | None:
        return self._addresses.get(address or "")

    def of_system(self, name: str | None) -> str | None:
        """The device that calls itself so, with or without a domain."""
        folded = (name or "").casefold()
        return self._devices.get(folded) or self._devices.get(folded.partition(".")[0])

    def in_text(self, text: str | None) -> str | None:
        """The one device that a text names; None where it names none or several."""
        found = {one.casefold() for one in self._pattern.findall(text or "")} if self._pattern else set()
        return self._devices[found.pop()] if len(found) == 1 else None
