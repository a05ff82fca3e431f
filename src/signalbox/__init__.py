"""Signalbox: plain-language requests, answered with checked work on live systems."""

import os

__version__ = "0.2.0"
__all__ = ["__version__"]

# The matrices of the offline model are small: threads that wait for work beside them cost a third of a question's time.
# NumPy reads this when it is imported first.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
