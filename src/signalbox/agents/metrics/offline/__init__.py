"""What only a model that fills plans needs: its words become names, times and figures. `reader.py` alone imports it.

LAYERS are what adds to the plan of the model. Each can be switched off, so that `signalbox eval --ablate metrics` can
tell what it is worth; one that moves fewer than one in a hundred sentences is deleted.
"""

from __future__ import annotations

LAYERS = ("mentions", "time", "fit")
"""Names written out in the question, its time, and the check of the chosen measure."""
