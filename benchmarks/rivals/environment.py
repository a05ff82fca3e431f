"""Environments of the packages we compare with: made once under `.bench/`, used again after that."""

from __future__ import annotations

import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Environment", "UnavailableError"]

ROOT = Path(__file__).resolve().parents[2]


class UnavailableError(Exception):
    """The package cannot be installed or started here, so nothing can be measured against it."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment that holds exactly these requirements and what they need."""

    name: str
    requirements: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """Where it lives."""
        return ROOT / ".bench" / f"{self.name}-venv"

    def program(self, name: str) -> str:
        """The path of one of its programs. Installs the environment first; raises UnavailableError."""
        self._prepare()
        return str(self.folder / "bin" / name)

    def _prepare(self) -> None:
        mark, wanted = self.folder / "installed.txt", "\n".join(self.requirements)
        if mark.exists() and mark.read_text(encoding="utf-8") == wanted:
            return
        print(f"  installing {' '.join(self.requirements)} into .bench/{self.folder.name}", file=sys.stderr)
        venv.create(self.folder, with_pip=True, clear=True)
        command = [str(self.folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *self.requirements]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            said = done.stderr.strip().splitlines() or ["no reason given"]
            raise UnavailableError(f"pip could not install {' '.join(self.requirements)}: {said[-1]}")
        mark.write_text(wanted, encoding="utf-8")
