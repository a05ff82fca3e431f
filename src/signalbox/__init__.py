"""Signalbox: plain-language requests, answered with checked work on live systems."""

import os

__version__ = "0.2.0"
__all__ = ["__version__"]

# The offline model's matrices are small, so idle threads would cost a third of a question's time. NumPy reads this
# variable when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
