"""What words mean without any model. Each table stands here once.

- `time`: ranges, moments and lengths of time in plain words (`parse_range`).
- `today`: the date and the zone, as prompts say them.
- `numbers`: number words.
- `units`: units of measure: names, symbols and factors.
- `references`: words that refer to things: places, pronouns, all, except.
- `names`: the known names that a mistyped one is near to.
- `shortlist`: the few of very many things that a text names or is nearest to.
- `words`: splitting text and identifiers into words, and cutting off endings.
- `switches`: layers that an evaluation can switch off.
- `vectors`: what a word means, as a row of numbers. The only module here that imports numpy.
"""

from __future__ import annotations
