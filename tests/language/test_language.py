"""The package as a whole: what importing it costs."""

from __future__ import annotations

import subprocess
import sys


def test_only_the_vectors_import_numpy() -> None:
    program = """
import sys
from signalbox.language import names, numbers, time, units, words
assert "numpy" not in sys.modules
from signalbox.language import vectors
assert "numpy" in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
