"""A rival at work: a child process that is told what to run how often, and says how much CPU time that took."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from typing import Any, Self

from benchmarks.measure import Contender
from benchmarks.rivals.environment import ROOT, Environment, UnavailableError

__all__ = ["RivalProcess"]


class RivalProcess:
    """A module of `benchmarks.rivals` run by the Python of an environment. See `serving` for the other end."""

    def __init__(self, environment: Environment, module: str, *arguments: str) -> None:
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 (closed on exit)
        self._process = subprocess.Popen(
            [environment.program("python"), "-m", f"benchmarks.rivals.{module}", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.communicate()
        self._errors.close()

    def contender(self, case: str) -> Contender:
        """The rival's run of a case, to be timed in turns with others."""
        return lambda times: float(self.ask(case, times)["seconds"])

    def ask(self, case: str, times: int = 1) -> dict[str, Any]:
        """Run a case: the CPU `seconds` it took, and the `result` of the last run.

        Raises UnavailableError where the rival broke down, with the last line it wrote.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"case": case, "times": times}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise UnavailableError(f"it broke down on {case}: {self._last_words()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _last_words(self) -> str:
        self._process.wait(timeout=10)
        self._errors.seek(0)
        return (self._errors.read().strip().splitlines() or ["it said nothing"])[-1]
