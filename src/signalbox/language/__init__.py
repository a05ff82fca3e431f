"""What words mean without any model. Each table stands here once.

- `time`: ranges, moments and lengths of time in plain words (`parse_range`).
- `today`: the date and the zone, as prompts say them.
- `numbers`: number words.
- `units`: units of measure: names, symbols and factors.
- `names`: the known names that a mistyped one is near to.
- `words`: splitting text and identifiers into words, and cutting off endings.
- `vectors`: what a word means, as a row of numbers. The only module here that needs numpy.
"""

from __future__ import annotations
