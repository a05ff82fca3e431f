"""The command line, in this process and in one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PROGRAM = "import sys; sys.argv[0] = 'signalbox'; from signalbox.cli import main; main()"


@dataclass(frozen=True)
class Outcome:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The whole of stdout, as JSON."""
        return json.loads(self.out)


@pytest.fixture
def signalbox(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Outcome]:
    """What a test calls to run the command line in this process, in its own folder, with nobody at the keyboard."""
    from signalbox.cli import main

    def run(*arguments: object) -> Outcome:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["signalbox", *map(str, arguments)])
        capsys.readouterr()
        with open(os.devnull) as nobody, monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", nobody)
            with pytest.raises(SystemExit) as ended:
                main()
        printed = capsys.readouterr()
        return Outcome(int(ended.value.code or 0), printed.out, printed.err)

    return run


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., Outcome]:
    """What a test calls to run the command line in a process of its own."""

    def run(*arguments: object, stdin: str | None = None, **environment: str) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, **environment},
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run
