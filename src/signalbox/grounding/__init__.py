"""References: words or an id, resolved to things of a live system, the same way for every agent.

- `candidates`: what words may refer to, what is in view, and the four results.
- `resolve`: the grammar, in the order of its strength.
- `scene`: the candidates by id, by name, and by single words.
- `descriptions`: things by words, traits and days.
- `positions`: places in what was shown, numbers and pronouns.
"""

from __future__ import annotations

from signalbox.grounding.candidates import Ask, Candidate, NotFound, One, Several, View
from signalbox.grounding.resolve import resolve
from signalbox.grounding.scene import known

__all__ = ["Ask", "Candidate", "NotFound", "One", "Several", "View", "known", "resolve"]
